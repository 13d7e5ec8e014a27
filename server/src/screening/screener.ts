/** The port of address screening: called at creation and again before a payout. */
import type { Address } from '@causeway/core'

interface Suspect {
  network: string
  address: Address
}

interface Hit extends Suspect {
  reason: string
}

export interface Screener {
  name: string
  /** The first denied address; null if all are clean. Throws `RetryLater` if the result is unknown. */
  screen(suspects: readonly Suspect[]): Promise<Hit | null>
}

/** Several screeners as one: the first hit counts. */
export function allOf(screeners: readonly Screener[]): Screener {
  return {
    name: screeners.map(({ name }) => name).join(', ') || 'none',
    async screen(suspects) {
      for (const screener of screeners) {
        const hit = await screener.screen(suspects)
        if (hit) return hit
      }
      return null
    },
  }
}
