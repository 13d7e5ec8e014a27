/** The `settings` of a Tron network's file, with defaults and clear errors. */
import { type Address, type Network, type SettingForm, settingsReader, textForm } from '@causeway/core'
import { parseAddress } from './address.ts'

export interface Settings {
  /** The id of block 0, which identifies the network. Networks of this family are otherwise alike. */
  genesis: string
  requestTimeoutMs: number
  /** The maximum number of blocks per scan; a busy one is half a megabyte. */
  scanBlocks: number
  /** How long a signed transaction can be mined, by the chain's clock. */
  expirationMs: number
  /** A node whose newest block is older is not used. */
  maxLagMs: number
  /**
   * A node whose newest block is ahead of our own clock by more is not used either: a transaction with its date is
   * neither mined nor expired.
   */
  maxLeadMs: number
  /** The maximum energy cost of one payment, or of sweeping one address; above it payouts wait. All of it can burn. */
  maxFeeLimit: bigint
  /** The maximum cost in addition to energy: bytes, and a recipient's new account. */
  maxFlatFee: bigint
  /** Energy of a token transfer to an account without that token. */
  tokenEnergy: bigint
  /** Energy of the first sweep of a deposit address. */
  sweepEnergy: bigint
  /** Percentage added to a simulation: popular contracts may get more expensive before inclusion. */
  energyMarginPercent: bigint
  /** The smallest deposit of coins: every active account receives smaller ones as spam. */
  dust: bigint
  /** The factory that sweeps deposit addresses. They follow from it, so it may never change. Null if there are none. */
  factory: Address | null
  depository: Address | null
  /** The owner of a Depository that we deploy, who may pause it and change its receivers; null: the treasury. */
  depositoryOwner: Address | null
  /** The maximum energy cost of creating one of our contracts. */
  makingFeeLimit: bigint
  /** Earlier Depositories: deposits through them are still credited. */
  oldDepositories: Address[]
  /** Ids of blocks whose transactions an operator confirms, because what nodes show does not match their root. */
  unprovenBlocks: ReadonlySet<string>
}

const TRX_DECIMALS = 6
const ADDRESS: SettingForm<Address> = { read: parseAddress, wanted: 'an address' }
const BLOCK_ID = textForm(/^[0-9a-f]{64}$/, "a block's id, 64 digits of lower-case hex")
/** The genesis block of the public mainnet. */
export const MAIN_GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'

export function parseSettings(network: Network): Settings {
  const read = settingsReader(network)
  const trx = (key: string, fallback: string) => read.coins(key, fallback, TRX_DECIMALS, 'TRX')
  const settings: Settings = {
    genesis: read.needed('genesis', BLOCK_ID),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
    scanBlocks: read.integer('scan_blocks', 10, 1, 100),
    expirationMs: read.integer('expiration_seconds', 180, 60, 3_600) * 1_000,
    maxLagMs: read.integer('max_lag_seconds', 60, 10, 3_600) * 1_000,
    maxLeadMs: read.integer('max_lead_seconds', 60, 10, 1_000_000) * 1_000,
    maxFeeLimit: trx('max_fee_limit', '60'),
    maxFlatFee: trx('max_flat_fee', '8'),
    tokenEnergy: BigInt(read.integer('token_energy', 131_000, 10_000, 10_000_000)),
    sweepEnergy: BigInt(read.integer('sweep_energy', 260_000, 10_000, 10_000_000)),
    energyMarginPercent: BigInt(read.integer('energy_margin_percent', 30, 0, 300)),
    dust: trx('dust', '0.001'),
    factory: read.optional('forwarder_factory', ADDRESS),
    depository: read.optional('depository', ADDRESS),
    depositoryOwner: read.optional('depository_owner', ADDRESS),
    makingFeeLimit: trx('making_fee_limit', '200'),
    oldDepositories: read.list('old_depositories', ADDRESS, 'addresses'),
    unprovenBlocks: new Set(read.list('unproven_blocks', BLOCK_ID, "blocks' ids")),
  }
  read.nothingElse()
  return settings
}
