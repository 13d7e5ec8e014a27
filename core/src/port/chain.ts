/**
 * The port: all that the rest of the house knows of a blockchain. A family (one folder in `chains/`) implements it and
 * declares what it can do; nobody outside asks which family it talks to.
 */
import type { Address, TxHash } from '../money/address.ts'
import type { BlockRef } from '../money/block.ts'
import type { Amount } from '../money/money.ts'
import type { Network, Token, TokenNaming } from '../money/network.ts'
import type { NetworkType } from '../money/vocabulary.ts'
import type { DepositAction, Depository, DepositRequest, Gasless, PreparedCall } from './depositing.ts'
import type { NodeHealth } from './node-health.ts'
import type { UtxoChanges, UtxoSet } from './utxos.ts'

/** A transfer to us as seen on chain, before anyone knows whose it is. */
export interface Sighting {
  txHash: TxHash
  /** Position inside the transaction; stays the same when the transaction lands again in another block. */
  index: number
  /** Null while it waits in a mempool. */
  block: BlockRef | null
  /** Whom a refund may be sent to. Null where the chain does not tell, or where paying it back would not reach the sender. */
  from: Address | null
  /** Everybody whose money it was, contracts too, as the chain shows it: to be screened, never to be paid. */
  senders: readonly Address[]
  to: Address
  amount: Amount
  /** The swap's sequence number as it stands on chain; null where only the address tells. */
  reference: bigint | null
  /** What nodes and explorers call the transaction, where that is not `txHash`. */
  alias?: TxHash
  /** Why it is given to no swap by itself: it is kept, and a person decides. */
  doubt?: string
  /** Known by its block and not by a transaction that could land again in another one: it counts when that block is final. */
  finalOnly?: true
}

/** Which of these addresses are ours, answered in batches from an index. */
export interface Watchlist {
  owned(addresses: readonly Address[]): Promise<ReadonlySet<Address>>
  /** All of them, where there are no more than so many; null where there are. To be asked after the head is known. */
  all?(most: number): Promise<readonly Address[] | null>
  /** Deposit addresses that coins may well come to: those of swaps that are open or were of late. As `all`. */
  expecting?(): Promise<readonly Address[]>
  /**
   * Deposit addresses that somebody may be paying to now, and of all others a few, other ones each minute. Absent where nobody
   * can list them: then only whole blocks tell what came to one.
   */
  expected?(): Promise<{ lately: Address[]; others: Address[] }>
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
  /** What became of coins of ours; absent where nothing did, and where the family knows no coins. */
  coins?: UtxoChanges
}

export type Inspection =
  | { state: 'unknown' }
  | { state: 'pending'; sightings: Sighting[] }
  | { state: 'failed'; block: BlockRef; confirmations: number }
  | { state: 'included'; block: BlockRef; confirmations: number; sightings: Sighting[] }

/**
 * What a transfer uses up on its chain so that it can land only once: a nonce, the coins it spends, a query id. Each
 * part is handed out once and stored before anything is signed.
 */
export type Slot = readonly string[]

export interface Transfer {
  to: Address
  amount: Amount
  /** A person's word for it, for a signer that demands one. No family reads it. */
  approval?: Approval
}

export interface Approval {
  payout: string
  /** An approval is good for one slot: another one needs another. */
  attempt: number
  /** Of the approval's text, each with the public key that made it. */
  signatures: readonly string[]
}

export interface SweepSource {
  address: Address
  /** The number the address was derived with. */
  index: number
}

/**
 * One transaction's worth of sending from `account`. A `call` was worded by the family itself (a deposit by signature, a
 * change of our own contract) and stands in place of transfers: only the family that worded it is ever given it.
 */
export type Order =
  | { kind: 'transfers'; account: Address; transfers: Transfer[]; call?: PreparedCall }
  | { kind: 'sweep'; account: Address; token: Token; sources: SweepSource[] }
  /** Moves nothing to anybody and uses its slot up, so that what else was signed in it can never land. */
  | { kind: 'cancel'; account: Address }

/** What signing needs to know of the chain, read beforehand, so that signing asks nobody. Opaque and plain text. */
export type PreparedTransfer = string

export interface SignedTransfer {
  hash: TxHash
  bytes: string
  /** The most that it can take in fees, in native base units; absent where the family says it by `exposure` alone. */
  feeCeiling?: bigint
}

export interface MaxSigningCost {
  /** The most native base units that leave beside what the order sends. */
  feeUnits: bigint
  /**
   * What the fee was reckoned from and the chain does not check as a whole, one for each part of the slot: whoever signs
   * must let none of them change between two signatures.
   */
  facts?: readonly string[]
}

/** What is asked about. */
export interface SentTransfer {
  hash: TxHash
  slot: Slot
  account: Address
}

/** Bytes that we signed on this network, by their hash; null where they are none of ours. */
export type SignedBefore = (hash: TxHash) => Promise<SignedTransfer | null>

export type TransferStatus =
  /** Not seen. It may still land: never proof of anything. */
  | { state: 'unknown' }
  | { state: 'pending' }
  /** `feeUnits` is all that it cost beside what it sent; below zero where it got more back than it paid (a deposit, rent). */
  | ({ state: 'included' } & Landed)
  /** In a block, its fee spent, its transfer not made. */
  | ({ state: 'reverted' } & Landed)
  /** Proven at final depth that it can never land. Absence alone is no proof, however often it is told. */
  | { state: 'dead'; evidence: InvalidationProof }

/** Why nothing of a slot can land any more: what the chain itself shows, at final depth, and a person can look up. */
export interface InvalidationProof {
  /** The transaction that used the slot up; null where the slot's time is over by the chain's own clock. */
  usedBy: TxHash | null
  /** Where it stands, or the final block by whose clock the time was over. */
  block: BlockRef
  /** For people. */
  reason: string
}

export interface Landed {
  block: BlockRef
  confirmations: number
  feeUnits: bigint
  /** What nodes and explorers call it, where that is not the hash that was signed. */
  alias?: TxHash
}

/** What an address holds of some tokens, all read at one moment of the chain. */
export interface Balances {
  /** The block of which they tell; null where the node does not say. */
  block: BlockRef | null
  /** In the order asked. */
  units: bigint[]
}

/** A transaction that changed what an account of ours holds, as the chain itself tells it. */
export interface Movement {
  txHash: TxHash
  block: BlockRef
  /**
   * What came is above zero, what left below, and a token of which some came and some left is there twice. The fee of a
   * transaction of the account's own is among what left.
   */
  changes: Amount[]
  /** What it used up, where it was the account's own transaction. */
  slot: Slot | null
}

/** What things cost now, in base units of the network's native token. */
export interface Fees {
  nativeTransfer: bigint
  tokenTransfer: bigint
  /** Emptying one deposit address. */
  sweep: bigint
  /** Making a deposit that was signed for; absent where there is none. */
  relay?: bigint
  /** One unit of `effortOf`. */
  effort?: bigint
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
  /** Calls whenever a node tells of a new head, until it is called off. Absent where nodes must be asked. */
  onHead?(listener: () => void): () => void
  /** Calls where a look is worth while now, until it is called off. Silence says nothing: nodes are asked as often as ever. */
  onNews?(listener: () => void): () => void
  inspect(txHash: TxHash, ours: Watchlist): Promise<Inspection>
  /** When this very block says that it was made; throws where it is not there or does not tell. Absent where blocks know no time. */
  blockTime?(block: BlockRef): Promise<Date>
  /**
   * Checks that the order can be paid and reads today's fees; `replaces` asks for terms that displace that transaction. `effort`
   * is what was charged for its recipient's code: what wants more than that, and than what every payout includes, is
   * `PayoutImpossible`.
   */
  prepare(order: Order, replaces: SignedTransfer | null, effort?: bigint): Promise<PreparedTransfer>
  /**
   * What a recipient's own code takes of us, where that is more than `fees` include; `PayoutImpossible` where it is more than anybody is
   * charged for. Absent where paying somebody runs none of their code at our cost. Asks a node.
   */
  effortOf?(transfer: Transfer): Promise<bigint>
  /** A slot that nothing else uses; `taken` holds those handed out and not settled, and the newest ones, oldest first. */
  nextSlot(order: Order, draft: PreparedTransfer, taken: readonly Slot[]): Promise<Slot>
  /**
   * Where what an account sends lands in the order of its slots: the number of this one. Nothing passes a number that was left out.
   * Absent where slots are independent of each other. Then a `cancel` order can be prepared in any slot, whether or not it replaces something.
   */
  orderOf?(slot: Slot): bigint
  sign(order: Order, slot: Slot, draft: PreparedTransfer): Promise<SignedTransfer>
  /**
   * What signing this could cost at worst, for a signer that believes no draft. Throws where the draft goes beyond what the
   * network's file allows; `sign` refuses the same. Asks nobody. Absent where the family cannot tell: then no such signer signs.
   */
  exposure?(order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost
  /**
   * Whether nothing that was signed in this slot can land any more because its time is over, at final depth and by every node: for
   * a signer, which lets go of what the slot did not use up. Absent where the parts of a slot never come back by time alone.
   */
  isOver?(slot: Slot): Promise<boolean>
  /**
   * To every node there is; one that takes it is enough. Sending the same bytes twice is harmless. An answer that says
   * "known already" is a success.
   */
  broadcast(signed: SignedTransfer): Promise<void>
  /** `signedBefore` finds bytes of ours by their hash: a transfer may build on another that never got into a block. */
  status(transfer: SentTransfer, signedBefore?: SignedBefore): Promise<TransferStatus>
  fees(): Promise<Fees>
  balance(owner: Address, token: Token): Promise<Amount>
  /** Several at once, by as few questions as the node allows. */
  balances(wanted: readonly { owner: Address; token: Token }[]): Promise<Balances>
  /**
   * Everything that moved on an account in these blocks, both included, oldest first, and complete: throws `RetryLater` where
   * the node cannot tell all of it. Absent where the family has no way to know.
   */
  movements?(account: Address, from: bigint, to: bigint): Promise<Movement[]>
  /**
   * Transactions of an account's own that wait to get into a block, as far as a node knows of them. Absent where none can land
   * beside what the account sends next.
   */
  waiting?(account: Address): Promise<{ txHash: TxHash; slot: Slot }[]>
  /** For so long may land what was sent and is no longer known to us, beside what is sent next; absent where none can. */
  lingerMs?: number
  /** Whether the address itself signed this text, as wallets of the family sign one. Absent where they have no such thing. */
  verifyMessage?(claim: { address: Address; text: string; signature: string }): Promise<boolean>
  /** Whether code stands at an address, so that people can be warned. Asks a node; absent where there is no such thing. */
  isContract?(address: Address): Promise<boolean>
  /** A slot admits one transaction and no other: nothing is replaced or cancelled, what is stuck waits for its end. */
  noReplacement?: true
  /** The native token's contract, where it is one and callers may name the token by it: their wallets ask it for balances. */
  nativeContract?: Address
  /** Nothing travels with a transfer: a deposit is recognised by its address alone. */
  noReference?: true
  /**
   * Whether a plain transfer of this sender can name its swap: by something that it signs over. Absent where anybody's can.
   * Asks a node.
   */
  canNameSwap?(sender: Address): Promise<boolean>
  /** Present where the family can say whether an address holds an NFT of a contract. Asks a node. */
  holdsNft?(contract: Address, owner: Address): Promise<boolean>
  /** Native units that a wallet may lose within a day without sending anything: rent, and gas for receiving. */
  upkeepUnits?: bigint
  /** Native units that it may lose once, ever, beside its transfers: what it costs to make the account ready for them. */
  setupUnits?: bigint
  /** Native units that receiving one transfer may cost the receiver, beside that. */
  receiptUnits?: bigint
  /** Present where one transaction can pay several at once. */
  batch?: { maxTransfers: number }
  /** Present where the family can make a fresh address for a swap and empty it later by a `sweep` order. */
  depositAddresses?: {
    derive(index: number): Promise<Address>
    /** Whether what empties them stands on the chain, by the newest survey; absent where nothing need stand there. */
    isReady?(): boolean
    /** How many of them one `sweep` order may empty; absent where as many as anybody asks for. */
    maxSources?: number
  }
  /** Present where a contract of ours can take deposits and name the swap itself. */
  depository?: Depository
  /** Present where a deposit can be made with a signature alone. */
  gasless?: Gasless
  /**
   * Looks at what stands on the chain now, for what `depository` and `gasless` answer from memory. Run in the background, by
   * one process for all: answers what it saw, for `recall`.
   */
  survey?(): Promise<string>
  /** Takes over what a survey of this network saw, here or in another process. */
  recall?(survey: string): void
  /** How the network's nodes do, the preferred one first. Absent where the family does not tell. */
  nodes?(): NodeHealth[]
  /** Contracts of the network that wallets may want to know, by the names that the API gives them. */
  publicContracts?(): Readonly<Record<string, string | null>>
}

/** Signs with keys that nobody else sees. `intent` says in plain words what for, so that a remote signer can judge it. */
export interface Signer {
  publicKey(key: KeyRef): Promise<Uint8Array>
  sign(key: KeyRef, digest: Uint8Array, intent: SigningIntent): Promise<Uint8Array>
  /** Throws where this order would be refused, before it gets a slot; absent where the signer has no opinion. */
  review?(network: string, order: Order): Promise<void>
}

export interface KeyRef {
  curve: 'secp256k1' | 'ed25519' | 'stark'
  path: string
}

/** A transfer, the words of a quote that a client may hold against us, or a question to a node that answers only to whom it knows. */
export type SigningIntent = TransferIntent | { quote: string } | { read: string }

export interface TransferIntent {
  network: string
  order: Order
  slot: Slot
  /** With it a signer that knows the family can make the digest itself, and need not believe the one it is given. */
  draft?: PreparedTransfer
}

/** In native base units, all at worst. */
export interface FeeBounds {
  /** What one payment may take by the network's file. */
  payment: bigint
  /** What all payments of a busy hour may take. */
  hour: bigint
}

export interface ChainLog {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export interface OpenOptions {
  network: Network
  signer: Signer
  log: ChainLog
  /** Opened by a signer that believes no draft; what decides where money goes must stand in the network's file. */
  distrusts?: true
  /** The book that is kept for it; without one, what must be known of coins is asked of a node each time. */
  coins?: UtxoSet
  /** Told of every request that a node is sent, by its method, and for how many it counts there; for one where absent. */
  spent?(method: string, weight?: number): void
}

/** What a family's package exports as `family`. */
export interface Family extends TokenNaming {
  type: NetworkType
  /** The hot wallet's address, without asking a node. */
  treasury(network: Network, signer: Signer): Promise<Address>
  /** Bounds of fees for a signer that was given none; absent where the family cannot tell what an order costs. */
  feeBounds?(network: Network): FeeBounds
  /**
   * What a signature of this network is bound to besides its slot. Two networks of one key that answer the same could each
   * use what was signed for the other. The network's name where absent.
   */
  domain?(network: Network): string
  /** True for a public chain whose coins are worth something, whatever the file calls it and wherever it lies. */
  holdsRealMoney?(network: Network): boolean
  open(options: OpenOptions): Promise<ChainAdapter>
}
