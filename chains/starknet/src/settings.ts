/** The `settings` of a network's file, with defaults and clear errors. */
import { type Address, Bug, type Network, type SettingForm, type SettingsReader } from '@causeway/core'
import { parseAddress } from './address.ts'
import { felt, shortString } from './felt.ts'

export interface Settings {
  /** The class of the treasury's account. Its address follows from it, so it never changes. */
  accountClass: bigint
  /** Additional classes of the account: upgrades that an operator has reviewed. */
  accountUpgrades: readonly bigint[]
  /** Our contract that names a deposit's swap; null if there is none: then nothing can be deposited. */
  watchdog: Address | null
  /** The contract of the native token, which pays fees. */
  feeToken: Address
  /** The maximum price of one unit of gas in base units of the native token; above it payouts wait. */
  maxL2Price: bigint
  maxDataPrice: bigint
  /** Cap as a multiple of the usual gas price of the last half hour. */
  maxFeeMultiple: bigint
  /** The usual gas of a transaction itself, and of each transfer in it. */
  baseL2Gas: bigint
  transferL2Gas: bigint
  baseDataGas: bigint
  transferDataGas: bigint
  /** The maximum number of transfers per transaction. */
  maxTransfers: number
  /** The maximum number of transactions ahead of the chain's next nonce: sequencers drop those that wait long. */
  maxInFlight: number
  /** The maximum number of blocks per scan. */
  scanBlocks: number
  /** The maximum number of events per answer. */
  eventChunk: number
  requestTimeoutMs: number
  /** Requests per HTTP call; 1 if a node does not support batches. */
  batchSize: number
}

export type Defaults = Pick<Settings, 'accountClass' | 'maxL2Price' | 'maxDataPrice' | 'batchSize'> & {
  feeToken: Address | null
}

export const FELT: SettingForm<bigint> = {
  read(text) {
    try {
      return felt(text)
    } catch {
      return null
    }
  },
  wanted: 'a hex number',
}
/** An address must be written exactly as it is shown and compared. */
export const ADDRESS: SettingForm<Address> = {
  read: (text) => (parseAddress(text) === text ? text : null),
  wanted: 'an address in lower case with all 64 digits',
}
/** Base units exceed JSON's safe integers: they are written as text. */
const UNITS: SettingForm<bigint> = {
  read: (text) => (/^[1-9]\d{0,30}$/.test(text) ? BigInt(text) : null),
  wanted: 'a whole number above zero, as text',
}

/**
 * Reads the settings that every network of this kind has. A kind with more settings reads them first and ends with
 * `nothingElse`.
 */
export function readSettings(read: SettingsReader, defaults: Defaults): Settings {
  const feeToken = read.optional('fee_token', ADDRESS) ?? defaults.feeToken
  if (feeToken === null) throw read.wrong('fee_token', null, 'given')
  return {
    accountClass: read.optional('account_class', FELT) ?? defaults.accountClass,
    accountUpgrades: read.list('account_upgrades', FELT, 'hex numbers'),
    watchdog: read.optional('watchdog', ADDRESS),
    feeToken,
    maxL2Price: read.optional('max_l2_price', UNITS) ?? defaults.maxL2Price,
    maxDataPrice: read.optional('max_data_price', UNITS) ?? defaults.maxDataPrice,
    maxFeeMultiple: BigInt(read.integer('max_fee_multiple', 10, 2, 1_000_000)),
    // Two calls took 1,319,265 L2 gas and 256 data gas on Sepolia; a new recipient takes more.
    baseL2Gas: BigInt(read.integer('base_l2_gas', 1_000_000, 0, 100_000_000)),
    transferL2Gas: BigInt(read.integer('transfer_l2_gas', 1_000_000, 1, 100_000_000)),
    baseDataGas: BigInt(read.integer('base_data_gas', 256, 0, 1_000_000)),
    transferDataGas: BigInt(read.integer('transfer_data_gas', 320, 1, 1_000_000)),
    maxTransfers: read.integer('max_transfers', 25, 1, 100),
    maxInFlight: read.integer('max_in_flight', 16, 1, 150),
    scanBlocks: read.integer('scan_blocks', 100, 1, 1_000),
    eventChunk: read.integer('event_chunk', 1_000, 1, 10_000),
    requestTimeoutMs: read.integer('request_timeout_ms', 5_000, 100, 60_000),
    batchSize: read.integer('batch_size', defaults.batchSize, 1, 1_000),
  }
}

/** The chain id, which is part of every hash. */
export function chainIdOf({ name, chainId }: Network): bigint {
  try {
    if (chainId !== null) return felt(chainId)
  } catch {}
  throw new Bug('a network of this kind needs its chain_id as a hex number', { network: name, chainId })
}

export const SN_MAIN = shortString('SN_MAIN')
