/** A breach of what must be true at the end of a run. */
export interface Problem {
  what: string
  /** The number of the swap. */
  swap: number | null
}
