/**
 * An EVM chain made of arithmetic: blocks follow the clock, every n-th holds a token deposit, and nothing is stored. It
 * serves thousands of provider requests at no cost to the machine.
 */
import { keccak256, pad, toHex } from 'viem'
import { TRANSFER_TOPIC } from '../../../chains/evm/src/scanning/transfers.ts'

export interface ChainPlan {
  chainId: bigint
  blockMs: number
  /** The height at the start. */
  height: number
  /** A deposit in every n-th block; none if absent. */
  deposits?: { every: number; token: string; from: string; to: () => string; units: bigint }
}

type Filter = {
  fromBlock?: string
  toBlock?: string
  blockHash?: string
  address: string[]
  topics: (string | string[] | null)[]
}

const ZERO = `0x${'0'.repeat(64)}`

export function arithmeticChain(plan: ChainPlan, now: () => number = Date.now) {
  const startedAt = now()
  const height = () => plan.height + Math.floor((now() - startedAt) / plan.blockMs)
  const numberOf = new Map<string, number>()
  const hashOf = (number: number) => {
    const hash = keccak256(toHex(`${plan.chainId} block ${number}`))
    numberOf.set(hash, number)
    return hash
  }
  const txOf = (number: number) => keccak256(toHex(`${plan.chainId} tx ${number}`))
  const holds = (number: number) => plan.deposits !== undefined && number % plan.deposits.every === 0

  function block(number: number, isFull: boolean): unknown {
    if (number > height() || number < 0) return null
    const hash = hashOf(number)
    const transactions = holds(number) ? [isFull ? transaction(number) : txOf(number)] : []
    return {
      number: hex(number),
      hash,
      parentHash: hashOf(number - 1),
      timestamp: hex(Math.floor((startedAt + (number - plan.height) * plan.blockMs) / 1000)),
      baseFeePerGas: hex(1_000_000_000),
      logsBloom: `0x${'ff'.repeat(256)}`,
      transactions,
    }
  }

  function transaction(number: number): unknown {
    const { from, token } = plan.deposits ?? { from: ZERO, token: ZERO }
    const place = { blockHash: hashOf(number), blockNumber: hex(number), transactionIndex: '0x0' }
    return { ...place, hash: txOf(number), nonce: '0x0', from, to: token, value: '0x0', input: '0x' }
  }

  function log(number: number): Record<string, unknown> & { address: string; topics: string[] } {
    const deposits = plan.deposits
    if (!deposits) throw new Error('there are no deposits')
    const topics = [TRANSFER_TOPIC, topicOf(deposits.from), topicOf(deposits.to())]
    return {
      address: deposits.token.toLowerCase(),
      topics,
      data: pad(toHex(deposits.units)),
      blockHash: hashOf(number),
      blockNumber: hex(number),
      transactionHash: txOf(number),
      logIndex: '0x0',
    }
  }

  function logs(filter: Filter): unknown[] {
    const one = filter.blockHash ? numberOf.get(filter.blockHash) : undefined
    if (filter.blockHash && one === undefined) throw { code: -32_000, message: 'unknown block' }
    const from = one ?? Number(filter.fromBlock)
    const to = Math.min(one ?? Number(filter.toBlock), height())
    const { every = 1 } = plan.deposits ?? {}
    const found: unknown[] = []
    if (!plan.deposits) return found
    for (let number = Math.ceil(from / every) * every; number <= to; number += every) {
      const each = log(number)
      if (fits(filter, each)) found.push(each)
    }
    return found
  }

  function receipt(hash: string, number: number): unknown {
    const place = { transactionHash: hash, blockHash: hashOf(number), blockNumber: hex(number) }
    return { ...place, status: '0x1', gasUsed: hex(50_000), effectiveGasPrice: hex(1_000_000_000), logs: [log(number)] }
  }

  const ofTx = new Map<string, number>()
  function txNumber(hash: string): number | null {
    if (ofTx.size === 0 && plan.deposits) {
      const { every } = plan.deposits
      for (let number = 0; number <= height() + 1_000; number += every) ofTx.set(txOf(number), number)
    }
    return ofTx.get(hash) ?? null
  }

  /** State exists only for existing blocks. */
  function known(at: unknown): true {
    const { blockHash } = typeof at === 'object' && at !== null ? (at as { blockHash: string }) : { blockHash: null }
    const number = blockHash === null ? (at === 'latest' ? 0 : Number(at)) : (numberOf.get(blockHash) ?? Number.NaN)
    if (number <= height()) return true
    throw { code: -32_000, message: 'header not found' }
  }

  /** The sum of all deposits by then: a token's balance grows with them. */
  function cameUpTo(at: unknown): bigint {
    if (!plan.deposits) return 0n
    const { every, units } = plan.deposits
    const number = typeof at === 'string' && at !== 'latest' ? Number(at) : height()
    return units * BigInt(Math.floor(number / every))
  }

  return {
    height,
    hashOf,
    answer(method: string, params: unknown[]): unknown {
      const [first, second] = params
      switch (method) {
        case 'eth_chainId':
          return `0x${plan.chainId.toString(16)}`
        case 'eth_blockNumber':
          return hex(height())
        case 'eth_getBlockByNumber':
          return block(first === 'latest' ? height() : Number(first), second === true)
        case 'eth_getBlockByHash':
          return block(numberOf.get(String(first)) ?? -1, second === true)
        case 'eth_getLogs':
          return logs(first as Filter)
        case 'eth_getTransactionByHash': {
          const number = txNumber(String(first))
          return number === null ? null : transaction(number)
        }
        case 'eth_getTransactionReceipt': {
          const number = txNumber(String(first))
          return number === null ? null : receipt(String(first), number)
        }
        case 'eth_getBalance':
          return known(second) && toHex(10n ** 21n)
        case 'eth_getTransactionCount':
          return known(second) && '0x0'
        case 'eth_getCode':
          return '0x'
        case 'eth_call':
          return pad(toHex(10n ** 12n + cameUpTo(second)))
        case 'eth_estimateGas':
          return hex(21_000)
        case 'eth_gasPrice':
        case 'eth_maxPriorityFeePerGas':
          return hex(1_000_000)
        default:
          throw { code: -32_601, message: `the method ${method} does not exist` }
      }
    },
  }
}

function fits({ address, topics }: Filter, log: { address: string; topics: string[] }): boolean {
  if (!address.map((one) => one.toLowerCase()).includes(log.address)) return false
  return topics.every((wanted, i) => wanted === null || [wanted].flat().includes(log.topics[i] ?? ''))
}

function topicOf(address: string): string {
  return pad(address as `0x${string}`).toLowerCase()
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
