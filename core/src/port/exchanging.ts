/**
 * Exchanging one token for another on the same network, through a provider such as Uniswap. One such exchange is a *leg*
 * of a swap: a *sale* of the deposited token, or a *purchase* that pays the recipient in the same transaction.
 */
import type { Pool, PoolState } from '../exchange/pool.ts'
import type { Address, TxHash } from '../money/address.ts'
import type { BlockRef } from '../money/block.ts'
import type { Amount } from '../money/money.ts'
import type { Token } from '../money/network.ts'
import type { DepositAction, PreparedCall } from './depositing.ts'

/** One exchange of exactly `sells`. The pool itself enforces `minUnits` and the deadline. */
export interface Exchange {
  provider: string
  network: string
  sells: Amount
  buys: Token
  /** The minimum of `buys` that must arrive; with less, the transaction fails. */
  minUnits: bigint
  /** The recipient of `buys`: our hot wallet (sale), the user (purchase), or the deposit address of a depositor's exchange. */
  to: Address
  deadline: Date
  /** How the family makes the exchange, as `routeText` writes it. */
  route: string
}

/** An approval as a family reads it from the bytes of a call. */
export interface RouterApproval {
  router: Address
  /** The contract of the approved token. */
  token: Address
  units: bigint
}

/** The states of pools, all read at one block. */
export interface PoolStates {
  block: BlockRef
  /** In the order of the request; null for a pool that cannot be read. */
  states: (PoolState | null)[]
}

/** The chain has exchanges that we can trade on. */
export interface Exchanges {
  /** Reads pools with as few requests as the node allows. Asks a node. */
  readPools(pools: readonly Pool[]): Promise<PoolStates>
  /** How much of the token the router may take from the hot wallet. Asks a node. */
  allowance(router: Address, token: Token): Promise<bigint>
  /** The call that sets the router's allowance to exactly `units`. */
  approvalCall(router: Address, token: Token, units: bigint): PreparedCall
  /** The approval that a prepared call is, decoded from its bytes; null for any other call. Asks no node. */
  approvalIn(call: PreparedCall): RouterApproval | null
  /**
   * Why the call in an exchange's route does something else than the exchange says; null if it does exactly that. Only
   * the call of an aggregator can differ. Asks no node.
   */
  objectionTo(exchange: Exchange): string | null
  /**
   * The transactions by which a depositor makes this exchange from its own wallet: an approval of exactly the amount,
   * unless the token is the native one, and the router's call. Asks no node.
   */
  depositActions(exchange: Exchange): DepositAction[]
  /**
   * The output that the recipient would get now, by simulation. Throws `PayoutImpossible` if it would fail. Asks a
   * node.
   */
  exactOut(exchange: Exchange): Promise<bigint>
  /** The units of `buys` that a mined exchange gave to its recipient, from its receipt. By quorum, like `status`. */
  received(hash: TxHash, exchange: Exchange): Promise<bigint>
}
