/**
 * The account that a transaction paid, found by its hash, if the network's file names an explorer. Only a hint: the
 * ledger decides.
 */
import { httpRequest } from '@causeway/chain-kit'
import type { Address, OpenOptions, TxHash } from '@causeway/core'
import { parseAddress } from '../address.ts'
import type { Settings } from '../settings.ts'
import { openWeightBucket } from './token-bucket.ts'

export interface Explorer {
  /** The account that it paid; null if the explorer does not say. `not asked`: there is no budget for a request now. Never throws. */
  paidBy(hash: TxHash): Promise<Address | null | 'not asked'>
}

/** What gateways count for a request to the explorer, by their documents. */
const EXPLORER_WEIGHT = 40
/**
 * The explorer's part of `weight_per_minute`, in addition to the scan's own: strangers' hints cause these requests, so they must
 * take nothing from the scan. Nothing waits for it either, or hints would queue: they are dropped, and the scan finds the deposit.
 */
const PART = 8
/** The most, however much an own gateway allows: the explorer stays a public one. */
const MOST_PER_MINUTE = 300
/** The least at once, even with a small budget. */
const LEAST_AT_ONCE = 2

export function openExplorer(settings: Settings, spent: OpenOptions['spent'], now: () => number): Explorer {
  const { explorerUrl, requestTimeoutMs: timeoutMs, weightPerMinute } = settings
  if (explorerUrl === null) return { paidBy: async () => null }
  const endpoint = { name: new URL(explorerUrl).host, url: explorerUrl, timeoutMs }
  const perMinute = Math.min(weightPerMinute / PART, MOST_PER_MINUTE)
  const bucket = openWeightBucket(perMinute, Math.max(LEAST_AT_ONCE * EXPLORER_WEIGHT, perMinute), now)
  return {
    async paidBy(hash) {
      if (!bucket.spend(EXPLORER_WEIGHT)) return 'not asked'
      spent?.('txDetails', EXPLORER_WEIGHT)
      try {
        const answer = await httpRequest(fetch, endpoint, { type: 'txDetails', hash }, (response) => response.json())
        const { tx } = (answer ?? {}) as { tx?: { action?: { destination?: unknown } } }
        const destination = tx?.action?.destination
        return typeof destination === 'string' ? parseAddress(destination) : null
      } catch {
        return null
      }
    },
  }
}
