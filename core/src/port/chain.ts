/**
 * The port: everything that the server knows about a blockchain. Each family (a folder in `chains/`) implements it. Nothing
 * outside `chains/` asks which family it talks to.
 *
 * `ChainAdapter` is the required part. What only some chains can do is in `capabilities.ts`.
 */
import type { Address, TxHash } from '../money/address.ts'
import type { Amount } from '../money/money.ts'
import type { Network, Token, TokenNaming } from '../money/network.ts'
import type { Capabilities } from './capabilities.ts'
import type { DepositAction, DepositRequest } from './depositing.ts'
import type { NodeHealth } from './node-health.ts'
import type { Cursor, Inspection, Scan, Watchlist } from './observing.ts'
import type {
  Balances,
  Fees,
  MaxSigningCost,
  Order,
  PreparedTransfer,
  SentTransfer,
  SignedBefore,
  SignedTransfer,
  Slot,
  SweptAmount,
  TransferStatus,
} from './paying.ts'

/** One opened network. A call that cannot be answered now throws `RetryLater`. */
export interface ChainAdapter extends TokenNaming, Capabilities {
  network: Network
  /** The hot wallet: it receives deposits and pays out. */
  treasury: Address
  /**
   * Whether a payout to this address would be lost or come back to us: burn addresses, token contracts. The server
   * itself checks for our own wallets.
   */
  isUnpayable(address: Address): boolean

  /** The action for the depositor's wallet. */
  depositAction(request: DepositRequest): Promise<DepositAction>
  /** Scans a bounded number of blocks from the cursor on; with no cursor, starts at the head. */
  scan(cursor: Cursor | null, ours: Watchlist): Promise<Scan>
  /** True if `scan` reads only the present treasury's history: deposits to a former treasury are not seen. */
  scansPresentTreasuryOnly?: true
  /** Reads one transaction. */
  inspect(txHash: TxHash, ours: Watchlist): Promise<Inspection>

  /**
   * `by-fee`: a second transaction with a higher fee, or a `cancel` order, can replace the first one in its slot. `none`: a slot
   * admits exactly one transaction; `prepare` refuses to replace or cancel it, and a stuck one waits until it expires.
   */
  replacement: 'by-fee' | 'none'
  /**
   * Checks that the order can be paid and reads current fees. With `replaces`, chooses a fee that replaces that
   * transaction. `recipientGas` is the surcharge that was charged for the recipient's code. If the payment needs more
   * than that and more than `fees` includes, throws `PayoutImpossible`.
   */
  prepare(order: Order, replaces: SignedTransfer | null, recipientGas?: bigint): Promise<PreparedTransfer>
  /**
   * Chooses a free slot. `taken`: the allocated slots that are not settled, and the newest settled ones, oldest first.
   */
  nextSlot(order: Order, draft: PreparedTransfer, taken: readonly Slot[]): Promise<Slot>
  /** Signs without asking a node. Refuses everything that `maxSigningCost` refuses. */
  sign(order: Order, slot: Slot, draft: PreparedTransfer): Promise<SignedTransfer>
  /**
   * The worst-case cost of signing this draft. A signer that does not trust the service uses it. Throws if the draft
   * exceeds what the network's file allows. Asks no node.
   */
  maxSigningCost(order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost
  /**
   * Sends to every node; one that accepts is enough. Must be idempotent: sending the same bytes twice is harmless, and "already
   * known" is a success.
   */
  broadcast(signed: SignedTransfer): Promise<void>
  /**
   * The status of a sent transaction. `signedBefore` finds our own bytes by hash: a transaction may spend the output of
   * an earlier one that was never mined.
   */
  status(transfer: SentTransfer, signedBefore: SignedBefore): Promise<TransferStatus>

  /**
   * The amounts that a mined sweep of this token moved out of each deposit address, and fees that an address paid
   * besides, from the sweep's own transaction and its receipt. Deposits that arrived later, and addresses that could not be emptied, are not in
   * it. By quorum, like `status`. Omit it without deposit addresses.
   */
  sweptBy?(sweep: SignedTransfer, token: Token): Promise<SweptAmount[]>

  fees(): Promise<Fees>
  balance(owner: Address, token: Token): Promise<Amount>
  /** The same as two providers show it, if the network has two. `RetryLater` if they differ. */
  agreedBalance(owner: Address, token: Token): Promise<Amount>
  /** Several balances at one block, with as few requests as the node allows. */
  balances(wanted: readonly { owner: Address; token: Token }[]): Promise<Balances>
  /**
   * How far a balance of this size may be off, in base units, because nodes print it as a double. Omit if balances are exact:
   * then the ledger is compared with them to the unit.
   */
  balanceNoise?(units: bigint): bigint
  /** The state of the network's nodes, the preferred one first. Asks no node. */
  nodeHealth(): NodeHealth[]
}
