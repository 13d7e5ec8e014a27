/** A deposit as the queries see it. */
import type { Deposit } from '@causeway/core'
import type { ColumnType, Generated } from 'kysely'
import type { Maybe, Time } from './schema-operators.ts'

/** An operator's decision on an unmatched deposit, once it is carried out. */
type Resolution = 'assigned' | 'refunded' | 'ignored'

export interface DepositTable {
  id: Generated<string>
  network: string
  tx_hash: string
  index: number
  block_number: bigint | null
  block_hash: string | null
  missing_from: Maybe<bigint>
  /** The scan's height when its block was replaced, or when a node last located it. */
  shaken_at: Maybe<bigint>
  /** An alert was raised that no node can locate it. */
  shaken_told: Generated<boolean>
  /** Orphaned blocks that contained it: an answer that names one of them proves nothing. */
  replaced_blocks: Generated<string[]>
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
  /** Its block's own time; null if the chain does not report it. */
  block_at: Maybe<Date>
  confirmed_at: Maybe<Date>
  final: Generated<boolean>
  swept_by: Maybe<string>
  emptied: Generated<boolean>
  /** Known by its block: it counts when that is final. */
  final_only: Generated<boolean>
  resolution: Maybe<Resolution>
  refund_address: Maybe<string>
}
