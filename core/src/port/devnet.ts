/**
 * The port of a local chain: what a family's `local` package exports as `devnet`. The sandbox, the demo and the tests use it to
 * fund, mine, reorg and deposit without knowing the family.
 */
import type { Address, TxHash } from '../money/address.ts'
import type { Network, Token } from '../money/network.ts'
import type { NetworkType } from '../money/vocabulary.ts'
import type { DepositAction } from './depositing.ts'

export interface TestAccount {
  address: Address
  /** The private key in the form that this family's wallets import. It is worthless outside a local chain. */
  secret: string
}

export interface Devnet {
  /** The name of the software that runs the chain, for display. */
  engine: string
  /** True if the chain is simulated by our own code instead of the network's real software. */
  simulated: boolean
  /** Node addresses by network name. */
  nodes: Readonly<Record<string, string>>
  /** Test accounts, funded with every token on every network of the family. */
  accounts: readonly TestAccount[]
  /** An account's address on this network; absent if the address is the same on every network of the family. */
  addressOn?(network: string, account: TestAccount): Address
  /** Mints this many base units. */
  fund(token: Token, address: Address, units: bigint): Promise<void>
  mine(network: string, blocks: number): Promise<void>
  /** Replaces the newest `depth` blocks by `depth` + 1 empty ones. Transactions of the replaced blocks are dropped. */
  reorg(network: string, depth: number): Promise<void>
  /**
   * Carries out a deposit action as a wallet would: approves the token if needed, signs with the account, sends.
   * Returns the hash once the transaction is in a block.
   */
  deposit(
    account: TestAccount,
    token: Token,
    action: Pick<DepositAction, 'toAddress' | 'units' | 'callData'>,
  ): Promise<TxHash>
  /** Signs the typed data of a deposit action as the account's wallet would; absent if the family has none. */
  sign?(account: TestAccount, typedData: Record<string, unknown>): Promise<string>
  /** Signs a plain text as the account's wallet would; absent if the family has no text signatures. */
  signText?(account: TestAccount, text: string): Promise<string>
  /** A plain transfer of the token without any memo, as an exchange or a wallet makes it. */
  transfer(account: TestAccount, token: Token, to: Address, units: bigint): Promise<TxHash>
  balance(token: Token, address: Address): Promise<bigint>
  /** Prepares an address to receive payments, as its owner would; absent if every address can receive. */
  introduce?(network: string, address: Address): Promise<void>
  /** Acts on the pools of a pool token, as other traders and liquidity providers would; absent if there are no exchanges. */
  pools?: {
    /** Changes the token's price by this many percent. */
    move(token: Token, percent: number): Promise<void>
    /** Takes the liquidity out. */
    empty(token: Token): Promise<void>
  }
  stop(): Promise<void>
}

/** The test accounts with their addresses on this network. */
export function accountsOn(devnet: Devnet, network: string): TestAccount[] {
  const { accounts, addressOn } = devnet
  return accounts.map((account) => (addressOn ? { ...account, address: addressOn(network, account) } : account))
}

export interface DevnetFamily {
  type: NetworkType
  /**
   * The settings that a network needs so that this local chain can replace it; null if it cannot. If absent, it
   * replaces every network of the family unchanged.
   */
  standIn?(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null
  /**
   * Starts one chain per network: lists its tokens at their contracts, deploys the contracts that this treasury needs,
   * and funds the test accounts.
   */
  start(options: { networks: readonly Network[]; treasuries: Readonly<Record<string, Address>> }): Promise<Devnet>
}
