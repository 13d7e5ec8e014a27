/** State between two scans while our UTXOs are read from the node; `rebuild.ts` reads and fills it. */
import type { Utxo } from '@causeway/core'

export interface Snapshot {
  edition: bigint
  /** The head before our addresses were listed. Addresses created later had no coins up to this block. */
  before: { height: number; hash: string }
  /** The block of these UTXOs. */
  at: { height: number; hash: string }
  coins: Utxo[]
}

export interface Rebuilding {
  running: bigint | null
  found: Snapshot | null
  /** After a failure, the time before which the read is not repeated. */
  restsUntil: number
}

export function openRebuilding(): Rebuilding {
  return { running: null, found: null, restsUntil: 0 }
}
