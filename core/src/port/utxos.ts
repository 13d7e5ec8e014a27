/**
 * Our unspent transaction outputs (UTXOs), on chains that have them. The database stores them while blocks are scanned
 * for deposits: a node without an address index would have to read every block to find them.
 */
import type { Address } from '../money/address.ts'
import type { BlockRef } from '../money/block.ts'

export interface Utxo {
  /** The outpoint, as a slot's part names it. */
  part: string
  owner: Address
  units: bigint
  /** The block that created the output. */
  madeAt: bigint
  /** Whether it is a miner's reward, which can be spent only after some blocks. */
  isCoinbase: boolean
}

export interface UtxoPosition {
  /** Rises when the set is rebuilt. Changes found for an earlier edition are discarded. */
  edition: bigint
  /** The block that the set describes; null while it is being built. */
  block: BlockRef | null
  /** The block at which the set began. A reorg below it cannot restore spent outputs. */
  since: bigint
}

/** A family's view of the stored set. */
export interface UtxoSet {
  position(): Promise<UtxoPosition>
  /** The unspent outputs of these owners at one block; null while the set is being built. */
  unspent(owners: readonly Address[]): Promise<{ block: BlockRef; coins: Utxo[] } | null>
  /** Which of these outpoints are or were ours. */
  among(parts: readonly string[]): Promise<ReadonlySet<string>>
  /** Which of these addresses are our deposit addresses. The treasury is not included. */
  owned(addresses: readonly Address[]): Promise<ReadonlySet<Address>>
  /** All deposit addresses that were ever given out. */
  addresses(): Promise<Address[]>
}

/** The changes of a scan to the set. Stored in one transaction with the scan's cursor. */
export interface UtxoChanges {
  edition: bigint
  /** The hash of the block that the set described before; null starts a new set from `made`. */
  after: string | null
  /**
   * A reorg replaced the blocks above this one: their outputs are removed, and the outputs that they spent are unspent
   * again. Null without a reorg.
   */
  backTo: bigint | null
  made: Utxo[]
  spent: { part: string; at: bigint }[]
  /** The block that the set describes afterwards. */
  block: BlockRef
  /** No reorg reaches below this block: outputs spent before it are deleted. */
  forgetBefore: bigint
}
