/** Types of the tables of holds and of the operators' answers. */
import type { HoldCode } from '@causeway/core'
import type { ColumnType, Generated } from 'kysely'
import type { Maybe } from './schema-operators.ts'

/**
 * The class of a payout's open hold. Holds by a rule or a reorg stay until they end; trouble is given up after a time.
 */
export type HeldBy = 'rule' | 'trouble' | 'undone'

export type Answer = 'approve' | 'reject' | 'pay_again' | 'was_paid' | 'release' | 'cancel'

export interface HoldSchema {
  hold: {
    id: Generated<string>
    sequence: ColumnType<bigint, never, never>
    payout_id: Maybe<string>
    deposit_id: Maybe<string>
    network: Maybe<string>
    account: Maybe<string>
    code: HoldCode
    params: ColumnType<Record<string, unknown>, string, never>
    detail: Maybe<string>
    needs_person: boolean
    opened_at: Date
    recheck_at: Maybe<Date>
    closed_at: Maybe<Date>
    answered_at: Maybe<Date>
    runs_clock: Generated<boolean>
  }
  decision: {
    id: ColumnType<bigint, never, never>
    hold_id: Maybe<string>
    slot_id: Maybe<bigint>
    attempts: Maybe<number>
    answer: Answer
    params: ColumnType<Record<string, unknown>, string | undefined, never>
    by: string
    request_id: Maybe<string>
    at: Date
  }
}
