/**
 * The signing state of this process: which journal it uses, its writer row in the database, and whether signing is
 * stopped.
 */
import type { StopCode } from '../journal/line.ts'
import type { OrderSigner } from './orders.ts'

export interface Signing {
  /** Null in a process that does not sign. */
  orders: OrderSigner | null
  /** Id of the database; a restored backup has the same id. */
  database: string
  /** Id of this process's row of counters in the database. Each process that writes is a *writer*. */
  writer: string
  /** The highest counter that the database has confirmed to this process. */
  seen: bigint
  /** Why nothing is signed and no swap is accepted; null in normal operation. */
  stopped: StopCode | null
  /** When the journal or the signer process last worked; null in a process that does not sign. */
  workedAt: Date | null
}

/** Longer than a restart of the signer process takes. */
const SILENT_MS = 15_000

/** Whether this process can have orders signed; null if it does not sign. */
export function canSign({ orders, workedAt }: Signing, now: Date): boolean | null {
  if (!orders || !workedAt) return null
  return now.getTime() - workedAt.getTime() < SILENT_MS
}
