/** A lagging EVM node: it has no block above its own head, nothing in such a block, and no pending transactions. */
import { type Ask, type Dialect, fieldsOf, listOf, type Question, Refused, type Then } from './dialect.ts'

export const evm: Dialect = {
  send: 'eth_sendRawTransaction',
  bytes: (question) => String(listOf(question)[0]),
  height: async (ask) => Number(await ask('eth_blockNumber', [])),
  behind,
  refusals: [
    new Refused(-32000, 'txpool is full'),
    // The node's state is older than the coins that arrived since.
    new Refused(-32000, 'insufficient funds for gas * price + value: address has less than tx cost'),
    new Refused(-32603, 'Internal error: no available upstream'),
  ],
}

async function behind(question: Question, { height }: Then, ask: Ask): Promise<unknown> {
  const { method } = question
  const [first, second, ...rest] = listOf(question)
  switch (method) {
    case 'eth_blockNumber':
      return hex(height)
    case 'eth_getBlockByNumber':
      return first !== 'latest' && Number(first) > height ? null : ask(method, [tagged(first, height), second])
    case 'eth_getTransactionByHash':
    case 'eth_getTransactionReceipt': {
      const found = await ask(method, [first])
      const { blockNumber } = fieldsOf(found)
      return typeof blockNumber === 'string' && Number(blockNumber) <= height ? found : null
    }
    case 'eth_getBalance':
    case 'eth_getTransactionCount':
    case 'eth_getCode':
    case 'eth_call':
      return ask(method, [first, tagged(second, height), ...rest])
    case 'eth_estimateGas':
      return ask(method, [first, hex(height)])
    case 'eth_getLogs':
      return logs(fieldsOf(first), height, ask)
    default:
      return ask(method, question.params)
  }
}

async function logs(filter: Record<string, unknown>, height: number, ask: Ask): Promise<unknown> {
  if (filter.blockHash !== undefined) {
    const block = fieldsOf(await ask('eth_getBlockByHash', [filter.blockHash, false]))
    if (Number(block.number) > height) throw new Refused(-32000, 'unknown block')
    return ask('eth_getLogs', [filter])
  }
  // Some nodes silently answer only for the part of a range that they have.
  if (Number(filter.fromBlock) > height) return []
  const isBeyond = filter.toBlock === 'latest' || Number(filter.toBlock) > height
  return ask('eth_getLogs', [isBeyond ? { ...filter, toBlock: hex(height) } : filter])
}

function tagged(tag: unknown, height: number): unknown {
  if (tag === 'latest' || tag === 'pending' || tag === undefined) return hex(height)
  if (Number(tag) > height) throw new Refused(-32000, 'header not found')
  return tag
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
