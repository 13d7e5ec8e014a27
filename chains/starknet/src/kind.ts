/**
 * The differences between networks of this code: the treasury's account, the fee token, the form of a payout, and
 * whether reads are signed. Starknet is one kind; others build theirs on the same parts.
 */
import type { Address, KeyRef, Network, NetworkType, Signer, Transfer } from '@causeway/core'
import type { Node, Wording } from './node/node.ts'
import type { Settings } from './settings.ts'
import type { ContractCall } from './transaction.ts'

export interface Kind {
  type: NetworkType
  /** The address by which callers name the native token. */
  nativeAddress: Address
  treasuryKey: KeyRef
  /** The chain id of the mainnet of this kind, whose coins have value. */
  mainnetId: bigint
  /** Reads a network's file; throws if it is invalid. */
  profileOf(network: Network): Profile
}

/** The settings of one network, from its file. */
export interface Profile {
  settings: Settings
  /** The constructor arguments of the treasury's account: its address follows from them. */
  constructorCalldata(publicKey: bigint): bigint[]
  /** The calls that pay all these transfers in one transaction, completely or not at all. */
  payoutCalls(transfers: readonly Transfer[]): ContractCall[]
  /** Contracts that payouts go through. They cannot be recipients. */
  contracts: readonly Address[]
  /** Whether a simulation that failed for this reason may succeed later. */
  isPassing(reason: string): boolean
  /** Present if nodes mask answers to unknown callers: the headers that authenticate a request. */
  wording?(signer: Signer, treasury: Address): Wording
  /** A further check before a node is trusted; `plain` is the same node without our authentication. */
  examine?(node: Node, plain: Node, treasury: Address): Promise<void>
}
