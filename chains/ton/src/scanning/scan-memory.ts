/** Cache between two scans: the last result, when it was read, and when something last arrived; `watch.ts` fills it. */
import type { Scan } from '@causeway/core'

export interface ScanMemory {
  last: Scan | null
  askedAt: number
  changedAt: number
}

export function openScanMemory(now: number): ScanMemory {
  return { last: null, askedAt: 0, changedAt: now }
}
