/** The state of one node, as its callers in this process see it. */
export interface NodeHealth {
  name: string
  /** The kind of the last failure; null if the last call worked. */
  trouble: string | null
  /** Failed calls since the last one that worked. */
  failures: number
  /** How often a quorum of other nodes contradicted this node. */
  differed: number
  /** Whether the node is in backoff and not asked now. */
  rests: boolean
}
