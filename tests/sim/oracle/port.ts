/** What the rest of a run knows of the oracle. */
import type { Token } from '@causeway/core'
import type { Problem } from '../check/problem.ts'
import type { Life } from '../world/process.ts'
import type { Chronicle, PayoutEntry } from './chronicle.ts'

/** What a user asks a process for. */
export interface AskedFor {
  source: Token
  destination: Token
  refuel: boolean
  /** Null where any amount is taken. */
  units: bigint | null
  destinationAddress: string
  sourceAddress: string | null
  refundAddress: string | null
  usesDepositAddress: boolean
  slippage: bigint
}

export interface Oracle {
  readonly problems: readonly Problem[]
  readonly record: Chronicle
  /** What a payout is for, the same for whatever its row is called. */
  purposeOf(payout: PayoutEntry): string
  /** A user is about to ask this life for a swap. */
  ask(life: Life, request: AskedFor): void
  /** A user says where these deposits may be sent back to. */
  allow(depositIds: readonly string[], address: string): void
  /** A person says where a deposit of nobody is to be sent. */
  allowUnmatched(depositId: string, address: string): void
  /** Judges what this life has committed since the last look. */
  observe(life: Life): Promise<void>
  /** Judges what the chains show now. */
  look(): void
}
