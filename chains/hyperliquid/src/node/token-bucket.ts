/** Token bucket for a gateway's request budget: it refills over time up to a maximum. */
export interface WeightBucket {
  /** Takes this weight if it may be spent now; true if it was taken. */
  spend(weight: number): boolean
  /** Takes weight that was already spent, and may go into debt. */
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
