/** Lets so many pass at once; the others wait in line. So a scan that found a hundred deposits knocks no node over. */
export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>

export function turnstile(places: number): Turnstile {
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
