/** The `settings` of a Solana network's file, with defaults and clear errors. */
import { type Address, Bug, type Network, type SettingForm, settingsReader } from '@causeway/core'
import { parseAddress } from './address.ts'

export interface Settings {
  /** The genesis hash that every node must report; null if the chain is recreated at each start. */
  genesisHash: string | null
  /** The number of nonce accounts: as many payouts can be in flight at once. */
  nonceAccounts: number
  /** The address from which the nonce accounts are derived; null for the treasury. Their authority is always the treasury. */
  nonceBase: Address | null
  /** The minimum and maximum offer of a payout, in millionths of a lamport per compute unit. */
  minUnitPrice: bigint
  maxUnitPrice: bigint
  /** Mints of the newer token program; all others belong to the older one. */
  token2022: readonly Address[]
  /** Percentage added to the simulated compute units: accounts may have to be created when the transaction is mined. */
  unitMarginPercent: bigint
  /** How deposits are found: in whole blocks, or by transactions that touched our accounts. */
  scan: 'blocks' | 'signatures'
  /** The maximum number of blocks per scan. */
  scanBlocks: number
  /** Subscribes to the treasury's accounts over the first node's WebSocket. */
  subscribe: boolean
  requestTimeoutMs: number
  /** Concurrent requests per node. */
  parallelRequests: number
}

/** The maximum per `getMultipleAccounts` request. */
const MOST_NONCE_ACCOUNTS = 100

/** A genesis hash has the same form as an address. */
const ADDRESS: SettingForm<Address> = { read: parseAddress, wanted: 'base58 of 32 bytes' }

export function parseSettings(network: Network): Settings {
  const read = settingsReader(network)
  const settings: Settings = {
    genesisHash: read.optional('genesis_hash', ADDRESS),
    nonceAccounts: read.integer('nonce_accounts', 8, 1, MOST_NONCE_ACCOUNTS),
    nonceBase: read.optional('nonce_base', ADDRESS),
    minUnitPrice: BigInt(read.integer('min_unit_price', 10_000, 1, 1_000_000_000)),
    // A payout uses some 60,000 units: at this price it pays 0.0003 SOL on top of its signatures.
    maxUnitPrice: BigInt(read.integer('max_unit_price', 5_000_000, 1, 1_000_000_000)),
    token2022: read.list('token_2022', ADDRESS, 'mints'),
    unitMarginPercent: BigInt(read.integer('unit_margin_percent', 25, 0, 300)),
    scan: read.oneOf('scan', ['blocks', 'signatures']),
    // A mainnet block is several megabytes of JSON: a node can answer eight within its time limit.
    scanBlocks: read.integer('scan_blocks', 8, 1, 100),
    subscribe: read.boolean('subscribe', false),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
    parallelRequests: read.integer('parallel_requests', 8, 1, 100),
  }
  read.nothingElse()
  if (settings.minUnitPrice > settings.maxUnitPrice) {
    throw new Bug('min_unit_price is above max_unit_price', { network: network.name })
  }
  return settings
}
