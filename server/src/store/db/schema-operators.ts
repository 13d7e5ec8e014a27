/** Types of the operators' tables, with helper types for columns that the database fills in or that may be null. */
import type { ColumnType } from 'kysely'

export type Time = ColumnType<Date, Date | undefined, Date>
export type Maybe<T> = ColumnType<T | null, T | null | undefined, T | null>

/** Roles in ascending order: each includes the ones before it. */
export type OperatorRole = 'viewer' | 'support' | 'operator' | 'admin'

export interface PeopleSchema {
  operator: {
    name: string
    role: OperatorRole
    public_key: string | null
    created_at: Time
    disabled_at: Maybe<Date>
    password: Maybe<string>
    code_secret: Maybe<string>
    code_step: Maybe<bigint>
    invite_hash: Maybe<string>
    invite_secret: Maybe<string>
    invite_until: Maybe<Date>
    invite_proven: ColumnType<boolean, boolean | undefined, boolean>
    is_founder: ColumnType<boolean, boolean | undefined, boolean>
  }
  operator_voucher: { operator: string; voucher: string; at: Time }
  dual_control: { one: ColumnType<boolean, boolean | undefined, never>; usd: number; at: Time }
  console_session: {
    hash: string
    operator: string
    token: string
    created_at: Date
    seen_at: Date
    proven_at: Date
  }
  login_failure: {
    id: ColumnType<bigint, never, never>
    name: string
    address: string
    site: string | null
    at: Date
  }
  operator_address: { name: string; address: string; at: Date }
  given_away: {
    id: ColumnType<bigint, never, never>
    object: Maybe<string>
    command: string
    actor: string
    usd: number
    at: Date
  }
}
