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
  /** The key in the form that this family's wallets import. Worth nothing outside a local chain. */
  secret: string
}

export interface Devnet {
  /** The software that runs the chain, for people to read. */
  engine: string
  /** True if it is a double of the network, not its real software. */
  simulated: boolean
  /** Node addresses by network name. */
  nodes: Readonly<Record<string, string>>
  /** Funded with every token on every network of the family. */
  accounts: readonly TestAccount[]
  /** How a network writes the address of one of them; absent if all networks of the family write it alike. */
  addressOn?(network: string, account: TestAccount): Address
  /** Mints this many base units. */
  fund(token: Token, address: Address, units: bigint): Promise<void>
  mine(network: string, blocks: number): Promise<void>
  /** Replaces the newest `depth` blocks by empty ones, one more than before; their transactions are dropped. */
  reorg(network: string, depth: number): Promise<void>
  /**
   * Does what a wallet does with a deposit action: approves where that is needed, signs with the account, sends, answers
   * the hash once it is in a block.
   */
  deposit(
    account: TestAccount,
    token: Token,
    action: Pick<DepositAction, 'toAddress' | 'units' | 'callData'>,
  ): Promise<TxHash>
  /** Signs the typed data of a deposit action as the account's wallet would; absent if the family has none. */
  sign?(account: TestAccount, typedData: Record<string, unknown>): Promise<string>
  /** Signs a plain text in the same way; absent likewise. */
  signText?(account: TestAccount, text: string): Promise<string>
  /** A plain transfer of the token without any memo, as an exchange or a wallet makes it. */
  transfer(account: TestAccount, token: Token, to: Address, units: bigint): Promise<TxHash>
  balance(token: Token, address: Address): Promise<bigint>
  /** Makes an address payable, as its owner would; absent if every address is. */
  introduce?(network: string, address: Address): Promise<void>
  stop(): Promise<void>
}

/** The test accounts as this network writes them. */
export function accountsOn(devnet: Devnet, network: string): TestAccount[] {
  const { accounts, addressOn } = devnet
  return accounts.map((account) => (addressOn ? { ...account, address: addressOn(network, account) } : account))
}

export interface DevnetFamily {
  type: NetworkType
  /**
   * The settings of a local chain that replaces a network with these; null if it cannot. If absent, it replaces every
   * network of the family unchanged.
   */
  standIn?(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null
  /**
   * Brings up one chain a network, with its listed tokens at their listed contracts, whatever the family needs deployed
   * for this treasury, and the test accounts funded.
   */
  start(options: { networks: readonly Network[]; treasuries: Readonly<Record<string, Address>> }): Promise<Devnet>
}
