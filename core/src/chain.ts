/**
 * The port: all that the rest of the house knows of a blockchain. A family (one folder in `chains/`) implements it and
 * declares what it can do; nobody outside asks which family it talks to.
 */
import type { Amount } from './money.ts'
import type { Network, NetworkType, Token, TokenNaming } from './network.ts'

/** Canonical text of an address: equal addresses are equal strings. */
export type Address = string
export type TxHash = string

export interface BlockRef {
  number: bigint
  hash: string
}

/** A transfer to us as seen on chain, before anyone knows whose it is. */
export interface Sighting {
  txHash: TxHash
  /** Position inside the transaction; stays the same when the transaction lands again in another block. */
  index: number
  /** Null while it waits in a mempool. */
  block: BlockRef | null
  /** Null where the chain does not tell, or where paying it back would not reach the sender. */
  from: Address | null
  to: Address
  amount: Amount
  /** The swap's sequence number as it stands on chain; null where only the address tells. */
  reference: bigint | null
}

/** Which of these addresses are ours, answered in batches from an index. */
export interface Watchlist {
  owned(addresses: readonly Address[]): Promise<ReadonlySet<Address>>
}

/** Where a scan stopped, in the family's own words. */
export type Cursor = string

export interface Scan {
  sightings: Sighting[]
  next: Cursor
  /** The newest block that the node knows. */
  head: BlockRef
  /** The newest block that this scan covered; below `head` while catching up. */
  scannedTo: bigint
  /** The first block whose earlier content was replaced; null where the chain only grew. */
  reorgFrom: bigint | null
}

export type Inspection =
  | { state: 'unknown' }
  | { state: 'pending'; sightings: Sighting[] }
  | { state: 'failed'; block: BlockRef; confirmations: number }
  | { state: 'included'; block: BlockRef; confirmations: number; sightings: Sighting[] }

export interface DepositRequest {
  token: Token
  /** Zero where the sender chooses the amount. */
  units: bigint
  receiver: Address
  reference: bigint
  /** The sender, where the caller told it. */
  sourceAddress: Address | null
}

export interface DepositAction {
  type: 'transfer' | 'manual_transfer' | 'sign'
  toAddress: string
  /** What the transaction itself carries: zero where the amount is inside `callData`. */
  units: bigint
  callData: string | null
  gasLimit: bigint | null
  encodedArgs: string[] | null
}

/**
 * What a transfer uses up on its chain so that it can land only once: a nonce, the coins it spends, a query id. Each
 * part is handed out once and stored before anything is signed.
 */
export type Slot = readonly string[]

export interface Transfer {
  to: Address
  amount: Amount
}

export interface SweepSource {
  address: Address
  /** The number the address was derived with. */
  index: number
}

/** One transaction's worth of sending from `account`. */
export type Order =
  | { kind: 'transfers'; account: Address; transfers: Transfer[] }
  | { kind: 'sweep'; account: Address; token: Token; sources: SweepSource[] }

/** What signing needs to know of the chain, read beforehand, so that signing asks nobody. Opaque and plain text. */
export type Draft = string

export interface SignedTransfer {
  hash: TxHash
  bytes: string
}

export type TransferStatus =
  /** Not seen. It may still land: never proof of anything. */
  | { state: 'unknown' }
  | { state: 'pending' }
  | { state: 'included'; block: BlockRef; confirmations: number; feeUnits: bigint }
  /** In a block, its fee spent, its transfer not made. */
  | { state: 'reverted'; block: BlockRef; confirmations: number; feeUnits: bigint }
  /** Proven at final depth that it can never land: its slot was used up by something else. */
  | { state: 'dead' }

/** What things cost now, in base units of the network's native token. */
export interface Fees {
  nativeTransfer: bigint
  tokenTransfer: bigint
  /** Emptying one deposit address. */
  sweep: bigint
}

export interface ChainAdapter extends TokenNaming {
  network: Network
  /** The hot wallet: receives deposits and pays out. */
  treasury: Address
  /** Destinations that would lose or circle the money: burn addresses, token contracts. Our own wallets are known elsewhere. */
  isUnpayable(address: Address): boolean
  depositAction(request: DepositRequest): Promise<DepositAction>
  /** From the cursor on, a bounded stretch; from the head where there is no cursor yet. */
  scan(cursor: Cursor | null, ours: Watchlist): Promise<Scan>
  inspect(txHash: TxHash, ours: Watchlist): Promise<Inspection>
  /** Checks that the order can be paid and reads today's fees; `replaces` asks for terms that displace that transaction. */
  prepare(order: Order, replaces: SignedTransfer | null): Promise<Draft>
  /** A slot that nothing else uses; `taken` holds those handed out and not settled, and the newest ones, oldest first. */
  nextSlot(order: Order, draft: Draft, taken: readonly Slot[]): Promise<Slot>
  sign(order: Order, slot: Slot, draft: Draft): Promise<SignedTransfer>
  /** Sending the same bytes twice is harmless. An answer that says "known already" is a success. */
  broadcast(signed: SignedTransfer): Promise<void>
  status(transfer: { hash: TxHash; slot: Slot; account: Address }): Promise<TransferStatus>
  fees(): Promise<Fees>
  balance(owner: Address, token: Token): Promise<Amount>
  /** Present where the family can make a fresh address for a swap and empty it later by a `sweep` order. */
  depositAddresses?: { derive(index: number): Promise<Address> }
}

/** Signs with keys that nobody else sees. `intent` says in plain words what for, so that a remote signer can judge it. */
export interface Signer {
  publicKey(key: KeyRef): Promise<Uint8Array>
  sign(key: KeyRef, digest: Uint8Array, intent: SigningIntent): Promise<Uint8Array>
}

export interface KeyRef {
  curve: 'secp256k1' | 'ed25519'
  path: string
}

export interface SigningIntent {
  network: string
  order: Order
  slot: Slot
}

export interface ChainLog {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

/** What a family's package exports as `family`. */
export interface Family extends TokenNaming {
  type: NetworkType
  /** The hot wallet's address, without asking a node. */
  treasury(network: Network, signer: Signer): Promise<Address>
  open(options: { network: Network; signer: Signer; log: ChainLog }): Promise<ChainAdapter>
}
