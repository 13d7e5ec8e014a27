/**
 * The ways to deposit: what the depositor's wallet must do, and two optional capabilities, the Depository contract and gasless
 * deposits by signature.
 */
import type { Address } from '../money/address.ts'
import type { Token } from '../money/network.ts'
import type { DepositActionType } from '../money/vocabulary.ts'

export interface DepositRequest {
  token: Token
  /** The amount in base units; zero if the sender chooses it. */
  units: bigint
  receiver: Address
  reference: bigint
  /** The sender, if the caller named it. */
  sourceAddress: Address | null
}

export interface DepositAction {
  type: DepositActionType
  toAddress: string
  /** The value of the transaction itself: zero if the amount is inside `callData`. */
  units: bigint
  callData: string | null
  gasLimit: bigint | null
  encodedArgs: string[] | null
  /** Present if the type is `sign`. */
  signing?: SigningRequest
}

export interface SigningRequest {
  /** The typed data in the form that the family's wallets accept. */
  typedData: Record<string, unknown>
  /** Unix seconds between which the signature is valid. */
  validAfter: number
  validBefore: number
  nonce: string
}

/** A call that the family encoded. Opaque text: the server stores it and passes it back unchanged. */
export type PreparedCall = string

export interface Depository {
  /** Whether this token can be deposited now, according to the newest survey. */
  accepts(token: Token): boolean
  depositAction(request: DepositRequest): Promise<DepositAction>
  /** The state of the contracts on chain, for an operator. Asks a node. */
  report(): Promise<Record<string, unknown>>
  /** The calls that make the requested change; empty if there is nothing to do. Asks a node. */
  change(wanted: DepositoryChange): Promise<ContractChange[]>
}

export type DepositoryChange =
  /** `relaysForOwner`: also deploy the Paymaster if one key owns the Depository and relays deposits. */
  | { action: 'deploy'; relaysForOwner?: boolean }
  /** Deploys the contract that empties deposit addresses. */
  | { action: 'factory' }
  | { action: 'pause' | 'unpause' }
  | { action: 'rotate'; from: Address; to: Address }

export interface ContractChange {
  /** A description for operators. */
  title: string
  /** The only account that may make this call; null if any account may. */
  by: Address | null
  to: Address
  data: string
  call: PreparedCall
}

export interface Gasless {
  /** Whether this token's contract accepts signatures, according to the newest survey. */
  supports(token: Token): boolean
  /** The deposit action with the text that the owner must sign. */
  depositAction(request: GaslessRequest): Promise<DepositAction>
  /** Checks a signature over exactly this request. Asks a node. */
  authorize(request: GaslessRequest, signature: string): Promise<GaslessVerdict>
}

export interface GaslessRequest {
  token: Token
  units: bigint
  receiver: Address
  reference: bigint
  /** The owner of the money, who signs. */
  owner: Address
  /** The end of the signature's validity, in Unix seconds. */
  validBefore: number
}

export type GaslessVerdict =
  | { state: 'valid'; nonce: string; call: PreparedCall }
  | { state: 'insufficient' | 'rejected'; reason: string }
