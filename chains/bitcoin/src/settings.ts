/** The `settings` of a Bitcoin network's file, the facts of each public chain, and our derivation paths. */
import {
  Bug,
  type KeyRef,
  type Network,
  parseDecimal,
  type SweepSource,
  settingsReader,
  wordForm,
} from '@causeway/core'

export const CHAINS = {
  main: {
    genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    prefixes: { bech32: 'bc', pubKeyHash: 0x00, scriptHash: 0x05, wif: 0x80 },
    coinType: 0,
  },
  test: {
    genesis: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
    prefixes: { bech32: 'tb', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
    coinType: 1,
  },
  testnet4: {
    genesis: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
    prefixes: { bech32: 'tb', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
    coinType: 1,
  },
  signet: {
    genesis: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
    prefixes: { bech32: 'tb', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
    coinType: 1,
  },
  regtest: {
    genesis: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    prefixes: { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
    coinType: 1,
  },
} as const

/** The chain's name in `getblockchaininfo`. */
export type ChainName = keyof typeof CHAINS

export interface Prefixes {
  bech32: string
  pubKeyHash: number
  scriptHash: number
  wif: number
}

export interface Settings {
  chain: ChainName
  /** Fee rates in sat per 1000 virtual bytes; in the file they are in sat per virtual byte. */
  minFeeRate: bigint
  maxFeeRate: bigint
  /** The most satoshis that one transaction may leave to the miner, whatever its size; the file has whole coins. */
  maxFee: bigint
  /**
   * At this rate or below, payouts also spend small UTXOs of the treasury if it has many: later each would cost more.
   */
  quietFeeRate: bigint
  /** The fee rate if the node has no estimate. */
  fallbackFeeRate: bigint
  /** The target of the estimate: inclusion within this many blocks. */
  feeTargetBlocks: number
  /** The maximum number of blocks per scan. */
  scanBlocks: number
  requestTimeoutMs: number
  /** Requests per HTTP call; 1 if a node does not support batches. */
  batchSize: number
  /** Whether pending deposits are reported. It costs one call per new transaction of the whole network. */
  watchMempool: boolean
  /** Long polling for the next block: bitcoind supports it, providers do not. */
  longPoll: boolean
}

const BTC_DECIMALS = 8

export function parseSettings(network: Network): Settings {
  const read = reader(network)
  const settings: Settings = {
    chain: read.needed('chain', wordForm(Object.keys(CHAINS) as ChainName[])),
    minFeeRate: read.rate('min_fee_rate', 1),
    maxFeeRate: read.rate('max_fee_rate', 300),
    maxFee: read.coins('max_fee', '0.01', BTC_DECIMALS),
    quietFeeRate: read.rate('quiet_fee_rate', 3),
    fallbackFeeRate: read.rate('fallback_fee_rate', 10),
    feeTargetBlocks: read.integer('fee_target_blocks', 3, 1, 1_008),
    // A full block is some 4 MB of hex: six of them can be read within a scan's few seconds.
    scanBlocks: read.integer('scan_blocks', 6, 1, 1_000),
    requestTimeoutMs: read.integer('request_timeout_ms', 15_000, 100, 120_000),
    batchSize: read.integer('batch_size', 100, 1, 1_000),
    watchMempool: read.boolean('watch_mempool', true),
    longPoll: read.boolean('long_poll', false),
  }
  read.nothingElse()
  if (settings.minFeeRate > settings.fallbackFeeRate || settings.fallbackFeeRate > settings.maxFeeRate) {
    throw new Bug('fee rates must grow from min over fallback to max', { network: network.name })
  }
  return settings
}

/** The treasury's key: BIP 84, the first address of the first account. */
export function treasuryKey(chain: ChainName): KeyRef {
  return { curve: 'secp256k1', path: `m/84'/${CHAINS[chain].coinType}'/0'/0/0` }
}

/**
 * The key of a deposit address: a change address, which the treasury never uses, because its change goes back to its
 * own address. Each branch is an account.
 */
export function depositKey(chain: ChainName, { index, branch = 0 }: Pick<SweepSource, 'index' | 'branch'>): KeyRef {
  return { curve: 'secp256k1', path: `m/84'/${CHAINS[chain].coinType}'/${branch}'/1/${index}` }
}

function reader(network: Network) {
  const read = settingsReader(network)
  return {
    ...read,
    rate(key: string, fallback: number): bigint {
      const value = read.raw(key) ?? fallback
      const rate = typeof value === 'number' ? parseDecimal(String(value), 3) : null
      if (rate !== null && rate >= 100n && rate <= 5_000_000n) return rate
      throw read.wrong(key, value, 'sat per virtual byte from 0.1 to 5000 with at most three decimals')
    },
  }
}
