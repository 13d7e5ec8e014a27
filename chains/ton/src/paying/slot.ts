/**
 * The replay slot of this family: a query id of the treasury's contract and the time from which it is valid. The time
 * is part of it: every message signed in a slot expires at the same time, before the contract forgets the query id.
 */
import { Bug, type Slot } from '@causeway/core'
import { TIMEOUT } from './treasury.ts'

export interface Query {
  id: number
  /** Chain time in unix seconds. */
  createdAt: number
}

/** A query id is a 13-bit shift and a bit number below 1023; the contract keeps 1023 bits under each shift. */
const SHIFTS = 8_192
const BITS = 1_023
const QUERIES = SHIFTS * BITS
/**
 * How many query ids per second the next one is ahead of the time. Ids follow the time. A lost or restored database
 * does not know which ids were allocated since, and the contract rejects an id that it remembers. So the next id is
 * beyond everything that this many per second could have used.
 */
const HEAD_START_PER_SECOND = 2

export function slotOf({ id, createdAt }: Query): Slot {
  return [`${id}@${createdAt}`]
}

export function queryOf(slot: Slot): Query {
  const [part, ...more] = slot
  // Each id has one spelling: otherwise the same one could be allocated, or signed for, twice.
  const match = /^(0|[1-9]\d{0,6})@(0|[1-9]\d{0,9})$/.exec(part ?? '')
  const [id, createdAt] = [Number(match?.[1]), Number(match?.[2])]
  const isId = id % 1_024 < BITS && id < SHIFTS * 1_024
  if (!match || !isId || more.length > 0) throw new Bug('not a slot of this family', { slot })
  return { id, createdAt }
}

/** The query id after the newest allocated one, or the one that the time has reached. */
export function nextQuery(taken: readonly Slot[], createdAt: number): Query {
  const ordinals = taken.map((slot) => ordinalOf(queryOf(slot).id))
  const byTime = (createdAt * HEAD_START_PER_SECOND) % QUERIES
  const [first, ...rest] = ordinals
  if (first === undefined) return { id: idAt(byTime), createdAt }
  const newest = rest.reduce((latest, ordinal) => (isAhead(ordinal, latest) ? ordinal : latest), first)
  const next = (newest + 1) % QUERIES
  return { id: idAt(isAhead(byTime, next) ? byTime : next), createdAt }
}

/** The chain time from which the contract accepts no message of the slot. */
export function expiryOf({ createdAt }: Query): number {
  return createdAt + TIMEOUT
}

/** Whether an ordinal is later. Ids wrap around: one that is less than half a round ahead is later. */
function isAhead(ordinal: number, latest: number): boolean {
  const ahead = (ordinal - latest + QUERIES) % QUERIES
  return ahead > 0 && ahead < QUERIES / 2
}

function idAt(ordinal: number): number {
  return Math.floor(ordinal / BITS) * 1_024 + (ordinal % BITS)
}

function ordinalOf(id: number): number {
  return Math.floor(id / 1_024) * BITS + (id % 1_024)
}
