/**
 * A lagging Starknet node: it has no block above its own head, nothing in such a block, and no pending transactions.
 */
import { type Ask, type Dialect, fieldsOf, type Question, Refused, type Then } from './dialect.ts'

export const starknet: Dialect = {
  send: 'starknet_addInvokeTransaction',
  bytes: ({ params }) => JSON.stringify(fieldsOf(params).invoke_transaction),
  height: async (ask) => Number(await ask('starknet_blockNumber', [])),
  behind,
  refusals: [
    // One error code for a used nonce, one too far ahead, and a replacement with too low a fee.
    new Refused(52, 'Invalid transaction nonce'),
    // The node's state is older than the coins that arrived since.
    new Refused(54, "Account balance is smaller than the transaction's maximal fee"),
    new Refused(63, 'An unexpected error occurred'),
  ],
}

const NO_BLOCK = new Refused(24, 'Block not found')
const NO_TRANSACTION = new Refused(29, 'Transaction hash not found')

async function behind({ method, params }: Question, { height }: Then, ask: Ask): Promise<unknown> {
  const fields = fieldsOf(params)
  switch (method) {
    case 'starknet_blockNumber':
      return height
    case 'starknet_getTransactionByHash':
    case 'starknet_getTransactionStatus':
    case 'starknet_getTransactionReceipt': {
      const { transaction_hash } = fields
      const { block_number } = fieldsOf(await ask('starknet_getTransactionReceipt', { transaction_hash }))
      if (Number(block_number) > height) throw NO_TRANSACTION
      return ask(method, params)
    }
    case 'starknet_getEvents': {
      const filter = fieldsOf(fields.filter)
      const [from_block, to_block] = [filter.from_block, await known(filter.to_block, height, ask)]
      return ask(method, { filter: { ...filter, from_block, to_block } })
    }
    case 'starknet_chainId':
    case 'starknet_specVersion':
      return ask(method, params)
    default:
      return ask(method, { ...fields, block_id: await known(fields.block_id, height, ask) })
  }
}

/** The requested block if the node has it; its own newest block for "latest". */
async function known(id: unknown, height: number, ask: Ask): Promise<unknown> {
  if (id === 'latest' || id === 'pre_confirmed') return { block_number: height }
  const { block_number } = fieldsOf(await ask('starknet_getBlockWithTxHashes', { block_id: id }))
  if (Number(block_number) <= height) return id
  if (id === 'l1_accepted') return { block_number: height }
  throw NO_BLOCK
}
