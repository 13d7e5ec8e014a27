/** What is remembered between two scans while the coins of ours are read from the node; `rebuild.ts` reads and fills it. */
import type { Utxo } from '@causeway/core'

export interface Snapshot {
  edition: bigint
  /** The head before it was asked which addresses are ours: those that came later had nothing up to there. */
  before: { height: number; hash: string }
  /** The block of which the coins tell. */
  at: { height: number; hash: string }
  coins: Utxo[]
}

export interface Rebuilding {
  running: bigint | null
  found: Snapshot | null
  /** Not before this moment again, after a failure. */
  restsUntil: number
}

export function openRebuilding(): Rebuilding {
  return { running: null, found: null, restsUntil: 0 }
}
