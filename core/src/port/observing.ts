/** Reading deposits from a chain: what a scan reports, and what one transaction paid to us. */
import type { Address, TxHash } from '../money/address.ts'
import type { BlockRef } from '../money/block.ts'
import type { Amount } from '../money/money.ts'
import type { UtxoChanges } from './utxos.ts'

/** A transfer to one of our addresses, as observed on chain. The server decides which swap it belongs to. */
export interface Sighting {
  txHash: TxHash
  /**
   * Position of the transfer inside its transaction. It must stay the same if a reorg puts the transaction into another
   * block: (network, txHash, index) identifies the deposit.
   */
  index: number
  /** The transaction's block; null while it is in the mempool. */
  block: BlockRef | null
  /** Where a refund may be sent. Null if the chain does not show a sender, or if a refund to it would not reach the depositor. */
  refundableSender: Address | null
  /** Every address that funded the transfer, contracts included. Used for screening only, never as a payout recipient. */
  fundingAddresses: readonly Address[]
  /** Our address that received the transfer. */
  to: Address
  amount: Amount
  /** The swap's reference that the transfer carries. Null if it carries none: then `to` alone identifies the swap. */
  reference: bigint | null
  /** The hash under which nodes and explorers list the transaction, if it is not `txHash`. For display. */
  alias?: TxHash
  /** If set, the deposit is credited to no swap until an operator decides. The text is shown to the operator. */
  doubt?: string
  /**
   * Set if the transfer is known only from its block, not from a transaction that a reorg would re-include. The server
   * credits it when that block is final, however small the amount is.
   */
  requiresFinality?: true
}

/** Looks up which addresses are ours. */
export interface Watchlist {
  /** Which of these addresses are ours. Pass many at once. */
  owned(addresses: readonly Address[]): Promise<ReadonlySet<Address>>
  /**
   * All our addresses, or null if there are more than `max`. Call it after reading the head: an address created in between
   * would be missed otherwise.
   */
  listUpTo?(max: number): Promise<readonly Address[] | null>
  /** Deposit addresses of swaps that are open or ended recently. Call it after reading the head, too. */
  activeAddresses?(): Promise<readonly Address[]>
  /** Wallets that the network had before the present treasury. Deposits there carry references, as at the treasury. */
  formerTreasuries?(): Promise<readonly Address[]>
  /** Deposit addresses to poll one by one. Absent if the caller cannot list them: then scan whole blocks. */
  pollCandidates?(): Promise<PollCandidates>
}

export interface PollCandidates {
  /**
   * Addresses that a depositor may be paying now: a list per group of clients, the oldest first. So a family that reads only some of
   * them can give each group its turn.
   */
  recent: Address[][]
  /** A few of all other addresses; a different selection every minute. */
  others: Address[]
}

/** Where a scan stopped. Opaque: only the family that wrote it reads it. */
export type Cursor = string

export interface Scan {
  sightings: Sighting[]
  /** Pass it to the next scan. */
  next: Cursor
  /** The newest block that the node knows. */
  head: BlockRef
  /** The newest block that this scan covered; below `head` during a backfill. */
  scannedTo: bigint
  /** The first block that a reorg replaced since the last scan; null if there was no reorg. */
  reorgFrom: bigint | null
  /** Changes of our UTXO set. Omit if nothing changed, or if the chain has no UTXOs. */
  coins?: UtxoChanges
}

/** The state of one transaction, with its transfers to our addresses. `unknown`: the node does not have it. */
export type Inspection =
  | { state: 'unknown' }
  /** The transaction is in the mempool. */
  | { state: 'pending'; sightings: Sighting[] }
  /** The transaction is in a block but reverted: it transferred nothing. */
  | { state: 'failed'; block: BlockRef; confirmations: number }
  | { state: 'included'; block: BlockRef; confirmations: number; sightings: Sighting[] }
