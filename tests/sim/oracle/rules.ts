/**
 * Rules in which specification and code may differ for a while: each is a switch, so that the code can follow rule by
 * rule. Nothing else knows about the differences.
 */

export interface Rules {
  /**
   * `docs/rules.md`, "How much is swapped": nine tenths are swapped, an excess is swapped whole, and a smaller sum
   * inside the limits is swapped at the end of the window. Off: only the requested amount is swapped; smaller sums and
   * excesses are returned.
   */
  swapsWhatArrives: boolean
  /**
   * `docs/rules.md`, "How long a price holds": a quote is not used if it is worse for us than today's price by more
   * than this.
   */
  quoteDeviationBps: bigint
  /**
   * `docs/rules.md`, "Which swap a deposit belongs to": first the waiting swap with the same amount. Off: the newest
   * waiting one.
   */
  matchesEqualAmount: boolean
  /** Confirmations for the sum of a swap's unfinal deposits (M10). Off: for each deposit alone. */
  tierOfSum: boolean
  /** A third party's deposit above the maximum does not close another user's swap (M19). */
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
 * The rules that runs are judged by: the specification, without differences today. A rule that the code does not follow
 * yet would be switched off here.
 */
export const RULES: Rules = SPECIFICATION

/** Percentage of the request from which a sum is swapped before the end of the window. */
export const TOP_UP_PERCENT = 90n
/** How long the price is retried before the refund. */
export const ASKED_AGAIN_MS = 30 * 60_000
