/** Types of the tables of deposits, node reports and scheduled inspections. */
import type { BlockState, Deposit, LookClass, Observer } from '@causeway/core'
import type { ColumnType, Generated } from 'kysely'
import type { Maybe, Time } from './schema-operators.ts'

/** An operator's decision on an unmatched deposit, once it is carried out. */
type Resolution = 'assigned' | 'refunded' | 'ignored' | 'recorded' | 'capital'

export interface DepositTable {
  id: Generated<string>
  network: string
  tx_hash: string
  index: number
  block_number: bigint | null
  block_hash: string | null
  from_address: string | null
  senders: Generated<string[]>
  alias: Maybe<string>
  to_address: string
  token: string
  units: ColumnType<bigint, bigint, bigint>
  reference: bigint | null
  replaced: Generated<boolean>
  swap_id: string | null
  state: Deposit['state']
  output_units: Generated<bigint>
  refund_units: Generated<bigint>
  confirmations_wanted: number
  seen_at: Time
  /** The block's timestamp; null if the chain does not report it. */
  block_at: Maybe<Date>
  confirmed_at: Maybe<Date>
  final: Generated<boolean>
  swept_by: Maybe<string>
  emptied: Generated<boolean>
  /** The deposit is known only from a balance at a block, so it is credited when that block is final. */
  final_only: Generated<boolean>
  resolution: Maybe<Resolution>
  refund_address: Maybe<string>
}

/** A node's report about a transaction with deposits. */
interface DepositObservationTable {
  id: Generated<bigint>
  network: string
  tx_hash: string
  generation: bigint
  head: bigint
  by: Observer
  kind: 'seen' | 'absent'
  block_number: bigint | null
  block_hash: string | null
  confirmations: number
  transfers: string
  at: Time
}

/** The state of a block that observations name: canonical, orphaned or unverified. */
interface DepositBlockTable {
  network: string
  hash: string
  number: bigint
  state: BlockState
  generation: bigint
  since: bigint
}

/** A transaction that must be inspected, and why. *Look* in table names means an inspection by a node. */
interface DepositLookTable {
  id: Generated<string>
  network: string
  tx_hash: string
  class: LookClass
  due: bigint
  since: bigint
}

export interface DepositSchema {
  deposit: DepositTable
  deposit_observation: DepositObservationTable
  deposit_block: DepositBlockTable
  deposit_look: DepositLookTable
}
