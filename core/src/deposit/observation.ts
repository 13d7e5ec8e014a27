/** Observations: reports of nodes about one transaction, and which report is newer. Observations are never changed. */
import type { Address, TxHash } from '../money/address.ts'
import type { BlockRef } from '../money/block.ts'

/** One transfer to us inside a transaction. */
export interface DepositTransfer {
  index: number
  /** `tokenKey` of the token. */
  token: string
  to: Address
  from: Address | null
  senders: readonly Address[]
  units: bigint
  reference: bigint | null
  alias: TxHash | null
  doubt: string | null
  requiresFinality: boolean
}

/**
 * The scan's clock. `generation` counts the reorgs that the scan stored, `head` is the scan's position. Both are read
 * before the node is asked.
 */
export interface ScanClock {
  generation: bigint
  head: bigint
}

export type Observation = Seen | Absent

/**
 * A node shows the transaction with these transfers to us. A reverted transaction is in a block and has no transfers.
 */
export interface Seen {
  kind: 'seen'
  by: Observer
  clock: ScanClock
  /** Null while the transaction is in the mempool. */
  block: BlockRef | null
  confirmations: number
  transfers: readonly DepositTransfer[]
}

/** The node does not know the transaction. */
export interface Absent {
  kind: 'absent'
  by: Observer
  clock: ScanClock
}

/**
 * Who reported. A scan or a hint proves what it shows, not what it omits. An inspection shows all transfers of the
 * transaction.
 */
export type Observer = 'hint' | 'scan' | 'inspection'

const OBSERVERS: readonly Observer[] = ['hint', 'scan', 'inspection']

/** Newer clocks win. At equal clocks a sighting beats an absence, and an inspection beats a scan, which beats a hint. */
export function compareObservations(a: Observation, b: Observation): number {
  return (
    sign(a.clock.generation, b.clock.generation) ||
    sign(a.clock.head, b.clock.head) ||
    sign(a.kind === 'seen' ? 1 : 0, b.kind === 'seen' ? 1 : 0) ||
    sign(OBSERVERS.indexOf(a.by), OBSERVERS.indexOf(b.by)) ||
    // Reports of equal rank are sorted in a fixed way, so that the order of arrival does not matter.
    sign(confirmationsOf(a), confirmationsOf(b)) ||
    sign(textOf(a), textOf(b))
  )
}

/**
 * Whether an observation must be stored. A repetition of the previous one is not stored, unless it completes a run of
 * absences or reaches a required depth. `depths`: the confirmations that the tiers require.
 */
export function isWorthStoring(
  stored: readonly Observation[],
  next: Observation,
  finalDepth: number,
  depths: readonly number[],
): boolean {
  const before = stored.filter((one) => compareObservations(one, next) <= 0).sort(compareObservations)
  const last = before.at(-1)
  if (!last || last.clock.generation !== next.clock.generation || last.by !== next.by) return true
  const bucket = (one: Observation) => [finalDepth, ...depths].filter((depth) => depth <= confirmationsOf(one)).length
  if (contentOf(last) !== contentOf(next) || bucket(last) !== bucket(next)) return true
  const first = before[before.findLastIndex((one) => contentOf(one) !== contentOf(next)) + 1] ?? last
  const length = (one: Observation) => one.clock.head - first.clock.head
  return length(next) >= BigInt(finalDepth) && length(last) < BigInt(finalDepth)
}

function sign<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function confirmationsOf(one: Observation): number {
  return one.kind === 'seen' ? one.confirmations : 0
}

function contentOf(one: Observation): string {
  return one.kind === 'absent' ? '' : toJson([one.block, one.transfers])
}

function textOf(one: Observation): string {
  return toJson(one)
}

function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each))
}
