/** The `settings` of a Cosmos network's file, with defaults and clear errors. */
import { Bug, decimalForm, type Network, type SettingForm, settingsReader, textForm } from '@causeway/core'

/** How keys become addresses, and which hash is signed. */
export type KeyType = 'secp256k1' | 'eth_secp256k1'

/** The source of the current gas price: none, or the chain's own module. */
export type FeeModel = 'fixed' | 'feemarket' | 'osmosis' | 'injective' | 'evm'

export interface Settings {
  chainId: string
  prefix: string
  /** The native token's denomination; fees are paid in it. */
  denom: string
  coinType: number
  key: KeyType
  /** The chain's name for that key type in a transaction. */
  pubkeyType: string
  feeModel: FeeModel
  /** The lowest gas price that is offered, in 10^-18 base units. */
  gasPrice: bigint
  /** The highest gas price; above it payouts wait. */
  maxGasPrice: bigint
  /** Percentage added to the gas of a simulation. */
  gasMarginPercent: bigint
  /** The maximum gas per message. */
  maxMessageGas: bigint
  /** A transaction expires this many blocks after it was drafted. */
  timeoutBlocks: bigint
  /**
   * `results`: every block is read with its results. `candidates`: results only of blocks whose transactions name us.
   * `events`: headers and results, and a whole block only if its events name us (Celestia's blocks hold blobs).
   */
  scan: 'results' | 'candidates' | 'events'
  /** The maximum number of blocks per scan. */
  scanBlocks: number
  /** A block that distinguishes the chain from another one with the same id; null if the id is enough. */
  firstBlock: { height: bigint; hash: string } | null
  /** False on chains whose `data_hash` does not cover the transactions (Celestia). */
  checksData: boolean
  /** False on chains that hash results differently. */
  checksResults: boolean
  /** The age of the newest block above which the node or the chain counts as stuck. */
  maxHeadAgeMs: number
  requestTimeoutMs: number
}

/** Decimals of the chain's own price format. */
export const PRICE_DECIMALS = 18
const PUBKEY_TYPES: Record<KeyType, string> = {
  secp256k1: '/cosmos.crypto.secp256k1.PubKey',
  eth_secp256k1: '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey',
}

const PREFIX = textForm(/^[a-z][a-z0-9]{1,30}$/, 'the prefix of addresses in lower case')
const DENOM = textForm(/^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/, 'a denomination')
const PUBKEY_TYPE = textForm(/^\/[A-Za-z0-9_.]+$/, 'the name of a key type')
const PRICE = decimalForm(PRICE_DECIMALS, 'base units for one gas in decimal text, above zero')
const BLOCK: SettingForm<{ height: bigint; hash: string }> = {
  read(text) {
    const [, height, hash] = /^([1-9]\d{0,15}) ([0-9A-F]{64})$/.exec(text) ?? []
    return height !== undefined && hash !== undefined ? { height: BigInt(height), hash } : null
  },
  wanted: 'a height, a space and 64 digits of hash in upper case',
}

export function parseSettings(network: Network): Settings {
  const read = settingsReader(network)
  if (!network.chainId) throw new Bug('a Cosmos network needs a chain_id', { network: network.name })
  const key: KeyType = read.oneOf('key', ['secp256k1', 'eth_secp256k1'])
  const gasPrice = read.needed('gas_price', PRICE)
  const settings: Settings = {
    chainId: network.chainId,
    prefix: read.needed('prefix', PREFIX),
    denom: read.needed('denom', DENOM),
    coinType: read.integer('coin_type', key === 'secp256k1' ? 118 : 60, 0, 2 ** 31 - 1),
    key,
    pubkeyType: read.optional('pubkey_type', PUBKEY_TYPE) ?? PUBKEY_TYPES[key],
    feeModel: read.oneOf('fee_model', ['fixed', 'feemarket', 'osmosis', 'injective', 'evm']),
    gasPrice,
    maxGasPrice: read.needed('max_gas_price', PRICE),
    gasMarginPercent: BigInt(read.integer('gas_margin_percent', 40, 0, 300)),
    maxMessageGas: BigInt(read.integer('max_message_gas', 400_000, 50_000, 50_000_000)),
    timeoutBlocks: BigInt(read.integer('timeout_blocks', 40, 5, 10_000)),
    scan: read.oneOf('scan', ['results', 'candidates', 'events']),
    scanBlocks: read.integer('scan_blocks', 40, 1, 1_000),
    firstBlock: read.optional('first_block', BLOCK),
    checksData: read.boolean('check_data_hash', true),
    checksResults: read.boolean('check_results_hash', true),
    maxHeadAgeMs: read.integer('max_head_age_seconds', 120, 5, 86_400) * 1_000,
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
  }
  read.nothingElse()
  if (settings.maxGasPrice < gasPrice)
    throw new Bug('max_gas_price must not be below gas_price', { network: network.name })
  return settings
}
