/** The oracle's interface for the rest of a run. */
import type { Token } from '@causeway/core'
import type { Problem } from '../check/problem.ts'
import type { Life } from '../world/process.ts'
import type { CommitRecord, PayoutEntry } from './commit-record.ts'

/** A user's request. */
export interface AskedFor {
  source: Token
  destination: Token
  refuel: boolean
  /** Null if any amount is accepted. */
  units: bigint | null
  destinationAddress: string
  sourceAddress: string | null
  refundAddress: string | null
  usesDepositAddress: boolean
  slippage: bigint
}

export interface Oracle {
  readonly problems: readonly Problem[]
  readonly record: CommitRecord
  /** The purpose of a payout, independent of its row id. */
  purposeOf(payout: PayoutEntry): string
  /** A user is about to request a swap from this simulated process. */
  ask(life: Life, request: AskedFor): void
  /** A user gives a refund address for these deposits. */
  allow(depositIds: readonly string[], address: string): void
  /** An operator decides where an unmatched deposit is sent. */
  allowUnmatched(depositId: string, address: string): void
  /** Judges what this simulated process has committed since the last call. */
  observe(life: Life): Promise<void>
  /** Judges the current state of the chains. */
  look(): void
}
