/** A lagging Tron node: it has no block above its own head, nothing in such a block, and no pending transactions. */
import { type Ask, type Dialect, fieldsOf, type Question, Refused, type Then } from './dialect.ts'

/** Blocks on top of a solid one. */
const SOLID_DEPTH = 19
const NOTHING = {}

export const tron: Dialect = {
  isByPath: true,
  send: 'wallet/broadcasthex',
  bytes: ({ params }) => String(fieldsOf(params).transaction),
  height: async (ask) => heightIn(await ask('wallet/getblock', { detail: false })),
  behind,
  refusals: [
    new Refused(0, '', { code: 'SERVER_BUSY', message: '' }),
    // A reference block that this node considers to be from the future.
    new Refused(0, '', { code: 'TAPOS_ERROR', message: '' }),
    new Refused(0, '', { code: 'NOT_ENOUGH_EFFECTIVE_CONNECTION', message: '' }),
    // The node remembers transactions that it failed to forward.
    new Refused(0, '', { code: 'DUP_TRANSACTION_ERROR', message: '' }),
  ],
}

async function behind(question: Question, then: Then, ask: Ask): Promise<unknown> {
  const { method, params } = question
  const { height } = then
  const fields = fieldsOf(params)
  switch (method) {
    case 'wallet/getblock':
    case 'walletsolidity/getblock': {
      const top = method.startsWith('walletsolidity') ? Math.max(0, height - SOLID_DEPTH) : height
      const wanted = fields.id_or_num === undefined ? top : Number(fields.id_or_num)
      return wanted > top ? NOTHING : ask('wallet/getblock', { ...fields, id_or_num: `${wanted}` })
    }
    case 'wallet/getblockbylimitnext': {
      const endNum = Math.min(Number(fields.endNum), height + 1)
      return endNum > Number(fields.startNum) ? ask(method, { ...fields, endNum }) : NOTHING
    }
    case 'wallet/gettransactioninfobyid': {
      const found = fieldsOf(await ask(method, params))
      return Number(found.blockNumber) > height ? NOTHING : found
    }
    case 'wallet/gettransactioninfobyblocknum':
      return Number(fields.num) > height ? [] : ask(method, params)
    case 'wallet/gettransactionfrompending':
      return NOTHING
    case 'wallet/getaccount':
    case 'wallet/triggerconstantcontract':
      // An item that was not read then is current.
      return then.remembered(question) ?? ask(method, params)
    default:
      return ask(method, params)
  }
}

function heightIn(block: unknown): number {
  return Number(fieldsOf(fieldsOf(fieldsOf(block).block_header).raw_data).number)
}
