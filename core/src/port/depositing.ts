/**
 * The part of the port about ways to deposit: what a depositor is told to do, and where a family offers it, the Depository and
 * deposits by signature alone.
 */
import type { Address } from '../money/address.ts'
import type { Token } from '../money/network.ts'
import type { DepositActionType } from '../money/vocabulary.ts'

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
  type: DepositActionType
  toAddress: string
  /** What the transaction itself carries: zero where the amount is inside `callData`. */
  units: bigint
  callData: string | null
  gasLimit: bigint | null
  encodedArgs: string[] | null
  /** What is to be signed, where the type is `sign`. */
  signing?: SigningRequest
}

export interface SigningRequest {
  /** In the family's own form, as wallets take it. */
  typedData: Record<string, unknown>
  /** Unix seconds between which the signature can be used. */
  validAfter: number
  validBefore: number
  nonce: string
}

/** Plain text that only the family reads; it is stored and comes back as it was. */
export type PreparedCall = string

export interface Depository {
  /** Whether this token can be deposited now, by the newest survey. */
  accepts(token: Token): boolean
  depositAction(request: DepositRequest): Promise<DepositAction>
  /** What stands on chain, for an operator to read. Asks a node. */
  report(): Promise<Record<string, unknown>>
  /** The calls that bring about a change; none where nothing is to be done. Asks a node. */
  change(wanted: DepositoryChange): Promise<ContractChange[]>
}

export type DepositoryChange =
  /** `relaysForOwner`: also what relays, where one key would own the Depository and relay. */
  | { action: 'deploy'; relaysForOwner?: boolean }
  /** What empties deposit addresses. */
  | { action: 'factory' }
  | { action: 'pause' | 'unpause' }
  | { action: 'rotate'; from: Address; to: Address }

export interface ContractChange {
  /** For people. */
  title: string
  /** Whom the chain lets do it; null where anybody may. */
  by: Address | null
  to: Address
  data: string
  call: PreparedCall
}

export interface Gasless {
  /** Whether this token's contract takes signatures, by the newest survey. */
  supports(token: Token): boolean
  /** What the owner is asked to sign. */
  depositAction(request: GaslessRequest): Promise<DepositAction>
  /** Judges a signature of exactly this request. Asks a node. */
  authorize(request: GaslessRequest, signature: string): Promise<GaslessVerdict>
}

export interface GaslessRequest {
  token: Token
  units: bigint
  receiver: Address
  reference: bigint
  /** Whose money it is, and who signs. */
  owner: Address
  /** Unix seconds. */
  validBefore: number
}

export type GaslessVerdict =
  | { state: 'valid'; nonce: string; call: PreparedCall }
  | { state: 'insufficient' | 'rejected'; reason: string }
