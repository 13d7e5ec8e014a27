/** A simulated screening service: its list grows, and sometimes it does not answer. */
import { RetryLater } from '@causeway/core'
import type { Screener } from '../../../server/src/screening/screener.ts'

export interface Listing {
  /** When each address was put on the list, in virtual milliseconds. */
  readonly listed: Map<string, number>
  /** How often it did not answer. */
  silences: number
  /** When it last answered about an address. */
  readonly heard: Map<string, number>
}

export function screenerOf(listing: Listing, isSilent: () => boolean, elapsedMs: () => number): Screener {
  return {
    name: 'simulated',
    async screen(suspects) {
      if (isSilent()) {
        listing.silences++
        throw new RetryLater('the screening service does not answer')
      }
      for (const { address } of suspects) listing.heard.set(address, elapsedMs())
      const hit = suspects.find(({ address }) => listing.listed.has(address))
      return hit ? { ...hit, reason: 'simulated' } : null
    },
  }
}
