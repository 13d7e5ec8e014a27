/**
 * The JSON-RPC calls of this family, each with a decoder that keeps only what we use. Slots become bigint; lamports are
 * JSON numbers, exact up to nine million SOL, and are checked when it matters.
 */
import type { Address } from '@causeway/core'
import { MAX_SUPPORTED_TRANSACTION_VERSION } from '@solana/kit'
import { type Block, type BlockRoot, type LandedTransaction, readBlock, readLanded, readRoot } from '../transaction.ts'
import { answerOf, fieldsOf, integer, lamports, list, nullable, slot, text } from './decode.ts'
import type { Call } from './node.ts'

export type Commitment = 'processed' | 'confirmed' | 'finalized'

export interface Head {
  slot: bigint
  blockhash: string
}

export interface AccountData {
  lamports: bigint
  /** The program that owns the account. */
  owner: Address
  executable: boolean
  data: Uint8Array
}

export interface HistoryEntry {
  signature: string
  slot: bigint
}

export interface SignatureStatus {
  slot: bigint
  commitment: Commitment
}

export interface Simulation {
  err: unknown
  logs: string[]
  unitsConsumed: bigint
}

/** Newer transaction versions are an error in the node's answer, and would stop the scan at their block. */
const VERSION = { maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION }
const JSON_FORM = { encoding: 'json', ...VERSION }
/** The maximum number of items per answer. */
const SIGNATURES_LIMIT = 1_000
/** How often the node itself forwards a transaction to the next leader, before we send it again. */
const NODE_RETRIES = 5

export function genesisHash(): Call<string> {
  return call('getGenesisHash', [], text)
}

/** The newest block of this commitment and its hash. */
export function latestBlock(commitment: Commitment): Call<Head> {
  return call('getLatestBlockhash', [{ commitment }], (raw) => ({
    slot: slot(fieldsOf(fieldsOf(raw).context).slot),
    blockhash: text(fieldsOf(answerOf(raw)).blockhash),
  }))
}

/** The slots from this one on that have a confirmed block. */
export function blocksFrom(start: bigint, limit: number): Call<bigint[]> {
  const params = [Number(start), limit, { commitment: 'confirmed' }]
  return call('getBlocksWithLimit', params, (raw) => list(raw).map(slot))
}

export function fullBlock(at: bigint): Call<Block> {
  const options = { ...JSON_FORM, commitment: 'confirmed', transactionDetails: 'full', rewards: false }
  return call('getBlock', [Number(at), options], (raw) => readBlock(at, raw))
}

/** The block without its transactions. */
export function blockRoot(at: bigint): Call<BlockRoot> {
  const options = { ...VERSION, commitment: 'confirmed', transactionDetails: 'none', rewards: false }
  return call('getBlock', [Number(at), options], (raw) => readRoot(at, raw))
}

/** The node has not reached the minimum slot of the request. */
export const TOO_EARLY_CODE = -32016

/** Refusals because the slot has no block in the chain. */
export const SKIPPED_CODES: ReadonlySet<number> = new Set([-32007, -32009])
/** Refusals because there is no block in that slot, or none yet on the node's chain. */
export const NO_BLOCK_CODES: ReadonlySet<number> = new Set([-32004, -32007, -32009, -32014])

export function transaction(signature: string): Call<LandedTransaction | null> {
  return call('getTransaction', [signature, { ...JSON_FORM, commitment: 'confirmed' }], nullable(readLanded))
}

export function signatureStatus(signature: string): Call<SignatureStatus | null> {
  return call('getSignatureStatuses', [[signature], { searchTransactionHistory: true }], (raw) =>
    nullable(readStatus)(list(answerOf(raw))[0] ?? null),
  )
}

/** The newest finalized transactions that touched an account, newest first. */
export function signaturesFor(address: Address, minContextSlot: bigint): Call<HistoryEntry[]> {
  const options = { commitment: 'finalized', limit: SIGNATURES_LIMIT, minContextSlot: Number(minContextSlot) }
  return call('getSignaturesForAddress', [address, options], readSignatures)
}

/** Confirmed transactions that touched an account, newest first, optionally before a given one. */
export function historyOf(address: Address, minContextSlot: bigint, before: string | null): Call<HistoryEntry[]> {
  const page = before === null ? {} : { before }
  const options = { commitment: 'confirmed', limit: SIGNATURES_LIMIT, minContextSlot: Number(minContextSlot), ...page }
  return call('getSignaturesForAddress', [address, options], readSignatures)
}

/** The oldest slot that the node has not pruned. */
export function firstBlock(): Call<bigint> {
  return call('getFirstAvailableBlock', [], slot)
}

export interface Accounts {
  /** The slot whose state was read. */
  slot: bigint
  /** The accounts, in the order of the request; null for one that does not exist. */
  accounts: (AccountData | null)[]
}

export function accounts(
  addresses: readonly Address[],
  commitment: Commitment = 'confirmed',
  minContextSlot?: bigint,
): Call<Accounts> {
  const least = minContextSlot === undefined ? {} : { minContextSlot: Number(minContextSlot) }
  return call('getMultipleAccounts', [addresses, { encoding: 'base64', commitment, ...least }], (raw) => ({
    slot: slot(fieldsOf(fieldsOf(raw).context).slot),
    accounts: list(answerOf(raw)).map(nullable(readAccount)),
  }))
}

export function nativeBalance(address: Address): Call<bigint> {
  return call('getBalance', [address, { commitment: 'confirmed' }], (raw) => lamports(answerOf(raw)))
}

/** The rent-exempt minimum of an account of this size. */
export function rentFor(bytes: number): Call<bigint> {
  return call('getMinimumBalanceForRentExemption', [bytes, { commitment: 'confirmed' }], lamports)
}

/** The lowest price in recent blocks for writing to these accounts, in micro-lamports per compute unit. */
export function recentUnitPrices(writable: readonly Address[]): Call<bigint[]> {
  return call('getRecentPrioritizationFees', [writable], (raw) =>
    list(raw).map((entry) => BigInt(integer(fieldsOf(entry).prioritizationFee))),
  )
}

/** Simulates an unsigned transaction with a fresh blockhash. */
export function simulate(base64: string): Call<Simulation> {
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false, replaceRecentBlockhash: true }
  return call('simulateTransaction', [base64, options], (raw) => {
    const { err = null, logs, unitsConsumed } = fieldsOf(answerOf(raw))
    return { err, logs: logs === null ? [] : list(logs).map(text), unitsConsumed: BigInt(integer(unitsConsumed ?? 0)) }
  })
}

export function send(base64: string): Call<string> {
  const options = { encoding: 'base64', preflightCommitment: 'confirmed', maxRetries: NODE_RETRIES }
  return call('sendTransaction', [base64, options], text)
}

function call<T>(method: string, params: readonly unknown[], read: (answer: unknown) => T): Call<T> {
  return { method, params, read }
}

function readSignatures(raw: unknown): HistoryEntry[] {
  return list(raw).map((entry) => {
    const fields = fieldsOf(entry)
    return { signature: text(fields.signature), slot: slot(fields.slot) }
  })
}

function readStatus(raw: unknown): SignatureStatus {
  const fields = fieldsOf(raw)
  const commitment = fields.confirmationStatus
  if (commitment !== 'processed' && commitment !== 'confirmed' && commitment !== 'finalized') {
    throw new TypeError('a commitment was expected')
  }
  return { slot: slot(fields.slot), commitment }
}

function readAccount(raw: unknown): AccountData {
  const fields = fieldsOf(raw)
  return {
    lamports: lamports(fields.lamports),
    owner: text(fields.owner),
    executable: fields.executable === true,
    data: Buffer.from(text(list(fields.data)[0]), 'base64'),
  }
}
