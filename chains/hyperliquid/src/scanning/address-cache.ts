/**
 * Cached state of each deposit address, and how often it may be read. Gateways meter requests: the balance is the cheap
 * first check, and the ledger is read only if it changed.
 */
import { boundedMap } from '@causeway/chain-kit'
import type { Address, TxHash } from '@causeway/core'
import { openWeightBucket } from '../node/token-bucket.ts'
import { hashFor, placeKey, type Received } from './received.ts'

interface Look {
  /** The balances when the ledger was last read; null before the first time. */
  signature: string | null
  /** Received amounts by key; those named by the last cursors are marked as stored. */
  arrivals: Map<string, Remembered>
  /** When it was last checked. */
  at: number
  /** When the ledger was read last. */
  readAt: number
  /** How often in a row the balance did not match the ledger. */
  disagreed: number
  /**
   * Checkpoint of a long ledger: its sum up to a moment, from which reading continues. Null if it is short, or may have
   * been reset.
   */
  settled: Settled | null
  /** An expensive ledger is not read again before this time. */
  restsUntil: number
}

export interface Settled {
  /** The time in milliseconds; rows of this moment are included in the sums. */
  to: number
  /** Sums by contract; null for the native token. */
  sums: ReadonlyMap<string | null, bigint>
}

export interface Remembered extends Received {
  /** Whether the cursor that includes it is saved, so that it need not be reported again. */
  isStored: boolean
}

export interface AddressCache {
  of(address: Address): Look
  /** Whether everything behind these balances was read recently, matched, and is covered by a saved cursor. */
  isTold(address: Address, signature: string): boolean
  /** Forces a ledger read at the next check, whatever the balance says. */
  forget(address: Address): void
  /** The addresses that a transaction paid. */
  placesOf(hash: TxHash): Address[]
  remember(look: Look, arrivals: readonly Received[]): void
  /** Marks these credits as stored. */
  store(told: Iterable<string>): void
  storeAll(): void
  /** Takes this weight if it may be spent now; true if it was taken. */
  spend(weight: number): boolean
  /** The same for an address that is read because of a hint: hints have only a part, or strangers' would slow the scan. */
  spendOnHint(weight: number): boolean
  /** Takes weight that was already spent, and may go into debt. */
  charge(weight: number): void
}

/** Limit of cached addresses: a few kilobytes each at most. */
const MOST_ADDRESSES = 20_000
const MOST_PLACES = 200_000
/**
 * How long cached state is trusted: another process may have swept the address, and the same amount may have arrived
 * again.
 */
const TOLD_FOR_MS = 600_000
/** Limit of credits per address: anyone may send dust, any number of times. */
const MOST_ARRIVALS = 1_000

/** Hints may use this fraction of the budget. */
const HINT_PART = 4

export function openAddressCache(weightPerMinute: number, now: () => number): AddressCache {
  const looks = boundedMap<Address, Look>(MOST_ADDRESSES)
  const byHash = new Map<TxHash, Set<Address>>()
  const byPlace = new Map<string, Remembered>()
  const bucket = openWeightBucket(weightPerMinute, weightPerMinute / 2, now)
  const hints = openWeightBucket(weightPerMinute / HINT_PART, weightPerMinute / 2 / HINT_PART, now)
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
    spendOnHint: (weight) => hints.spend(weight) && bucket.spend(weight),
    charge: (weight) => bucket.charge(weight),
  }
}

function newLook(): Look {
  return { signature: null, arrivals: new Map(), at: 0, readAt: 0, disagreed: 0, settled: null, restsUntil: 0 }
}

/** Evicts the oldest first; entries that are not stored yet stay, however many there are. */
function trim<T>(map: Map<string, T>, most: number, isDone: (value: T) => boolean): void {
  for (const [key, value] of map) {
    if (map.size <= most) return
    if (isDone(value)) map.delete(key)
  }
}
