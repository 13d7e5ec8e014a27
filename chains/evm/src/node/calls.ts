/**
 * The JSON-RPC calls this family makes, each with the reader that turns hex text into numbers and keeps only what we
 * use. Addresses and hashes stay as the node wrote them, in lower case.
 */
import { asArray as list, asObject as object, asString as text } from '@causeway/chain-kit'
import type { BlockRef } from '@causeway/core'
import type { Call } from './node.ts'

export interface Header extends BlockRef {
  parentHash: string
  /** The base fee; null on chains without EIP-1559. */
  baseFee: bigint | null
  logsBloom: string
}

export interface Block extends Header {
  transactions: Transaction[]
}

export interface Transaction {
  hash: string
  nonce: bigint
  from: string
  to: string | null
  value: bigint
  input: string
}

export interface Log {
  address: string
  topics: string[]
  data: string
  blockHash: string
  blockNumber: bigint
  txHash: string
}

export interface Receipt {
  hash: string
  block: BlockRef
  success: boolean
  /** The logs, in their order inside the transaction. */
  logs: Log[]
  /** The sender's fee, including the L1 share if the node reports it. */
  feeUnits: bigint
}

export interface LogFilter {
  blockHash?: string
  fromBlock?: string
  toBlock?: string
  address: readonly string[]
  /** Per position: an array means any of these values, null means any value. */
  topics: readonly (string | readonly string[] | null)[]
}

export interface CallRequest {
  from?: string
  to: string
  value?: string
  data?: string
  gas?: string
}

export function chainId(): Call<bigint> {
  return call('eth_chainId', [], quantity)
}

export function header(block: bigint | 'latest' | 'safe' | 'finalized'): Call<Header | null> {
  return call('eth_getBlockByNumber', [typeof block === 'bigint' ? hex(block) : block, false], (raw) =>
    raw === null ? null : readHeader(raw),
  )
}

export function fullBlock(block: bigint): Call<Block | null> {
  return call('eth_getBlockByNumber', [tag(block), true], (raw) => (raw === null ? null : readBlock(raw)))
}

export function logs(filter: LogFilter): Call<Log[]> {
  return call('eth_getLogs', [filter], (raw) => list(raw).map(readLog))
}

export function transaction(hash: string): Call<Transaction | null> {
  return call('eth_getTransactionByHash', [hash], (raw) => (raw === null ? null : readTransaction(raw)))
}

export function receipt(hash: string): Call<Receipt | null> {
  return call('eth_getTransactionReceipt', [hash], (raw) => (raw === null ? null : readReceipt(raw)))
}

/** Blocks in which one of these addresses received something by any call, according to the node's traces. */
export function tracedBlocks(filter: {
  fromBlock: string
  toBlock: string
  toAddress: readonly string[]
}): Call<bigint[]> {
  return call('trace_filter', [filter], (raw) => list(raw).map((trace) => BigInt(Number(object(trace).blockNumber))))
}

/** A call that carried coins and was not reverted. */
export interface CoinCall {
  from: string
  to: string
  value: bigint
}

/** The calls of a block that moved coins, internal ones included, according to the node's traces. */
export function coinCalls(blockHash: string): Call<CoinCall[]> {
  return call('debug_traceBlockByHash', [blockHash, { tracer: 'callTracer' }], (raw) =>
    list(raw).flatMap((traced) => readCoinCalls(object(traced).result)),
  )
}

export function code(address: string): Call<string> {
  return call('eth_getCode', [address, 'latest'], text)
}

/** A block by its number or, if the answer must be of that very block, by its hash. */
export type At = bigint | 'latest' | { hash: string }

export function nativeBalance(address: string, block: At = 'latest'): Call<bigint> {
  return call('eth_getBalance', [address, tag(block)], quantity)
}

export function transactionCount(address: string, block: At): Call<bigint> {
  return call('eth_getTransactionCount', [address, tag(block)], quantity)
}

/** `overrides`: the code that the node runs at these addresses, for this call only. */
export function contractCall(
  request: CallRequest,
  block: At = 'latest',
  overrides: Record<string, { code: string }> | null = null,
): Call<string> {
  return call('eth_call', [request, tag(block), ...(overrides ? [overrides] : [])], text)
}

export function estimateGas(request: CallRequest): Call<bigint> {
  return call('eth_estimateGas', [request], quantity)
}

export function gasPrice(): Call<bigint> {
  return call('eth_gasPrice', [], quantity)
}

export function tipSuggestion(): Call<bigint> {
  return call('eth_maxPriorityFeePerGas', [], quantity)
}

export function send(bytes: string): Call<string> {
  return call('eth_sendRawTransaction', [bytes], text)
}

/** For endpoints that keep a transaction from public nodes. `maxBlock`: the last block in which they may include it. */
export function sendPrivately(bytes: string, maxBlock: string): Call<unknown> {
  return call('eth_sendPrivateTransaction', [{ tx: bytes, maxBlockNumber: maxBlock }], (raw) => raw)
}

export function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}

function tag(block: At): unknown {
  if (typeof block === 'object') return { blockHash: block.hash, requireCanonical: true }
  return block === 'latest' ? block : hex(block)
}

/** The block's own timestamp. */
export function blockTime(hash: string): Call<Date> {
  return call('eth_getBlockByHash', [hash, false], (raw) => new Date(Number(quantity(object(raw).timestamp)) * 1000))
}

function call<T>(method: string, params: readonly unknown[], read: (answer: unknown) => T): Call<T> {
  return { method, params, read }
}

type Fields = Record<string, unknown>

function readHeader(raw: unknown): Header {
  const fields = object(raw)
  return {
    number: quantity(fields.number),
    hash: lower(fields.hash),
    parentHash: lower(fields.parentHash),
    baseFee: fields.baseFeePerGas ? quantity(fields.baseFeePerGas) : null,
    logsBloom: text(fields.logsBloom ?? '0x'),
  }
}

function readBlock(raw: unknown): Block {
  return { ...readHeader(raw), transactions: list(object(raw).transactions).map(readTransaction) }
}

function readTransaction(raw: unknown): Transaction {
  const fields = object(raw)
  return {
    hash: lower(fields.hash),
    // A rollup's own transactions may lack a nonce.
    nonce: fields.nonce ? quantity(fields.nonce) : 0n,
    from: lower(fields.from),
    to: typeof fields.to === 'string' ? fields.to.toLowerCase() : null,
    value: quantity(fields.value),
    input: lower(fields.input),
  }
}

function readCoinCalls(raw: unknown): CoinCall[] {
  const { type, from, to, value, error, calls } = object(raw)
  // A failed call takes back everything below it.
  if (error) return []
  const below = calls ? list(calls).flatMap(readCoinCalls) : []
  const units = type === 'CALL' && value ? quantity(value) : 0n
  return units > 0n ? [{ from: lower(from), to: lower(to), value: units }, ...below] : below
}

function readReceipt(raw: unknown): Receipt {
  const fields = object(raw)
  const gasUsed = quantity(fields.gasUsed)
  const layerBelow = fields.l1Fee ? quantity(fields.l1Fee) : 0n
  return {
    hash: lower(fields.transactionHash),
    block: { number: quantity(fields.blockNumber), hash: lower(fields.blockHash) },
    success: quantity(fields.status) === 1n,
    logs: list(fields.logs).map(readLog),
    feeUnits: gasUsed * quantity(fields.effectiveGasPrice) + layerBelow + operatorFee(fields, gasUsed),
  }
}

/** The operator fee of an OP-stack chain. Jovian, whose receipts have one more field, uses other units. */
function operatorFee(fields: Fields, gasUsed: bigint): bigint {
  const scalar = fields.operatorFeeScalar ? quantity(fields.operatorFeeScalar) : 0n
  const constant = fields.operatorFeeConstant ? quantity(fields.operatorFeeConstant) : 0n
  const isJovian = fields.daFootprintGasScalar !== undefined && fields.daFootprintGasScalar !== null
  return (isJovian ? gasUsed * scalar * 100n : (gasUsed * scalar) / 1_000_000n) + constant
}

function readLog(raw: unknown): Log {
  const fields = object(raw)
  return {
    address: lower(fields.address),
    topics: list(fields.topics).map(lower),
    data: lower(fields.data),
    blockHash: lower(fields.blockHash),
    blockNumber: quantity(fields.blockNumber),
    txHash: lower(fields.transactionHash),
  }
}

function lower(raw: unknown): string {
  return text(raw).toLowerCase()
}

function quantity(raw: unknown): bigint {
  return BigInt(text(raw))
}
