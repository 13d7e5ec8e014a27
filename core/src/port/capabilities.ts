/**
 * The optional part of the port. Each capability is one object that an adapter has or does not have: if the chain can do it,
 * implement the whole object; if not, leave it out. The server checks for the object and never for the family.
 */
import type { Address, TxHash } from '../money/address.ts'
import type { BlockRef } from '../money/block.ts'
import type { Amount } from '../money/money.ts'
import type { Depository, Gasless } from './depositing.ts'
import type { Exchanges } from './exchanging.ts'
import type { Slot, Transfer } from './paying.ts'

export interface Capabilities {
  // Watching
  headFeed?: HeadSubscription
  blockTimes?: BlockTimes
  // For deposits: an adapter without `references` and without `depositAddresses` is a destination only.
  references?: References
  depositAddresses?: DepositAddresses
  depository?: Depository
  gasless?: Gasless
  contractSurvey?: ContractSurvey
  setup?: Setup
  // Payouts
  batch?: Batch
  ordering?: SlotOrdering
  slotExpiry?: SlotExpiry
  recipientGas?: RecipientGas
  exchanges?: Exchanges
  // For checks of our own wallets.
  audit?: Audit
  lateTransactions?: LateTransactions
  allowances?: Allowances
  // For facts about accounts and contracts that the API reports or checks.
  messages?: Messages
  accounts?: Accounts
  nfts?: Nfts
  tokenContracts?: TokenContracts
  walletContracts?: WalletContracts
}

/** A node can push notifications, so that the watcher need not wait for its next poll. */
export interface HeadSubscription {
  /**
   * `every-head`: the node announces each new head, so the watcher stops polling until it finds a head that was not
   * announced. `hints`: a notification means "poll now", and silence means nothing: the watcher keeps polling.
   */
  announces: 'every-head' | 'hints'
  /** Calls the listener until the returned function is called. */
  subscribe(listener: () => void): () => void
}

/** Blocks carry a timestamp. Without it, a deposit is dated by when the watcher first saw it. */
export interface BlockTimes {
  /** The timestamp of exactly this block. Throws if the node does not have the block, or has it without a time. */
  timeOf(block: BlockRef): Promise<Date>
}

/** A plain transfer can carry the swap's reference. Without it, only a deposit address identifies a swap. */
export interface References {
  /** How many bits of a reference a transfer carries; `REFERENCE_BITS` if absent. With fewer, only `source_address` may pay. */
  bits?: number
  /**
   * Whether a transfer from this sender can carry a reference that the sender itself signed. A smart contract's
   * transfer often cannot: its submitter chooses the bytes. Omit if every sender can. Asks a node.
   */
  canNameSwap?(sender: Address): Promise<boolean>
}

/** The family derives a new address per swap, and a `sweep` order empties it later. */
export interface DepositAddresses {
  /**
   * Derives an address. A *branch* is a part of the derivation path below 2 ** 31; each process start counts indexes in
   * its own.
   */
  derive(index: number, branch?: number): Promise<Address>
  /**
   * Whether the contract that empties deposit addresses is deployed, according to the newest `contractSurvey`. Omit if
   * none is needed.
   */
  isReady?(): boolean
  /** The most addresses that one `sweep` order may empty; no limit if absent. */
  maxSources?: number
}

/**
 * A survey reads the contracts of `depository`, `gasless` and `depositAddresses` from the chain; these capabilities
 * answer from its result. One process runs it in the background and shares the result with the others.
 */
export interface ContractSurvey {
  /** Reads the contracts and returns the result for `restoreSurvey`. Asks a node. */
  surveyContracts(): Promise<string>
  /** Loads the result of a survey of this network, made by this process or another one. */
  restoreSurvey(survey: string): void
}

/** A step that an operator takes on chain, once, before a network works. */
export interface SetupStep {
  /** The missing thing, as a text for people. */
  what: string
  /** What does not work until then. */
  closes: readonly ('wallet' | 'deposit_address' | 'depository' | 'gasless' | 'payouts')[]
  /** The command or the setting that does it. */
  command: string
}

/** Steps that only the family knows, besides contracts of a survey and coins for fees. */
export interface Setup {
  /** The missing steps. Asks a node. */
  missing(): Promise<SetupStep[]>
}

/** One transaction can pay several recipients. */
export interface Batch {
  maxTransfers: number
}

/**
 * The chain mines transactions of an account in the order of their slots, and a gap blocks all later ones (account
 * nonces). Without this capability slots are independent, and `prepare` must accept a `cancel` order in any slot,
 * whether or not it replaces a transaction.
 */
export interface SlotOrdering {
  /** The position of this slot in the account's sequence, such as its nonce. */
  slotOrdinal(slot: Slot): bigint
}

/** A slot can expire, after which its unspent parts may be used again (UTXOs of a transaction with an expiry). */
export interface SlotExpiry {
  /**
   * Whether no transaction signed in this slot can be mined any more because its time is over, at final depth and by every
   * node. The signer then releases the slot parts. Asks nodes.
   */
  hasExpired(slot: Slot): Promise<boolean>
}

/** A payment can run the recipient's code at our cost. */
export interface RecipientGas {
  /**
   * The recipient's gas surcharge: gas that this transfer needs beyond what `fees` includes, priced by `Fees.recipientGasUnit`.
   * Throws `PayoutImpossible` if it needs more than any customer is charged for. Asks a node.
   */
  extraGas(transfer: Transfer): Promise<bigint>
}

/** The chain shows every transaction of an account. The server compares them with its ledger before it pays. */
export interface Audit {
  /**
   * Every movement of the account in blocks `from` to `to`, both included, oldest first. Must be complete: throw `RetryLater`
   * if the node cannot show all of them.
   */
  movements(account: Address, from: bigint, to: bigint): Promise<Movement[]>
}

/** A transaction that changed the balance of one of our accounts. */
export interface Movement {
  txHash: TxHash
  block: BlockRef
  /**
   * The balance changes: received amounts are positive, sent ones negative. A token that was both received and sent is
   * listed twice. If the account sent the transaction, the fee is included in what was sent.
   */
  changes: Amount[]
  /** The slot that the transaction consumed, if the account itself sent it; null otherwise. */
  slot: Slot | null
}

/**
 * A transaction that the database has forgotten (after a restore) may still be mined alongside new ones. Omit it if the chain
 * rules this out, as account nonces do.
 */
export interface LateTransactions {
  /** How long a forgotten transaction may still be mined. */
  maxForgottenTxAgeMs: number
  /** Our own transactions that nodes still hold in their mempools. Omit if nodes cannot list them. */
  mempoolTransactions?(account: Address): Promise<{ txHash: TxHash; slot: Slot }[]>
}

/**
 * Native base units that the chain may take from a wallet without a transaction of its own. Reconciliation does not report a
 * shortfall within these allowances.
 */
export interface Allowances {
  /** Allowed loss per day: rent, and gas for incoming messages that are not deposits. */
  rentUnitsPerDay: bigint
  /** Allowed loss once per account: the cost of preparing it for its first transfer. */
  setupUnits: bigint
  /** Allowed loss per received transfer. */
  receiptUnits: bigint
}

/** Wallets of the family can sign a text. */
export interface Messages {
  /** Whether this address signed this text. May ask a node. */
  verify(claim: { address: Address; text: string; signature: string }): Promise<boolean>
}

/** Accounts can be smart contracts. */
export interface Accounts {
  /** Whether the address has code, so that the API can warn users. Asks a node. */
  isContract(address: Address): Promise<boolean>
}

/** The family can read NFT ownership. */
export interface Nfts {
  /** Whether the owner holds an NFT of this contract. Asks a node. */
  isHeldBy(contract: Address, owner: Address): Promise<boolean>
}

/** Token contracts describe themselves. */
export interface TokenContracts {
  /** The symbol and the decimals by the token's contract; null if there is no contract at the address. Asks a node. */
  describe(contract: Address): Promise<{ symbol: string; decimals: number } | null>
}

/** Contracts that callers' wallets need to know. */
export interface WalletContracts {
  /** Contract addresses by their name in the API; null if the network has no such contract. */
  byName(): Readonly<Record<string, string | null>>
  /**
   * The address of the native token's contract, if it has one: wallets read balances from it, and callers may name the
   * token by it.
   */
  native?: Address
}
