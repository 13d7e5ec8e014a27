/** A lagging Fuel node: the local chain can show its state of some blocks ago, and names that block. */
import { type Ask, type Dialect, fieldsOf, type Question, Refused, type Then } from './dialect.ts'

const HEAD = { operationName: 'height', query: 'query height { chain { latestBlock { height } } }', variables: {} }

export const fuel: Dialect = {
  send: 'causewaySubmit',
  bytes: ({ params }) => String(fieldsOf(fieldsOf(params).variables).tx),
  height,
  behind,
  refusals: [
    new Refused(0, 'Transaction is not inserted. The pool is full'),
    // The node has not seen the block that created the UTXO.
    new Refused(0, 'Transaction input validation failed: UTXO input does not exist'),
    new Refused(0, 'Transaction is not inserted. The address is blacklisted'),
  ],
  isGraphql: true,
}

async function height(ask: Ask): Promise<number> {
  const { data } = fieldsOf(await ask(HEAD.operationName, HEAD))
  return Number(fieldsOf(fieldsOf(fieldsOf(data).chain).latestBlock).height)
}

async function behind({ method, params }: Question, then: Then, ask: Ask): Promise<unknown> {
  const asked = fieldsOf(params)
  const lag = Math.max(0, (await height(ask)) - then.height)
  return ask(method, { ...asked, extensions: { ...fieldsOf(asked.extensions), devnet_lag: lag } })
}
