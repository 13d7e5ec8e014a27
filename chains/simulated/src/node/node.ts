/**
 * The adapter's access to its chain: a few calls such as a real node offers. All knowledge of the adapter about the
 * chain comes through this interface.
 */
import type { Address, BlockRef, TxHash } from '@causeway/core'
import type { SealedTransaction } from '../transaction.ts'

export interface Node {
  /** Up to `count` blocks from this height on, and the newest block, read at one moment. */
  blocks(from: bigint, count: number): Promise<{ head: BlockRef; blocks: Block[] }>
  transaction(hash: TxHash): Promise<LandedAt | { pending: SealedTransaction } | null>
  /** The transaction that consumed this nonce. */
  slotUse(account: Address, nonce: bigint): Promise<LandedAt | null>
  pending(): Promise<readonly SealedTransaction[]>
  send(bytes: string): Promise<Answer>
  balance(owner: Address, contract: string | null): Promise<bigint>
  /** Several balances at one block, and that block. */
  holdings(
    wanted: readonly { owner: Address; contract: string | null }[],
  ): Promise<{ block: BlockRef; units: bigint[] }>
  nonce(account: Address): Promise<bigint>
  /** The current fee of one transaction. */
  fee(): Promise<bigint>
  /** Which of these addresses are blocked: they can neither send nor receive. */
  blocked(addresses: readonly Address[]): Promise<Address[]>
}

export interface Block extends BlockRef {
  parent: string
  transactions: readonly Landed[]
}

export interface Landed {
  transaction: SealedTransaction
  reverted: boolean
}

export interface LandedAt extends Landed {
  block: BlockRef
  confirmations: number
}

export type Answer =
  | 'accepted'
  | 'known'
  | 'slot used'
  | 'underpriced'
  | 'no funds for the fee'
  | 'mempool full'
  | 'malformed'
  | 'unauthorised'
