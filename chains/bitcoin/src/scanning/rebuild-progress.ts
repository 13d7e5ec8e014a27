/** State between two scans while our coins are read from the node; `rebuild.ts` reads and fills it. */
import type { Utxo } from '@causeway/core'

export interface Snapshot {
  edition: bigint
  /** The head before our addresses were listed: later ones had nothing up to there. */
  before: { height: number; hash: string }
  /** The block of these coins. */
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
