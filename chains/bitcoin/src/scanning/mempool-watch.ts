/** Cache of the mempool between two scans; `mempool.ts` reads and fills it. */
import type { Sighting } from '@causeway/core'

export interface MempoolWatch {
  /** Pending transactions that were read, with their deposits. */
  read: Map<string, Sighting[]>
}

export function openMempoolWatch(): MempoolWatch {
  return { read: new Map() }
}
