/** What may be spent of a gateway's budget: it fills up with time, and what was not spent is not saved up without end. */
export interface Purse {
  /** Whether so much may be spent now; it is taken where it may. */
  spend(weight: number): boolean
  /** Takes what was spent already, and goes into debt for it. */
  charge(weight: number): void
}

const MINUTE_MS = 60_000

export function openPurse(perMinute: number, most: number, now: () => number): Purse {
  let purse = most
  let filledAt = now()

  function fill(): void {
    const at = now()
    purse = Math.min(most, purse + (Math.max(0, at - filledAt) * perMinute) / MINUTE_MS)
    filledAt = at
  }

  return {
    charge(weight) {
      fill()
      purse -= weight
    },
    spend(weight) {
      fill()
      if (purse < weight) return false
      purse -= weight
      return true
    },
  }
}
