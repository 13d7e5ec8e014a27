/** Cache of the mempool between two scans; `mempool.ts` reads and fills it. */
import type { Sighting } from '@causeway/core'

export interface MempoolWatch {
  /** Transactions that were read and still wait, with the deposits in them. */
  read: Map<string, Sighting[]>
}

export function openMempoolWatch(): MempoolWatch {
  return { read: new Map() }
}
