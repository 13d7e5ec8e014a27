/** A violation of an invariant at the end of a run. */
export interface Problem {
  what: string
  /** The number of the swap. */
  swap: number | null
}
