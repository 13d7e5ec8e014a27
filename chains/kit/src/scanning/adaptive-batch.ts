/**
 * Adaptive batch size of a scan: fewer blocks after a scan that failed or was slow, more after a quick one. So a slow
 * node still makes progress and a quick one soon catches up. The caller passes in the clock.
 */

export interface AdaptiveBatch {
  /** The number of blocks, or of the family's own unit, that the next scan may read. */
  blocks: number
  most: number
  /** The time of a monotonic clock, in milliseconds. */
  now(): number
}

/** Well below the timeout of a scan: a batch that takes this long is made smaller. */
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

/** Halves the batch. Based on the requested size, so that two concurrent scans have the effect of one. */
function slower(pace: AdaptiveBatch, asked: number): void {
  pace.blocks = Math.max(1, Math.min(pace.blocks, Math.floor(asked / 2)))
}
