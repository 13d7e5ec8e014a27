/**
 * The replay slot: a nonce of the treasury, which is a time in milliseconds; for a sweep one nonce of each address that
 * it empties. The network keeps only the highest nonces of an account and rejects lower ones, so only a few may be open
 * at once.
 */
import { parseSourceKey, sourceKey } from '@causeway/chain-kit'
import { type Address, Bug, RetryLater, type Slot, type SweepSource } from '@causeway/core'
import { parseAddress } from '../address.ts'

export interface SlotPart {
  /** The swept address; null for the treasury. */
  source: SweepSource | null
  nonce: number
}

/**
 * How many nonces may be allocated above one that is still open. The network keeps at least twenty; this is half of
 * that.
 */
const MOST_ABOVE = 10

/** A nonce is valid while the block's time is less than this far from it. */
export const NONCE_LIFE_MS = 2 * 24 * 3_600_000
export const NONCE_AHEAD_MS = 24 * 3_600_000

export function formatPart({ source, nonce }: SlotPart): string {
  return source ? `${source.address}/${sourceKey(source)}:${nonce}` : `${nonce}`
}

export function partsOf(slot: Slot): SlotPart[] {
  const parts = slot.map((text) => partIn(text, slot))
  const isOfTreasury = parts.length === 1 && parts[0]?.source === null
  const isOfSweep = parts.length > 0 && parts.every(({ source }) => source !== null)
  if ((!isOfTreasury && !isOfSweep) || new Set(slot).size !== slot.length) {
    throw new Bug('not a slot of this family', { slot })
  }
  return parts
}

function partIn(text: string, slot: Slot): SlotPart {
  // Each nonce has one spelling: otherwise the same one could be allocated, or signed for, twice.
  const match = /^(?:(0x[0-9a-fA-F]{40})\/((?:[1-9]\d{0,9}\/)?(?:0|[1-9]\d{0,9})):)?([1-9]\d{0,14})$/.exec(text)
  if (!match) throw new Bug('not a slot of this family', { slot })
  const [, address, place = '', nonce] = match
  if (address === undefined) return { source: null, nonce: Number(nonce) }
  if (parseAddress(address) !== address) throw new Bug('not a slot of this family', { slot })
  return { source: { address, ...parseSourceKey(place) }, nonce: Number(nonce) }
}

/** The nonces of one account among allocated slots; null is the treasury. */
export function noncesOf(taken: readonly Slot[], account: Address | null): number[] {
  return taken
    .flatMap(partsOf)
    .filter(({ source }) => (source?.address ?? null) === account)
    .map(({ nonce }) => nonce)
}

/** The next nonce: the network's time, or one above the newest allocated nonce. */
export function nextNonce(used: readonly number[], timeMs: number): number {
  return used.reduce((next, nonce) => Math.max(next, nonce + 1), timeMs)
}

/**
 * Throws if the network might drop an open nonce from its window, because too many were allocated above it. It would
 * never accept that nonce, and only its expiry could settle the payout.
 */
export function refuseCrowded(open: readonly number[], known: ReadonlySet<number>): void {
  const oldest = open.reduce((least, nonce) => Math.min(least, nonce), Number.POSITIVE_INFINITY)
  const above = [...known].filter((nonce) => nonce >= oldest)
  if (above.length < MOST_ABOVE) return
  throw new RetryLater(
    `nonce ${oldest} is not used yet, and ${above.length} are allocated above it: the network remembers few`,
  )
}
