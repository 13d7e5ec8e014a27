/**
 * Coins: pieces of money that are spent as a whole, where a chain has such. What of them is ours is kept in the database, from the
 * blocks that are read for deposits anyway: a node that keeps no index of addresses finds them only by reading everything.
 */
import type { Address } from '../money/address.ts'
import type { BlockRef } from '../money/block.ts'

export interface Utxo {
  /** As a slot names it. */
  part: string
  owner: Address
  units: bigint
  /** The block that made it. */
  madeAt: bigint
  /** Made by a miner's block: it cannot be spent at once. */
  isCoinbase: boolean
}

export interface UtxoPosition {
  /** Goes up when everything is to be read anew: what was found for an earlier one is not taken. */
  edition: bigint
  /** The block of which the book tells; null while it is not known which coins there are. */
  block: BlockRef | null
  /** The block at which the book began: what was spent up to there it cannot give back. */
  since: bigint
}

/** What a family reads of the coins that are kept for it. */
export interface UtxoSet {
  position(): Promise<UtxoPosition>
  /** Those of these owners, all of one block; null while the book is not known. */
  unspent(owners: readonly Address[]): Promise<{ block: BlockRef; coins: Utxo[] } | null>
  /** Which of these are coins of ours, spent or not. */
  among(parts: readonly string[]): Promise<ReadonlySet<string>>
  /** Which of these are addresses of ours, the treasury aside. */
  owned(addresses: readonly Address[]): Promise<ReadonlySet<Address>>
  /** All that were ever given out to receive deposits. */
  addresses(): Promise<Address[]>
}

/** What a scan changes in the book; stored in one commit with its cursor. */
export interface UtxoChanges {
  edition: bigint
  /** The hash of the block that the book stands at before; null begins it anew with what is made here. */
  after: string | null
  /** Blocks above this one were replaced: what they made is gone, what they spent is there again. Null where none were. */
  backTo: bigint | null
  made: Utxo[]
  spent: { part: string; at: bigint }[]
  /** Where the book stands then. */
  block: BlockRef
  /** No reorganisation reaches below: coins spent before this block are forgotten. */
  forgetBefore: bigint
}
