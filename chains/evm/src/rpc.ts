/**
 * The nodes of one network. Work runs against one node from beginning to end, and again against the next one where that
 * node fails. A node is used only after it has named the right chain, and is asked again after every failure.
 */
import { type ChainLog, RetryLater } from '@causeway/core'
import { chainId } from './calls.ts'
import { type Node, NodeFailure, openNode, Refusal } from './node.ts'

export interface Rpc {
  /** Runs the work against a healthy node. `RetryLater` where no node can do it. */
  use<T>(work: (node: Node) => Promise<T>): Promise<T>
  /** Runs the work against every node there is. `RetryLater` where one of them cannot answer. */
  every<T>(work: (node: Node) => Promise<T>): Promise<T[]>
}

export interface RpcOptions {
  network: string
  chainId: bigint
  nodes: readonly string[]
  timeoutMs: number
  batchSize: number
  log: ChainLog
  now?: () => number
}

interface Seat {
  node: Node
  verified: boolean
  /** The kind of the last failure; null while all is well. */
  trouble: string | null
  failures: number
  /** Until then others are preferred. */
  restsUntil: number
}

class WrongChain extends NodeFailure {
  override name = 'WrongChain'
}

/** A failed node rests one second, then twice as long each time, so that one hanging node does not slow every scan. */
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000

export function openRpc(options: RpcOptions): Rpc {
  const { log, network, now = Date.now } = options
  const seats: Seat[] = options.nodes.map((url) => ({
    node: openNode(url, options),
    verified: false,
    trouble: null,
    failures: 0,
    restsUntil: 0,
  }))

  async function attempt<T>(seat: Seat, work: (node: Node) => Promise<T>): Promise<T> {
    try {
      if (!seat.verified) await verify(seat)
      const result = await work(seat.node)
      if (seat.trouble !== null) log.info({ network, node: seat.node.name }, 'node is back')
      seat.trouble = null
      seat.failures = 0
      return result
    } catch (error) {
      if (error instanceof NodeFailure) rest(seat, error)
      throw error
    }
  }

  async function verify(seat: Seat): Promise<void> {
    const [actual] = await seat.node.ask([chainId()])
    if (actual !== options.chainId) {
      throw new WrongChain(`node ${seat.node.name} is on chain ${actual}, not ${options.chainId}`)
    }
    seat.verified = true
  }

  function rest(seat: Seat, error: Error): void {
    const fields = { network, node: seat.node.name, reason: error.message }
    // Said once, not at every scan.
    if (seat.trouble !== error.name && error instanceof WrongChain) log.error(fields, 'node is on another chain')
    else if (seat.trouble === null) log.warn(fields, 'node failed')
    seat.trouble = error.name
    seat.verified = false
    seat.restsUntil = now() + Math.min(FIRST_REST_MS * 2 ** Math.min(seat.failures, 10), LONGEST_REST_MS)
    seat.failures += 1
  }

  /** In the order of the file, those at rest last: where nobody else is left, they are asked all the same. */
  function inOrder(): Seat[] {
    const awake = seats.filter(({ restsUntil }) => restsUntil <= now())
    return [...awake, ...seats.filter((seat) => !awake.includes(seat))]
  }

  return {
    async use(work) {
      let reason = 'no node is configured'
      for (const seat of inOrder()) {
        try {
          return await attempt(seat, work)
        } catch (error) {
          if (error instanceof Refusal) throw new RetryLater(`${network}: ${error.message}`)
          if (!(error instanceof NodeFailure)) throw error
          reason = error.message
        }
      }
      throw new RetryLater(`${network}: ${reason}`)
    },
    async every(work) {
      if (seats.length === 0) throw new RetryLater(`${network}: no node is configured`)
      try {
        return await Promise.all(seats.map((seat) => attempt(seat, work)))
      } catch (error) {
        if (error instanceof Refusal || error instanceof NodeFailure)
          throw new RetryLater(`${network}: ${error.message}`)
        throw error
      }
    },
  }
}
