/**
 * What is remembered of each deposit address, and how often it may be looked at. Gateways count what they are asked: the balance
 * is the cheap first look, and the ledger is read only where it changed.
 */
import { boundedMap } from '@causeway/chain-kit'
import type { Address, TxHash } from '@causeway/core'
import { openWeightBucket } from '../node/token-bucket.ts'
import { hashFor, placeKey, type Received } from './received.ts'

interface Look {
  /** The balances as they were when the ledger was read last; null before the first time. */
  signature: string | null
  /** What came, by its place; those that the last cursors named are `stored`. */
  arrivals: Map<string, Remembered>
  /** When somebody looked last. */
  at: number
  /** When the ledger was read last. */
  readAt: number
  /** How often in a row the balance did not bear out what the ledger says. */
  disagreed: number
  /** What a long ledger comes to, up to a moment: it is read on from there. Null where it is short, or may have begun anew. */
  settled: Settled | null
  /** A ledger that was dear to read is not read again before. */
  restsUntil: number
}

export interface Settled {
  /** In milliseconds; rows of this moment are in the sums. */
  to: number
  /** By contract. */
  sums: ReadonlyMap<string | null, bigint>
}

export interface Remembered extends Received {
  /** Whoever keeps the cursor has it: it need not be told again. */
  isStored: boolean
}

export interface AddressCache {
  of(address: Address): Look
  /** Whether all that makes up these balances was read of late, borne out, and is stored by whoever keeps the cursor. */
  isTold(address: Address, signature: string): boolean
  /** Its ledger is read at the next look, whatever the balance says. */
  forget(address: Address): void
  /** Where a transaction brought something. */
  placesOf(hash: TxHash): Address[]
  remember(look: Look, arrivals: readonly Received[]): void
  /** Takes note that these were stored. */
  store(told: Iterable<string>): void
  storeAll(): void
  /** Whether so much may be spent now; it is taken where it may. */
  spend(weight: number): boolean
  /** Takes what was spent already, and goes into debt for it. */
  charge(weight: number): void
}

/** Some kilobytes each at most. */
const MOST_ADDRESSES = 20_000
const MOST_PLACES = 200_000
/** Another process may have swept it since, and as much come again. */
const TOLD_FOR_MS = 600_000
/** Dust may be sent by anybody, as often as they like. */
const MOST_ARRIVALS = 1_000

export function openAddressCache(weightPerMinute: number, now: () => number): AddressCache {
  const looks = boundedMap<Address, Look>(MOST_ADDRESSES)
  const byHash = new Map<TxHash, Set<Address>>()
  const byPlace = new Map<string, Remembered>()
  const bucket = openWeightBucket(weightPerMinute, weightPerMinute / 2, now)
  return {
    of(address) {
      const known = looks.get(address) ?? newLook()
      looks.delete(address)
      looks.set(address, known)
      return known
    },
    isTold(address, signature) {
      const known = looks.get(address)
      if (!known || known.signature !== signature || now() - known.at > TOLD_FOR_MS) return false
      return known.disagreed === 0 && [...known.arrivals.values()].every(({ isStored }) => isStored)
    },
    forget(address) {
      const known = looks.get(address)
      if (known) Object.assign(known, { signature: null, settled: null })
    },
    placesOf: (hash) => [...(byHash.get(hash) ?? [])],
    remember(look, arrivals) {
      for (const arrival of arrivals) {
        const key = placeKey(arrival)
        if (look.arrivals.has(key)) continue
        const kept = { ...arrival, isStored: false }
        look.arrivals.set(key, kept)
        byPlace.set(key, kept)
        const hash = hashFor(arrival.row, arrival.to)
        byHash.set(hash, (byHash.get(hash) ?? new Set()).add(arrival.to))
      }
      trim(look.arrivals, MOST_ARRIVALS, ({ isStored }) => isStored)
      trim(byPlace, MOST_PLACES, ({ isStored }) => isStored)
      trim(byHash, MOST_PLACES, () => true)
    },
    store(told) {
      for (const key of told) {
        const kept = byPlace.get(key)
        if (kept) kept.isStored = true
      }
    },
    storeAll() {
      for (const kept of byPlace.values()) kept.isStored = true
    },
    spend: (weight) => bucket.spend(weight),
    charge: (weight) => bucket.charge(weight),
  }
}

function newLook(): Look {
  return { signature: null, arrivals: new Map(), at: 0, readAt: 0, disagreed: 0, settled: null, restsUntil: 0 }
}

/** The oldest go first; what nobody has stored yet stays, however much of it there is. */
function trim<T>(map: Map<string, T>, most: number, isDone: (value: T) => boolean): void {
  for (const [key, value] of map) {
    if (map.size <= most) return
    if (isDone(value)) map.delete(key)
  }
}
