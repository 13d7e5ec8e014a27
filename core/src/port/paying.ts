/** Sending: orders, replay slots, signed transactions (attempts) and their status. */
import type { Address, TxHash } from '../money/address.ts'
import type { BlockRef } from '../money/block.ts'
import type { Amount } from '../money/money.ts'
import type { Token } from '../money/network.ts'
import type { PreparedCall } from './depositing.ts'
import type { Exchange } from './exchanging.ts'

/**
 * A replay slot: whatever a transaction consumes on its chain so that it can be mined only once (a nonce, the UTXOs it
 * spends, a query id). Each element of the list is a *part*. The server allocates each part once and stores it before
 * anything is signed, so at most one of the transactions signed in a slot can ever be mined.
 */
export type Slot = readonly string[]

export interface Transfer {
  to: Address
  amount: Amount
  /** An operator's approval, for a remote signer that requires one. Families ignore it. */
  approval?: Approval
  /** The operator's own withdrawal, for a remote signer that lists its addresses. Families ignore it. */
  isWithdrawal?: boolean
}

export interface Approval {
  payout: string
  /** Counts the approvals of a payout: each is valid in one slot, and another slot needs the next one. */
  attempt: number
  /** Signatures of the approval's text, each with its public key. */
  signatures: readonly string[]
}

export interface SweepSource {
  address: Address
  /** The index with which the address was derived. */
  index: number
  /** The branch with which the address was derived (each process start has its own); 0 if absent. */
  branch?: number | undefined
}

/** An order: what one transaction must do. It is sent from `account`, our hot wallet. */
export type Order =
  /** `call` replaces the transfers by a call that the same family prepared: a gasless deposit or a change of our own contract. */
  | { kind: 'transfers'; account: Address; transfers: Transfer[]; call?: PreparedCall }
  /** Empties deposit addresses into the hot wallet. */
  | { kind: 'sweep'; account: Address; token: Token; sources: SweepSource[] }
  /** Sells a token of the hot wallet for another one. An adapter without `exchanges` refuses it. */
  | { kind: 'exchange'; account: Address; exchange: Exchange; approval?: Approval }
  /** Consumes its slot and pays no third party, so that no other transaction signed in the slot can be mined. */
  | { kind: 'cancel'; account: Address }

/**
 * A draft: everything that signing needs to know about the chain (fees, nonce, UTXOs). `prepare` reads it, so that
 * `sign` asks no node. Opaque text: only the family reads it.
 */
export type PreparedTransfer = string

export interface SignedTransfer {
  hash: TxHash
  bytes: string
  /** The maximum fee in native base units, if the family knows it here. The server stores `maxSigningCost`. */
  feeCeiling?: bigint
}

export interface MaxSigningCost {
  /** The most that can leave the account in addition to the order's amounts, in native base units. */
  feeUnits: bigint
  /**
   * Fee facts: values that the fee was computed from and that the chain does not check as a whole, one per slot part
   * (for instance the amount of each UTXO). A signer refuses to sign the same slot part with another value.
   */
  facts?: readonly string[]
}

/** A sent transaction whose status the server wants to know. */
export interface SentTransfer {
  hash: TxHash
  slot: Slot
  account: Address
}

/** Finds bytes that we signed on this network by their hash; null if we signed no such transaction. */
export type SignedBefore = (hash: TxHash) => Promise<SignedTransfer | null>

export type TransferStatus =
  /** No node knows the transaction. It may still be mined: this proves nothing. */
  | { state: 'unknown' }
  | { state: 'pending' }
  | ({ state: 'included' } & Landed)
  /** In a block and failed: the fee is spent, the transfer was not made. */
  | ({ state: 'reverted' } & Landed)
  /** Proven at final depth that it can never be mined. That nodes do not know it is no proof, however often they say so. */
  | { state: 'dead'; evidence: InvalidationProof }

/** Why no transaction in a slot can be mined any more. It cites final blocks that a person can look up. */
export interface InvalidationProof {
  /** The transaction that consumed the slot; null if the slot expired by the chain's own clock. */
  usedBy: TxHash | null
  /** The block of that transaction, or the final block whose clock is past the expiry. */
  block: BlockRef
  /** The explanation for operators. */
  reason: string
}

export interface Landed {
  block: BlockRef
  confirmations: number
  /**
   * The total cost in addition to the sent amount; negative if the chain returned more than it took (a storage deposit,
   * rent).
   */
  feeUnits: bigint
  /** The hash under which nodes and explorers list the transaction, if it is not the signed hash. For display. */
  alias?: TxHash
}

/** An amount that a sweep moved out of one of its addresses. */
export interface SweptAmount {
  address: Address
  amount: Amount
}

/** Balances of several tokens, all read at the same block. */
export interface Balances {
  /** The block of the balances; null if the node does not report it. */
  block: BlockRef | null
  /** The balances, in the order of the request. */
  units: bigint[]
}

/** Current costs in base units of the network's native token. */
export interface Fees {
  nativeTransfer: bigint
  tokenTransfer: bigint
  /** The cost of emptying one deposit address. */
  sweep: bigint
  /** The cost of submitting one gasless deposit; absent without `gasless`. */
  relay?: bigint
  /** The cost of one unit of `recipientGas`; absent without it. */
  recipientGasUnit?: bigint
}
