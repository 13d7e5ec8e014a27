/** What may be spent of a gateway's budget: it fills up with time, and what was not spent is not saved up without end. */
export interface WeightBucket {
  /** Whether so much may be spent now; it is taken where it may. */
  spend(weight: number): boolean
  /** Takes what was spent already, and goes into debt for it. */
  charge(weight: number): void
}

const MINUTE_MS = 60_000

export function openWeightBucket(perMinute: number, most: number, now: () => number): WeightBucket {
  let left = most
  let filledAt = now()

  function fill(): void {
    const at = now()
    left = Math.min(most, left + (Math.max(0, at - filledAt) * perMinute) / MINUTE_MS)
    filledAt = at
  }

  return {
    charge(weight) {
      fill()
      left -= weight
    },
    spend(weight) {
      fill()
      if (left < weight) return false
      left -= weight
      return true
    },
  }
}
