/**
 * Allows at most `places` concurrent calls; the others queue. A scan that found a hundred deposits must not overload a
 * node.
 */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

export function semaphore(places: number): Semaphore {
  const line: (() => void)[] = []
  let free = places
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else free += 1
    }
  }
}
