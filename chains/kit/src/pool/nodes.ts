/**
 * Pools the nodes of one network. Work runs against one node from start to end, and again against the next one if that
 * node fails. A node is used only after it proved to be on the right chain, and must prove it again after every
 * failure. Families provide the node; the pool knows no protocol, and the caller passes in the clock.
 */

import type { ChainLog, Inspection, NodeHealth } from '@causeway/core'
import { PermanentlyRejected, RetryLater } from '@causeway/core'
import { providerOfHost } from './provider.ts'

/** The node is down, slow, out of quota or sends nonsense: another one may work. */
export class NodeFailure extends Error {
  override name = 'NodeFailure'
  /** How long the node asks us to wait; null if it does not say. */
  readonly restMs: number | null
  /** The HTTP status of the failure; null if it failed in another way. */
  readonly status: number | null
  constructor(message: string, restMs: number | null = null, status: number | null = null) {
    super(message)
    this.restMs = restMs
    this.status = status
  }
}

/** The node answered in a form that the family does not know. */
export class UnreadableAnswer extends NodeFailure {
  override name = 'UnreadableAnswer'
}

/** The node serves another chain. */
export class WrongChain extends NodeFailure {
  override name = 'WrongChain'
}

/** The node asked for a pause (rate limit), so the call was not sent. */
class Muted extends RetryLater {
  override name = 'Muted'
}

/** The node works and refuses the call. Families add details about the refusal. */
export class NodeRefusal extends Error {
  override name = 'NodeRefusal'
}

/** How often a read is tried. Of five backends behind one address two may lag, and the load balancer chooses one. */
const TRIES = 5

/**
 * Repeats a read. Backends behind one address may be at different heights: one does not know yet what another has just
 * reported.
 */
export async function retryRead<T>(work: () => Promise<T>, tries = TRIES): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work()
    } catch (error) {
      const mayPass = error instanceof RetryLater || error instanceof NodeRefusal
      if (!mayPass || tried >= tries) throw error
    }
  }
}

/** Rejects a head below one that was reported before: it comes from a lagging backend. */
export function rejectStaleHead(head: bigint, newest: bigint): bigint {
  if (head < newest) throw new RetryLater(`a node is at ${head}, another one behind the same address at ${newest}`)
  return head
}

export interface NodePool<Node> {
  /** Runs the work against a healthy node. `RetryLater` if no node can do it. */
  use<T>(work: (node: Node) => Promise<T>): Promise<T>
  /** Like `use`, against a different node than this one, if another one can do it. */
  beside<T>(node: Node, work: (node: Node) => Promise<T>): Promise<T>
  /** Runs the work against every node. `RetryLater` if one of them cannot answer. */
  every<T>(work: (node: Node) => Promise<T>): Promise<T[]>
  /** Runs the work against every node and returns the first success. `RetryLater` if all fail. */
  any<T>(work: (node: Node) => Promise<T>): Promise<T>
  /**
   * Quorum read: runs the work against nodes of several providers until enough answers agree, compared by `named`, and
   * returns the first of those. A node that disagrees backs off. `RetryLater` if too few agree.
   */
  agreed<T>(work: (node: Node) => Promise<T>, named: (answer: T) => string): Promise<T>
  /** Like `agreed`, by at least two providers if the network has two: one node alone must not decide it. */
  agreedByTwo<T>(work: (node: Node) => Promise<T>, named: (answer: T) => string): Promise<T>
  /** The health of each node, in order. */
  health(): NodeHealth[]
}

/** The node disagrees with the quorum: it lies, lags or follows another branch. */
class Differs extends NodeFailure {
  override name = 'Differs'
}

export interface NodePoolOptions<Node> {
  network: string
  nodes: readonly Node[]
  /** Throws `WrongChain` if the node serves another chain. */
  verify(node: Node): Promise<void>
  /**
   * Why the refusal of one node counts for all. If absent, the next node is asked: nodes lag, prune and differ, so a
   * refusal is only that node's view.
   */
  refusalIsFinalBecause?: string
  /** Providers whose nodes must agree if money depends on the answer; 1 if absent. */
  quorum?: number | undefined
  log: ChainLog
  now(): number
}

/** Settings of a pool that do not depend on the family. */
export interface PoolOptions {
  network: string
  /** The nodes' addresses, the preferred one first. */
  nodes: readonly string[]
  quorum?: number | undefined
  log: ChainLog
  now(): number
  /** Called with the method of every request that is sent to a node. */
  spent?: ((method: string) => void) | undefined
}

/** Opens the nodes of a network; the family opens each node. */
export function openPool<Node extends { name: string }>(
  { network, nodes, quorum, log, now }: PoolOptions,
  { open, ...rules }: { open(url: string): Node } & Pick<NodePoolOptions<Node>, 'verify' | 'refusalIsFinalBecause'>,
): NodePool<Node> {
  return poolNodes({ network, log, now, quorum, nodes: nodes.map((url) => open(url)), ...rules })
}

interface Seat<Node> {
  node: Node
  verified: boolean
  /** The kind of the last failure; null while the node works. */
  trouble: string | null
  failures: number
  differed: number
  /** Until this time other nodes are preferred (backoff). */
  restsUntil: number
  /** Until this time the node asked for a pause: only broadcasts are sent to it. */
  mutedUntil: number
}

/** First backoff of a failed node; it doubles each time, so that a hanging node does not slow every scan. */
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000
const MOST_DOUBLINGS = 10
/** A node that asks for a longer pause than this is asked anyway: it may be the only one. */
const LONGEST_MUTE_MS = 5 * 60_000

export function poolNodes<Node extends { name: string }>(options: NodePoolOptions<Node>): NodePool<Node> {
  const { log, network, now } = options
  const seats: Seat<Node>[] = options.nodes.map((node) => ({
    node,
    verified: false,
    trouble: null,
    failures: 0,
    differed: 0,
    restsUntil: 0,
    mutedUntil: 0,
  }))

  async function attempt<T>(seat: Seat<Node>, work: (node: Node) => Promise<T>): Promise<T> {
    try {
      if (!seat.verified) await options.verify(seat.node)
      seat.verified = true
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

  function rest(seat: Seat<Node>, error: NodeFailure): void {
    const fields = { network, node: seat.node.name, reason: error.message }
    // A wrong chain is logged once, not at every scan.
    if (seat.trouble !== error.name && error instanceof WrongChain) log.error(fields, 'node is on another chain')
    else if (seat.trouble === null) log.warn(fields, 'node failed')
    seat.trouble = error.name
    seat.verified = false
    const restMs = FIRST_REST_MS * 2 ** Math.min(seat.failures, MOST_DOUBLINGS)
    seat.restsUntil = now() + Math.min(restMs, LONGEST_REST_MS)
    seat.failures += 1
    if (error.restMs === null) return
    seat.mutedUntil = now() + Math.min(error.restMs, LONGEST_MUTE_MS)
    seat.restsUntil = Math.max(seat.restsUntil, seat.mutedUntil)
  }

  function refuseMuted({ mutedUntil, node }: Seat<Node>): void {
    if (mutedUntil > now()) throw new Muted(`${network}: node ${node.name} asks to be left alone for a while`)
  }

  /** The nodes in the configured order, those in backoff last: they are still asked if no other is left. */
  function inOrder(): Seat<Node>[] {
    const awake = seats.filter(({ restsUntil }) => restsUntil <= now())
    return [...awake, ...seats.filter((seat) => !awake.includes(seat))]
  }

  /** Moves nodes of a provider that was already asked to the end. */
  function unlikeFirst(order: readonly Seat<Node>[]): Seat<Node>[] {
    const providers = [...Map.groupBy(order, ({ node }) => providerOfHost(node.name)).values()]
    return [...providers.flatMap((seats) => seats.slice(0, 1)), ...providers.flatMap((seats) => seats.slice(1))]
  }

  function providersOf(asked: readonly Seat<Node>[]): number {
    return new Set(asked.map(({ node }) => providerOfHost(node.name))).size
  }

  /** The error for code outside the family, which does not know nodes. */
  function outward(error: unknown): unknown {
    const isOfNode = error instanceof NodeFailure || error instanceof NodeRefusal
    return isOfNode ? new RetryLater(`${network}: ${error.message}`) : error
  }

  /** Asks as many nodes at once as must agree, then one more at a time until enough providers gave the same answer. */
  async function agree<T>(quorum: number, work: (node: Node) => Promise<T>, named: (answer: T) => string): Promise<T> {
    const left = unlikeFirst(inOrder())
    const answers: { seat: Seat<Node>; answer: T; name: string }[] = []
    let last: unknown = new RetryLater(`${network}: nodes of fewer than ${quorum} providers are configured`)
    for (let wanted = quorum; left.length > 0; wanted = 1) {
      const asked = left.splice(0, wanted)
      const settled = await Promise.allSettled(
        asked.map(async (seat) => {
          refuseMuted(seat)
          return attempt(seat, work)
        }),
      )
      for (const [position, one] of settled.entries()) {
        const seat = asked[position]
        if (one.status === 'fulfilled' && seat) answers.push({ seat, answer: one.value, name: named(one.value) })
        else if (one.status === 'rejected') last = one.reason
      }
      const [most] = [...Map.groupBy(answers, ({ name }) => name).values()].sort((a, b) => b.length - a.length)
      if (!most?.[0] || providersOf(most.map(({ seat }) => seat)) < quorum) continue
      for (const { seat } of answers.filter((other) => !most.includes(other))) {
        seat.differed += 1
        rest(seat, new Differs(`node ${seat.node.name} says something else than ${quorum} others`))
      }
      return mostCautious(most.map(({ answer }) => answer)) ?? most[0].answer
    }
    const isPassing = last instanceof NodeFailure || last instanceof NodeRefusal || last instanceof RetryLater
    if (!isPassing) throw last
    const differs = new Set(answers.map(({ name }) => name)).size > 1
    const reason = differs ? 'they differ' : String(last)
    throw new RetryLater(`${network}: nodes of fewer than ${quorum} providers say the same: ${reason}`)
  }

  /** Runs the work against the first node that can do it. */
  async function firstOf<T>(order: readonly Seat<Node>[], work: (node: Node) => Promise<T>): Promise<T> {
    let last: unknown = new RetryLater(`${network}: no node is configured`)
    let hasAsked = false
    for (const seat of order) {
      try {
        refuseMuted(seat)
        return await attempt(seat, work)
      } catch (error) {
        const isMuted = error instanceof Muted
        const asksOn = error instanceof NodeRefusal && options.refusalIsFinalBecause === undefined
        const goesOn = isMuted || error instanceof NodeFailure || asksOn
        if (!goesOn) throw outward(error)
        // The error of a node that was asked says more than the fact that another one is rate-limited.
        if (!isMuted || !hasAsked) last = error
        hasAsked ||= !isMuted
      }
    }
    throw outward(last)
  }

  const quorum = options.quorum ?? 1
  const pool: NodePool<Node> = {
    agreed: (work, named) => (quorum > 1 ? agree(quorum, work, named) : pool.use(work)),
    agreedByTwo: (work, named) =>
      quorum > 1 || providersOf(seats) < 2 ? pool.agreed(work, named) : agree(2, work, named),
    health: () =>
      seats.map(({ node: { name }, trouble, failures, differed, restsUntil }) => ({
        ...{ name, trouble, failures, differed, rests: restsUntil > now() },
      })),
    use: (work) => firstOf(inOrder(), work),
    beside(node, work) {
      const seated = inOrder()
      return firstOf(
        seated.toSorted((a, b) => Number(a.node === node) - Number(b.node === node)),
        work,
      )
    },
    async every(work) {
      if (seats.length === 0) throw new RetryLater(`${network}: no node is configured`)
      try {
        for (const seat of seats) refuseMuted(seat)
        return await Promise.all(seats.map((seat) => attempt(seat, work)))
      } catch (error) {
        throw outward(error)
      }
    },
    async any(work) {
      if (seats.length === 0) throw new RetryLater(`${network}: no node is configured`)
      try {
        // Nodes in backoff are asked, too: one of them may be the only one that does not refuse.
        return await Promise.any(seats.map((seat) => attempt(seat, work)))
      } catch (error) {
        const reasons: unknown[] = error instanceof AggregateError ? error.errors : [error]
        // A refusal says more than no answer. But "permanently rejected" is reported only if all nodes say so.
        const answers = reasons.filter((reason) => !(reason instanceof NodeFailure))
        const told = answers.find((reason) => !(reason instanceof PermanentlyRejected)) ?? answers[0] ?? reasons[0]
        const isNotAll = told instanceof PermanentlyRejected && answers.length < reasons.length
        throw isNotAll ? new RetryLater(told.message) : outward(told)
      }
    },
  }
  return pool
}

/**
 * The parts of an inspection that nodes must agree on: everything except the number of confirmations. Nodes may differ
 * about a pending transaction; that is no fault.
 */
export function inspectionKey(found: Inspection): string {
  if (found.state !== 'included' && found.state !== 'failed') return 'waits'
  const { state, block } = found
  const seen = (found.state === 'included' ? found.sightings : []).map(
    ({ index, to, amount, reference, refundableSender, fundingAddresses, doubt, requiresFinality }) => {
      const payer = [refundableSender, fundingAddresses.toSorted()]
      return [index, to, amount.token.contract, amount.units, reference, ...payer, doubt, requiresFinality].join(' ')
    },
  )
  return [state, block.number, block.hash, ...seen].join(' | ')
}

/** Of answers that agree, the most cautious one: the fewest confirmations, and pending before unknown. */
export function mostCautious<T>(answers: readonly T[]): T | undefined {
  const promised = (answer: T): number => {
    const { confirmations, state }: { confirmations?: unknown; state?: unknown } = Object(answer)
    return typeof confirmations === 'number' ? confirmations : state === 'unknown' ? 1 : 0
  }
  return answers.toSorted((a, b) => promised(a) - promised(b))[0]
}
