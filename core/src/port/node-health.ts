/** How a node of a network does, as those see it who ask it. */
export interface NodeHealth {
  name: string
  /** The kind of the last failure; null while all is well. */
  trouble: string | null
  /** Since it last worked. */
  failures: number
  /** How often others agreed on something else than it said. */
  differed: number
  rests: boolean
}
