/** A lagging Cosmos node: it knows no block above its own head, no state of one, and no pending transactions. */
import { type Ask, type Dialect, fieldsOf, type Question, Refused, type Then } from './dialect.ts'

const INTERNAL = -32603

export const cosmos: Dialect = {
  send: 'broadcast_tx_sync',
  bytes: ({ params }) => String(fieldsOf(params).tx),
  height: async (ask) => Number(fieldsOf(fieldsOf(await ask('status', {})).sync_info).latest_block_height),
  behind,
  refusals: [
    new Refused(INTERNAL, 'Internal error', 'mempool is full: number of txs 5000 (max: 5000)'),
    new Refused(INTERNAL, 'Internal error', 'timed out waiting for tx to be included in a block'),
    new Refused(INTERNAL, 'no available upstream'),
  ],
}

async function behind(question: Question, { height }: Then, ask: Ask): Promise<unknown> {
  const { method, params } = question
  const fields = fieldsOf(params)
  const isBeyond = Number(fields.height ?? 0) > height
  switch (method) {
    case 'status':
      return statusAt(height, ask)
    case 'abci_info':
      return { response: { last_block_height: String(height) } }
    case 'block':
    case 'commit':
    case 'block_results':
      if (!isBeyond) return ask(method, params)
      throw new Refused(INTERNAL, 'Internal error', `height ${fields.height} must be less than or equal to ${height}`)
    case 'tx': {
      const found = fieldsOf(await ask(method, params))
      if (Number(found.height) <= height) return found
      throw new Refused(INTERNAL, 'Internal error', 'tx not found')
    }
    case 'tx_search': {
      const { txs } = fieldsOf(await ask(method, params))
      const known = (txs as unknown[]).filter((entry) => Number(fieldsOf(entry).height) <= height)
      return { txs: known, total_count: String(known.length) }
    }
    case 'unconfirmed_txs':
      return { n_txs: '0', total: '0', total_bytes: '0', txs: [] }
    case 'abci_query':
      if (isBeyond)
        return { response: { code: 18, log: `failed to load state at height ${fields.height}`, height: '0' } }
      return ask(method, Number(fields.height) > 0 ? params : { ...fields, height: String(height) })
    default:
      return ask(method, params)
  }
}

async function statusAt(height: number, ask: Ask): Promise<unknown> {
  const [now, block] = await Promise.all([ask('status', {}), ask('block', { height: String(height) })])
  const { block_id: id, block: body } = fieldsOf(block)
  const told = {
    latest_block_height: String(height),
    latest_block_hash: fieldsOf(id).hash,
    latest_block_time: fieldsOf(fieldsOf(body).header).time,
  }
  return { ...fieldsOf(now), sync_info: { ...fieldsOf(fieldsOf(now).sync_info), ...told } }
}
