/**
 * The nodes of one network. Work runs against one node from beginning to end, and again against the next one where that
 * node fails. A node is used only after it has named the right chain, and is asked again after every failure.
 */
import { type ChainLog, RetryLater } from '@causeway/core'
import { blockHash, chainInfo, hasTransactionIndex } from './calls.ts'
import { type Node, NodeFailure, openNode, Refusal } from './node.ts'
import { CHAINS, type ChainName } from './settings.ts'

export interface Rpc {
  /** Runs the work against a healthy node. `RetryLater` where no node can do it. */
  use<T>(work: (node: Node) => Promise<T>): Promise<T>
  /** Runs the work against every node there is. `RetryLater` where one of them cannot answer. */
  every<T>(work: (node: Node) => Promise<T>): Promise<T[]>
}

export interface RpcOptions {
  network: string
  chain: ChainName
  nodes: readonly string[]
  timeoutMs: number
  batchSize: number
  log: ChainLog
  now?: () => number
}

interface Seat {
  node: Node
  verified: boolean
  failures: number
  /** Until then others are preferred. */
  restsUntil: number
}

/** A failed node rests one second, then twice as long each time, so that one hanging node does not slow every scan. */
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000

export function openRpc(options: RpcOptions): Rpc {
  const { log, network, now = Date.now } = options
  const seats: Seat[] = options.nodes.map((url) => ({
    node: openNode(url, options),
    verified: false,
    failures: 0,
    restsUntil: 0,
  }))

  async function attempt<T>(seat: Seat, work: (node: Node) => Promise<T>): Promise<T> {
    try {
      if (!seat.verified) await verify(seat)
      const result = await work(seat.node)
      if (seat.failures > 0) log.info({ network, node: seat.node.name }, 'node is back')
      seat.failures = 0
      return result
    } catch (error) {
      if (error instanceof NodeFailure) rest(seat, error)
      throw error
    }
  }

  async function verify(seat: Seat): Promise<void> {
    const [{ chain }, genesis] = await seat.node.ask([chainInfo(), blockHash(0)])
    const wanted = CHAINS[options.chain].genesis
    if (chain !== options.chain || genesis !== wanted) {
      log.error({ network, node: seat.node.name, expected: options.chain, actual: chain }, 'node is on another chain')
      throw new NodeFailure(`node ${seat.node.name} is on chain ${chain} from ${genesis}, not ${options.chain}`)
    }
    await requireIndex(seat.node)
    seat.verified = true
  }

  /** Without an index a node does not know confirmed transactions by their id. One that does not tell is believed. */
  async function requireIndex(node: Node): Promise<void> {
    const [hasIndex] = await node.settle([hasTransactionIndex()])
    if (hasIndex !== false) return
    log.error({ network, node: node.name }, 'node has no transaction index: start it with txindex=1')
    throw new NodeFailure(`node ${node.name} has no transaction index`)
  }

  function rest(seat: Seat, error: Error): void {
    if (seat.failures === 0) log.warn({ network, node: seat.node.name, reason: error.message }, 'node failed')
    seat.verified = false
    seat.restsUntil = now() + Math.min(FIRST_REST_MS * 2 ** Math.min(seat.failures, 10), LONGEST_REST_MS)
    seat.failures += 1
  }

  /** In the order of the file, those at rest last: where nobody else is left, they are asked all the same. */
  function inOrder(): Seat[] {
    const awake = seats.filter(({ restsUntil }) => restsUntil <= now())
    return [...awake, ...seats.filter((seat) => !awake.includes(seat))]
  }

  const later = (error: Error): Error =>
    error instanceof Refusal || error instanceof NodeFailure ? new RetryLater(`${network}: ${error.message}`) : error

  return {
    async use(work) {
      let last: Error = new RetryLater(`${network}: no node is configured`)
      for (const seat of inOrder()) {
        try {
          return await attempt(seat, work)
        } catch (error) {
          if (!(error instanceof NodeFailure)) throw error instanceof Error ? later(error) : error
          last = error
        }
      }
      throw later(last)
    },
    async every(work) {
      if (seats.length === 0) throw new RetryLater(`${network}: no node is configured`)
      try {
        return await Promise.all(seats.map((seat) => attempt(seat, work)))
      } catch (error) {
        throw error instanceof Error ? later(error) : error
      }
    },
  }
}
