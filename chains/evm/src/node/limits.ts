/**
 * What a provider allows, found out by asking: how many requests in one call, how many blocks in one question for logs.
 * Each has its own words and numbers for it, and changes them; what was learned of a node is kept while it is open.
 */

export interface Limits {
  /** Requests in one HTTP call at most. */
  batch: number
  /** Blocks in one question for logs at most. */
  logBlocks: number
  /** What the node itself said of blocks; it is not asked for more again. */
  saidBlocks: number
  /** Full questions taken since the limit was lowered. */
  taken: number
}

export function newLimits(batch: number, logBlocks: number): Limits {
  return { batch, logBlocks, saidBlocks: logBlocks, taken: 0 }
}

/** A node that refused too many results at a busy hour may take twice as many blocks after so many full questions. */
const WIDEN_AFTER = 50

/** A refusal of so many blocks: the next question asks for fewer. */
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

/** The ways in which providers say that a question for logs covers too much. */
const TOO_WIDE =
  /block range|range (is )?too|too (large|wide|big)|more than [\d,]+ (results|logs|blocks)|[\d,]+[- ]block range|(results|logs|response size|blocks?) (exceed|limit|should not)|limit(ed)? to [\d,]+ (blocks?|results|logs)|maximum (block )?range|query (timeout|exceeds)|exceeds? max (results|block)/i

export function isTooWide(message: string): boolean {
  return TOO_WIDE.test(message)
}

/** The number of blocks that a refusal names; null where it names none, or results instead. */
function blocksIn(message: string): number | null {
  const found = /([\d,]+)[- ]blocks?\b/i.exec(message) ?? /(?:block )?range[^\d]{0,40}?([\d,]+)(?!\S*x)/i.exec(message)
  const number = Number(found?.[1]?.replaceAll(',', ''))
  return Number.isSafeInteger(number) && number > 0 ? number : null
}
