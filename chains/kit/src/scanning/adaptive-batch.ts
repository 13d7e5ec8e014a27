/**
 * How much of a chain one scan reads: as much as its nodes answer within a moment. Fewer blocks after a scan that failed or took
 * long, more after one that was quick, so that a slow node still gets on and a quick one soon catches up. Knows no clock of
 * its own.
 */

export interface AdaptiveBatch {
  /** Blocks, or whatever else the family counts, that the next scan may read. */
  blocks: number
  most: number
  /** Milliseconds of a clock that only goes forward. */
  now(): number
}

/** Well below what a watcher gives a scan before it is given up: what takes so long is asked for in smaller parts. */
const SLOW_MS = 10_000
const QUICK_MS = 4_000

export function adaptiveBatch(most: number, now: () => number): AdaptiveBatch {
  return { blocks: most, most, now }
}

export async function readAdaptively<T>(pace: AdaptiveBatch, read: () => Promise<T>): Promise<T> {
  const startedAt = pace.now()
  const asked = pace.blocks
  try {
    const result = await read()
    const tookMs = pace.now() - startedAt
    if (tookMs > SLOW_MS) slower(pace, asked)
    else if (tookMs < QUICK_MS) pace.blocks = Math.min(pace.most, pace.blocks * 2)
    return result
  } catch (error) {
    slower(pace, asked)
    throw error
  }
}

/** By what was asked for: two scans at once teach the same. */
function slower(pace: AdaptiveBatch, asked: number): void {
  pace.blocks = Math.max(1, Math.min(pace.blocks, Math.floor(asked / 2)))
}
