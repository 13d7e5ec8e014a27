/**
 * The parts of bcoin that the local node uses, typed here because the package has no types, and set to Bitcoin Core's
 * regtest prefixes. Hashes inside bcoin are hex in wire byte order; ids are reversed.
 */
import { createRequire } from 'node:module'

export interface BcoinTx {
  inputs: { prevout: { hash: string; index: number } }[]
  outputs: { value: number }[]
  txid(): string
  hash(encoding: 'hex'): string
  toRaw(): Buffer
  getVirtualSize(): number
  getFee(view: unknown): number
}

export interface BcoinEntry {
  tx: BcoinTx
  fee: number
  size: number
}

interface BcoinBlock {
  txs: BcoinTx[]
  toRaw(): Buffer
}

export interface ChainEntry {
  height: number
  hash: string
  prevBlock: string
  rhash(): string
}

interface Coin {
  hash: string
  index: number
  value: number
  height: number
  coinbase: boolean
  script: { toRaw(): Buffer }
}

export interface BcoinNode {
  network: unknown
  open(): Promise<void>
  connect(): Promise<void>
  chain: {
    tip: ChainEntry
    height: number
    add(block: BcoinBlock): Promise<ChainEntry | null>
    getEntry(hashOrHeight: string | number): Promise<ChainEntry | null>
    isMainChain(entry: ChainEntry): Promise<boolean>
    getBlock(hash: string): Promise<BcoinBlock | null>
    getMeta(hash: string): Promise<{ tx: BcoinTx; block: string; height: number } | null>
    getCoin(hash: string, index: number): Promise<Coin | null>
    getCoinsByAddress(addresses: unknown[]): Promise<Coin[]>
    invalidate(hash: string): Promise<void>
  }
  mempool: {
    /** The block up to which the mempool or index has followed the chain. */
    tip: string
    map: Map<string, BcoinEntry>
    getEntry(hash: string): BcoinEntry | null
    getSpent(hash: string, index: number): BcoinEntry | null
    getCoinView(tx: BcoinTx): Promise<unknown>
    getAncestors(entry: BcoinEntry): BcoinEntry[]
    getDescendants(entry: BcoinEntry): BcoinEntry[]
    addTX(tx: BcoinTx): Promise<string[] | null>
    evictEntry(entry: BcoinEntry): void
    reset(): Promise<void>
  }
  miner: {
    createBlock(tip: null, address: unknown): Promise<BlockTemplate>
    cpu: { createJob(tip: null, address: unknown): Promise<MiningJob>; mineAsync(job: MiningJob): Promise<BcoinBlock> }
  }
}

interface BlockTemplate {
  items: unknown[]
  fees: number
  refresh(): void
}

interface MiningJob {
  attempt: BlockTemplate
  refresh(): void
}

interface Bcoin {
  FullNode: new (options: Record<string, unknown>) => BcoinNode
  TX: { fromRaw(data: Buffer): BcoinTx }
  Address: { fromString(text: string, network: unknown): unknown }
}

interface Networks {
  regtest: { addressPrefix: Record<string, unknown>; keyPrefix: Record<string, unknown> }
}

/** Must run in a separate process: bcoin reads its settings once per process, when it is first loaded. */
export function loadBcoin(): Bcoin {
  // Uses bcoin's pure JavaScript backend: the native parts of this old release do not build everywhere, and regtest is
  // small.
  process.env.NODE_BACKEND = 'js'
  const require = createRequire(import.meta.url)
  const { regtest }: Networks = require('bcoin/lib/protocol/networks')
  Object.assign(regtest.addressPrefix, { pubkeyhash: 0x6f, scripthash: 0xc4, bech32: 'bcrt' })
  regtest.keyPrefix.privkey = 0xef
  return require('bcoin')
}

/** Converts a hash between wire byte order and the order that explorers and RPC use. */
export function reverseHex(hash: string): string {
  return Buffer.from(hash, 'hex').reverse().toString('hex')
}
