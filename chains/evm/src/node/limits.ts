/**
 * Limits of a provider, learned from its refusals: requests per call, blocks per log query. Providers word and change
 * them differently; the learned limits are kept while the node is open.
 */

export interface Limits {
  /** The maximum number of requests per HTTP call. */
  batch: number
  /** Maximum blocks per log query. */
  logBlocks: number
  /** The block limit that the node itself named; it is not exceeded again. */
  saidBlocks: number
  /** Full-size queries that succeeded since the limit was lowered. */
  taken: number
}

export function newLimits(batch: number, logBlocks: number): Limits {
  return { batch, logBlocks, saidBlocks: logBlocks, taken: 0 }
}

/**
 * After this many full-size queries the range is doubled again: the refusal may have been about a busy hour with too
 * many results.
 */
const WIDEN_AFTER = 50

/** Called when a query over `asked` blocks was refused: the next query asks for fewer. */
export function narrow(limits: Limits, asked: number, message: string): void {
  const said = blocksIn(message)
  if (said !== null && said < asked) limits.saidBlocks = Math.min(limits.saidBlocks, said)
  limits.logBlocks = Math.max(1, Math.min(limits.logBlocks, limits.saidBlocks, Math.floor(asked / 2)))
  if (said !== null && said < asked) limits.logBlocks = Math.max(limits.logBlocks, said)
  limits.taken = 0
}

export function widen(limits: Limits, asked: number): void {
  if (asked < limits.logBlocks || limits.logBlocks >= limits.saidBlocks) return
  limits.taken += 1
  if (limits.taken < WIDEN_AFTER) return
  limits.logBlocks = Math.min(limits.saidBlocks, limits.logBlocks * 2)
  limits.taken = 0
}

/** The number of blocks that a refusal names; null if it names none, or a number of results instead. */
function blocksIn(message: string): number | null {
  const found =
    /([\d,]+)[- ]blocks?\b/i.exec(message) ??
    /exceeds (?:the )?limit of ([\d,]+)/i.exec(message) ??
    /(?:block )?range[^\d]{0,40}?([\d,]+)(?!\S*x)/i.exec(message)
  const number = Number(found?.[1]?.replaceAll(',', ''))
  return Number.isSafeInteger(number) && number > 0 ? number : null
}
