/** Types of the tables of deposit addresses, observed balances, checks of networks, and shortfalls of halted wallets. */
import type { ColumnType, Generated } from 'kysely'
import type { Maybe, Time } from './schema-operators.ts'

export type Units = ColumnType<bigint, bigint, bigint>

/** The state of a network: it can be read, its blocks are old, no node answers, or it was not read yet. */
export type NetworkState = 'up' | 'behind' | 'down' | 'unknown'

export interface WatchSchema {
  open_address: { swap_id: string; client: string; until: Date; within: Generated<string[]> }
  network_check: { network: string; day: string; checks: number; good: number; state: NetworkState; at: Date }
  canary: {
    network: string
    method: string
    worked: boolean
    tried_at: Date
    worked_at: Maybe<Date>
    failures: Generated<bigint>
    problem: Maybe<string>
  }
  deposit_address: {
    id: Generated<string>
    network: string
    account: string
    branch: Generated<number>
    index: number
    address: string
    purpose: string
    ordinal: Generated<number>
    created_at: Time
    client_group: Maybe<number>
  }
  allowance_spent: { network: string; account: string; daily_units: Units; at: Time; once_units: Units }
  reconciliation: {
    network: string
    account: string
    token: string
    chain_units: bigint
    ledger_units: bigint
    opened: boolean
    short: Generated<boolean>
    since_block: Maybe<bigint>
    since_at: Maybe<Date>
    at: Time
    block_number: Maybe<bigint>
    seen_at: Maybe<Date>
    found_units: Maybe<bigint>
    found_block: Maybe<bigint>
    found_verified: Generated<boolean>
    surplus_units: Maybe<bigint>
  }
  halt_difference: {
    network: string
    account: string
    token: string
    units: Units
    block_number: Maybe<bigint>
    at: Time
  }
}
