/**
 * The calls of Bitcoin Core's JSON-RPC that this family makes (Core 24 or later, with `txindex=1`), each with the reader
 * that keeps only what we use. Blocks and transactions come as raw bytes.
 */
import { asInteger as integer, asArray as list, asObject as object, asString as text } from '@causeway/chain-kit'

import { type Block, type Outpoint, parseBlock, parseTransaction, type Transaction } from '../transaction.ts'
import type { Call } from './node.ts'

export interface ChainInfo {
  chain: string
  height: number
  hash: string
}

export interface Header {
  height: number
  /** The number of confirmations; -1 for a block that is not part of the chain. */
  confirmations: number
}

export interface FoundTransaction extends Transaction {
  /** The block by the node's index; it may have been replaced since. */
  blockHash: string | null
}

export interface MempoolEntry {
  vsize: number
  feeUnits: bigint
  /** The virtual size including unconfirmed ancestors. */
  ancestorVsize: number
  ancestorFeeUnits: bigint
  /** The number of descendants, including itself. */
  descendants: number
}

export interface ScannedCoin extends Outpoint {
  /** In hex. */
  script: string
  units: bigint
  height: number
  isCoinbase: boolean
}

/** Time for the answer, in addition to the time that the node was asked to wait. */
const ANSWER_MS = 10_000

/** Core's code for "no such block, transaction or entry". */
export const NOT_FOUND = -5

export function chainInfo(): Call<ChainInfo> {
  return call('getblockchaininfo', [], (raw) => {
    const fields = object(raw)
    return { chain: text(fields.chain), height: integer(fields.blocks), hash: text(fields.bestblockhash) }
  })
}

export function hasTransactionIndex(): Call<boolean> {
  return call('getindexinfo', ['txindex'], (raw) => object(raw).txindex !== undefined)
}

export function blockHash(height: number): Call<string> {
  return call('getblockhash', [height], text)
}

/** The hash of the newest block, returned as soon as it changes or after this time. */
export function nextBlock(waitMs: number): Call<string> {
  return { ...call('waitfornewblock', [waitMs], (raw) => text(object(raw).hash)), timeoutMs: waitMs + ANSWER_MS }
}

export function header(hash: string): Call<Header> {
  return call('getblockheader', [hash], (raw) => {
    const fields = object(raw)
    return { height: integer(fields.height), confirmations: integer(fields.confirmations) }
  })
}

/** The block's timestamp, as its miner wrote it: it may be an hour early or two hours late. */
export function blockTime(hash: string): Call<Date> {
  return call('getblockheader', [hash], (raw) => new Date(integer(object(raw).time) * 1000))
}

/** A block by hash. The hash is computed from the bytes, so the node cannot return another block. */
export function block(hash: string): Call<Block> {
  return call('getblock', [hash, 0], (raw) => {
    const found = parseBlock(text(raw))
    if (found.hash !== hash) throw new TypeError('another block than asked for')
    return found
  })
}

export function transaction(txid: string): Call<FoundTransaction> {
  return call('getrawtransaction', [txid, true], (raw) => {
    const fields = object(raw)
    const found = parseTransaction(text(fields.hex))
    if (found.txid !== txid) throw new TypeError('another transaction than asked for')
    return { ...found, blockHash: typeof fields.blockhash === 'string' ? fields.blockhash : null }
  })
}

export function mempool(): Call<string[]> {
  return call('getrawmempool', [], (raw) => list(raw).map(text))
}

export function mempoolEntry(txid: string): Call<MempoolEntry> {
  return call('getmempoolentry', [txid], (raw) => {
    const fields = object(raw)
    const fees = object(fields.fees)
    return {
      vsize: integer(fields.vsize),
      feeUnits: units(fees.base),
      ancestorVsize: integer(fields.ancestorsize),
      ancestorFeeUnits: units(fees.ancestor),
      descendants: integer(fields.descendantcount),
    }
  })
}

/** The mempool's minimum rate now, in sat per 1000 virtual bytes. */
export function mempoolFloor(): Call<bigint> {
  return call('getmempoolinfo', [], (raw) => units(object(raw).mempoolminfee))
}

/** The estimated fee rate; null if the node has too little data. */
export function feeEstimate(targetBlocks: number): Call<bigint | null> {
  return call('estimatesmartfee', [targetBlocks], (raw) => {
    const { feerate } = object(raw)
    return typeof feerate === 'number' && feerate > 0 ? units(feerate) : null
  })
}

/** The spender of each outpoint: in the mempool, and in blocks if the node has such an index (Core 31). */
export function spendersOf(outpoints: readonly Outpoint[]): Call<(string | null)[]> {
  const asked = outpoints.map(({ txid, vout }) => ({ txid, vout }))
  return call('gettxspendingprevout', [asked], (raw) =>
    list(raw).map((one) => {
      const { spendingtxid } = object(one)
      return typeof spendingtxid === 'string' ? spendingtxid : null
    }),
  )
}

/** Whether this output is unspent in the chain, regardless of the mempool. */
export function isUnspent({ txid, vout }: Outpoint): Call<boolean> {
  return call('gettxout', [txid, vout, false], (raw) => raw !== null)
}

/** The units of an output that is unspent in blocks and mempool; null if it does not exist. */
export function unspentUnits({ txid, vout }: Outpoint): Call<bigint | null> {
  return call('gettxout', [txid, vout, true], (raw) => (raw === null ? null : units(object(raw).value)))
}

/** Timeout of a scan: Core reads the network's whole UTXO set, which takes minutes on mainnet, more on a slow disk. */
const SCAN_TIMEOUT_MS = 3_600_000

export function scanCoins(addresses: readonly string[]): Call<{ height: number; hash: string; coins: ScannedCoin[] }> {
  const descriptors = addresses.map((address) => `addr(${address})`)
  const scan = call('scantxoutset', ['start', descriptors], (raw) => {
    const fields = object(raw)
    if (fields.success !== true) throw new TypeError('the scan was broken off')
    return { height: integer(fields.height), hash: text(fields.bestblock), coins: list(fields.unspents).map(readCoin) }
  })
  return { ...scan, timeoutMs: SCAN_TIMEOUT_MS }
}

/** The progress of such a scan in percent; null if none is running. */
export function scanProgress(): Call<number | null> {
  return call('scantxoutset', ['status'], (raw) => (raw === null ? null : integer(object(raw).progress)))
}

export function send(hex: string): Call<string> {
  return call('sendrawtransaction', [hex], text)
}

function readCoin(raw: unknown): ScannedCoin {
  const fields = object(raw)
  return {
    txid: text(fields.txid),
    vout: integer(fields.vout),
    script: text(fields.scriptPubKey),
    units: units(fields.amount),
    height: integer(fields.height),
    isCoinbase: fields.coinbase === true,
  }
}

function call<T>(method: string, params: readonly unknown[], read: (answer: unknown) => T): Call<T> {
  return { method, params, read }
}

/** Converts whole coins from JSON to base units: a double represents every existing amount to within half a unit. */
function units(raw: unknown): bigint {
  if (typeof raw !== 'number' || !(raw >= 0 && raw <= 21e6)) throw new TypeError('an amount was expected')
  return BigInt(Math.round(raw * 1e8))
}
