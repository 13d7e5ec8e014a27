/** Seeded random numbers: the same seed and the same calls give the same results. */

export interface Random {
  /** In [0, 1). */
  next(): number
  /** An integer, both ends included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** One of the names, with a probability by weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name
}

/** Mulberry32: small, fast, and good enough for simulation. */
export function randomFrom(seed: number): Random {
  let state = (seed * 2_654_435_761 + 1) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick(from) {
      const found = from[Math.floor(next() * from.length)]
      if (found === undefined) throw new Error('there is nothing to pick from')
      return found
    },
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      throw new Error('there is nothing to pick from')
    },
  }
}
