/** What a Cosmos network's file may say under `settings`, with the defaults and a clear word about what is wrong. */
import { Bug, type Network, parseDecimal } from '@causeway/core'

/** How keys become addresses, and which hash is signed. */
export type KeyType = 'secp256k1' | 'eth_secp256k1'

/** Where today's price of gas is asked: nowhere, or of the module that the chain has for it. */
export type FeeModel = 'fixed' | 'feemarket' | 'osmosis' | 'evm'

export interface Settings {
  chainId: string
  prefix: string
  /** The native token's denomination; fees are paid in it. */
  denom: string
  coinType: number
  key: KeyType
  /** How the chain names that kind of key in a transaction. */
  pubkeyType: string
  feeModel: FeeModel
  /** Base units for one gas, in 10^-18; the least that is offered. */
  gasPrice: bigint
  /** Above it payouts wait. */
  maxGasPrice: bigint
  /** Added to what a trial used. */
  gasMarginPercent: bigint
  /** The most gas that one message may ask for. */
  maxMessageGas: bigint
  /** A transaction is void so many blocks after it was drafted. */
  timeoutBlocks: bigint
  /** Whether the results of every block are read, or of those alone whose transactions name us. */
  scan: 'results' | 'candidates'
  /** Blocks read in one scan at most. */
  scanBlocks: number
  /** By this a chain is told from another one of the same id; null where the id must do. */
  firstBlock: { height: bigint; hash: string } | null
  /** False where a block's `data_hash` is over something else than its transactions (Celestia). */
  checksData: boolean
  /** False where a chain hashes results in a way of its own. */
  checksResults: boolean
  /** A node whose newest block is older stands still, or the chain does. */
  maxHeadAgeMs: number
  requestTimeoutMs: number
}

/** Of a price, as the chain's own decimals. */
export const PRICE_DECIMALS = 18
const PUBKEY_TYPES: Record<KeyType, string> = {
  secp256k1: '/cosmos.crypto.secp256k1.PubKey',
  eth_secp256k1: '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey',
}

export function parseSettings(network: Network): Settings {
  const read = reader(network)
  if (!network.chainId) throw new Bug('a Cosmos network needs a chain_id', { network: network.name })
  const key: KeyType = read.oneOf('key', ['secp256k1', 'eth_secp256k1'])
  const gasPrice = read.price('gas_price')
  const settings: Settings = {
    chainId: network.chainId,
    prefix: read.text('prefix', /^[a-z][a-z0-9]{1,30}$/, 'the prefix of addresses in lower case'),
    denom: read.text('denom', /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/, 'a denomination'),
    coinType: read.integer('coin_type', key === 'secp256k1' ? 118 : 60, 0, 2 ** 31 - 1),
    key,
    pubkeyType: read.text('pubkey_type', /^\/[A-Za-z0-9_.]+$/, 'the name of a key type', PUBKEY_TYPES[key]),
    feeModel: read.oneOf('fee_model', ['fixed', 'feemarket', 'osmosis', 'evm']),
    gasPrice,
    maxGasPrice: read.price('max_gas_price'),
    gasMarginPercent: BigInt(read.integer('gas_margin_percent', 40, 0, 300)),
    maxMessageGas: BigInt(read.integer('max_message_gas', 400_000, 50_000, 50_000_000)),
    timeoutBlocks: BigInt(read.integer('timeout_blocks', 40, 5, 10_000)),
    scan: read.oneOf('scan', ['results', 'candidates']),
    scanBlocks: read.integer('scan_blocks', 40, 1, 1_000),
    firstBlock: read.block('first_block'),
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

function reader(network: Network) {
  const known = new Set<string>()
  const raw = (key: string, fallback: unknown): unknown => {
    known.add(key)
    return network.settings[key] ?? fallback
  }
  const wrong = (key: string, value: unknown, wanted: string) =>
    new Bug(`setting ${key} must be ${wanted}`, { network: network.name, value })
  return {
    integer(key: string, fallback: number, least: number, most: number): number {
      const value = raw(key, fallback)
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
      throw wrong(key, value, `a whole number from ${least} to ${most}`)
    },
    text(key: string, form: RegExp, wanted: string, fallback?: string): string {
      const value = raw(key, fallback)
      if (typeof value === 'string' && form.test(value)) return value
      throw wrong(key, value, wanted)
    },
    boolean(key: string, fallback: boolean): boolean {
      const value = raw(key, fallback)
      if (typeof value === 'boolean') return value
      throw wrong(key, value, 'true or false')
    },
    /** Whole text, since a price like 0.005 has no exact number. */
    price(key: string): bigint {
      const value = raw(key, undefined)
      const price = typeof value === 'string' ? parseDecimal(value, PRICE_DECIMALS) : null
      if (price !== null && price > 0n) return price
      throw wrong(key, value, 'base units for one gas in decimal text, above zero')
    },
    /** The first where nothing is said. */
    oneOf<const T extends string>(key: string, words: readonly [T, ...T[]]): T {
      const value = raw(key, words[0])
      const found = words.find((word) => word === value)
      if (found !== undefined) return found
      throw wrong(key, value, `one of ${words.join(', ')}`)
    },
    block(key: string): { height: bigint; hash: string } | null {
      const value = raw(key, null)
      if (value === null) return null
      const [, height, hash] = (typeof value === 'string' && /^([1-9]\d{0,15}) ([0-9A-F]{64})$/.exec(value)) || []
      if (height !== undefined && hash !== undefined) return { height: BigInt(height), hash }
      throw wrong(key, value, 'a height, a space and 64 digits of hash in upper case')
    },
    nothingElse(): void {
      const strange = Object.keys(network.settings).find((key) => !known.has(key))
      if (strange !== undefined) throw new Bug(`setting ${strange} is unknown here`, { network: network.name })
    },
  }
}
