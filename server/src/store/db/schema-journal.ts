/** Types of the tables of signed transactions, and of the link between the database and the signing journal. */

import type { ExchangeScope, PayoutKind } from '@causeway/core'
import type { ColumnType, Generated } from 'kysely'
import type { Maybe, Time } from './schema-operators.ts'

/**
 * Why signing is stopped: the database was rolled back, the journal is older than the database, or the journal is
 * missing.
 */
export type StopCode = 'rolled_back' | 'journal_behind' | 'without_journal'

/** The real kind of a *recorded* payout, one that was restored from the journal. */
export type RecordedKind = Exclude<PayoutKind, 'recorded'> | 'cancel'

export interface JournalSchema {
  /** One row: the exchanges that the signer allows; null allows all. */
  exchange_scope: {
    singleton: Generated<boolean>
    scope: ColumnType<ExchangeScope | null, string | null, string | null>
  }
  attempt: {
    slot_id: bigint
    number: number
    hash: string
    bytes: string
    created_at: Time
    /** When a node accepted the transaction last and first, and when every node permanently rejected it. */
    sent_at: Maybe<Date>
    accepted_at: Maybe<Date>
    refused_at: Maybe<Date>
    cancels: Generated<boolean>
    fee_ceiling: Maybe<bigint>
    journal_n: Maybe<bigint>
    journal_hash: Maybe<string>
  }
  writer: {
    id: string
    n: Generated<bigint>
    signs: boolean
    /** The branch in which the process derives deposit addresses; null until a signing process has given it one. */
    branch: Maybe<number>
    has_keys: Generated<boolean>
    last_index: Generated<number>
    started_at: Time
    beat_at: ColumnType<Date, Date | undefined, Date>
    ended_at: Maybe<Date>
  }
  journal: {
    id: string
    database_id: string
    one: Generated<boolean>
    state: ColumnType<'running' | StopCode, 'running' | StopCode | undefined, 'running' | StopCode>
    adopted_to: Generated<bigint>
    resumed_by: Maybe<string>
    resume_line: Maybe<bigint>
  }
  recorded_payout: {
    payout_id: string
    kind: RecordedKind
    swap_id: Maybe<string>
    campaign: Maybe<string>
    journal_n: bigint
    met: Generated<boolean>
  }
  settled_key: { key: string; payout_id: string }
}
