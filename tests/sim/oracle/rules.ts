/**
 * Rules of the oracle for which specification and code may differ for a while: each is a switch, so that the code can
 * follow the specification rule by rule. This is the only place that knows about it.
 */

export interface Rules {
  /**
   * `docs/rules.md`, "How much is swapped": a sum of nine tenths is swapped, more than asked is swapped whole, a
   * smaller sum inside the limits is swapped at the window's end. Off: only what was asked for is ever swapped, parts below
   * it go back, and so does an excess.
   */
  swapsWhatArrives: boolean
  /** `docs/rules.md`, "How long a price holds": a quoted price gives way where it is worse for us than today's by more than this. */
  quoteDeviationBps: bigint
  /** `docs/rules.md`, "Which swap a deposit belongs to": first the waiting swap whose amount it equals. Off: the newest waiting one. */
  matchesEqualAmount: boolean
  /** Confirmations by all of a swap's money that is not final yet (M10). Off: by each deposit alone. */
  tierOfSum: boolean
  /** A foreign deposit above the maximum does not close another user's swap (M19). */
  strangersNeverClose: boolean
}

const SPECIFICATION: Rules = {
  swapsWhatArrives: true,
  quoteDeviationBps: 100n,
  matchesEqualAmount: true,
  tierOfSum: true,
  strangersNeverClose: true,
}

/**
 * The rules that runs are judged by: the specification, less what the code does otherwise today, which is nothing. A line
 * would be taken out here when the code has come up to it.
 */
export const RULES: Rules = SPECIFICATION

/** Of a request, in hundredths: from there on a sum is swapped without waiting for the window's end. */
export const TOP_UP_PERCENT = 90n
/** The re-quote window before money is refunded for its price. */
export const ASKED_AGAIN_MS = 30 * 60_000
