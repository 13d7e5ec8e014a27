/**
 * What networks of this code may differ in: whose account the treasury is, what pays fees, how a payout is worded, and
 * whether reads are signed. Starknet is one kind; others build theirs on the same parts.
 */
import type { Address, KeyRef, Network, NetworkType, Signer, Transfer } from '@causeway/core'
import type { Node, Wording } from './node/node.ts'
import type { Settings } from './settings.ts'
import type { ContractCall } from './transaction.ts'

export interface Kind {
  type: NetworkType
  /** How the native token is named where an address is wanted. */
  nativeAddress: Address
  treasuryKey: KeyRef
  /** The network of this kind whose coins are worth something. */
  mainnetId: bigint
  /** Reads a network's file; throws where it says something wrong. */
  profileOf(network: Network): Profile
}

/** One network by its file. */
export interface Profile {
  settings: Settings
  /** What the treasury's account was deployed with: its address follows from it. */
  constructorCalldata(publicKey: bigint): bigint[]
  /** Pays all of these in one transaction, whole or not at all. */
  payoutCalls(transfers: readonly Transfer[]): ContractCall[]
  /** Contracts that payouts go through, where nobody can be paid. */
  contracts: readonly Address[]
  /** Whether a trial that failed for this reason may go through later. */
  isPassing(reason: string): boolean
  /** Present where nodes answer fully only to whom they know: what goes beside the text of a request. */
  wording?(signer: Signer, treasury: Address): Wording
  /** What a node must show besides its chain before it is believed; `plain` is the same one, asked by nobody in particular. */
  examine?(node: Node, plain: Node, treasury: Address): Promise<void>
}
