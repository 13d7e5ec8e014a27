/** What is remembered between two scans: what the last one told, when it asked, and when something came; `watch.ts` fills it. */
import type { Scan } from '@causeway/core'

export interface ScanMemory {
  last: Scan | null
  askedAt: number
  changedAt: number
}

export function openScanMemory(now: number): ScanMemory {
  return { last: null, askedAt: 0, changedAt: now }
}
