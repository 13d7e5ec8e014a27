/**
 * The calls of this family, each with a decoder that keeps only what we use. Addresses become numbers, since nodes
 * strip their zeros; hashes are padded, since they are compared and shown.
 */
import { asUint as integer, asArray as list, asObject as object, asString as text } from '@causeway/chain-kit'
import type { BlockRef } from '@causeway/core'
import { felt, hex, joinU256, padded } from '../felt.ts'
import { selector } from '../hashing.ts'
import { readDeploy, readInvoke, type SignedDeploy, type SignedInvoke } from '../transaction.ts'
import { type Call, Refusal } from './node.ts'

export interface Header extends BlockRef {
  parentHash: string
  time: Date
  /** The prices of one unit of each kind of gas, in base units of the native token. */
  prices: { l1Gas: bigint; l1DataGas: bigint; l2Gas: bigint }
}

export interface ChainEvent {
  contract: bigint
  keys: readonly bigint[]
  data: readonly bigint[]
}

export interface PlacedEvent extends ChainEvent {
  txHash: string
  /** The block; null while it is under construction. */
  block: BlockRef | null
}

export interface Receipt {
  hash: string
  type: string
  /** The block; null until the transaction is in an accepted block. */
  block: BlockRef | null
  succeeded: boolean
  feeUnits: bigint
  /** The events, in their order inside the transaction. */
  events: ChainEvent[]
}

export interface Transaction {
  hash: string
  type: string
  /** The signer; null if there is none, or if only the receipt names it. */
  sender: bigint | null
  nonce: bigint | null
  invoke: SignedInvoke | null
  deploy: SignedDeploy | null
}

export interface Trial {
  /** Why it failed; null if it succeeded. */
  refused: string | null
  l2Gas: bigint
  dataGas: bigint
}

export type At = 'latest' | 'l1_accepted' | bigint | { hash: string }

/** Error codes of nodes; see the specification. */
export const CODES = {
  contractNotFound: 20,
  blockNotFound: 24,
  transactionNotFound: 29,
  executionError: 41,
  nonce: 52,
} as const

export function chainId(): Call<bigint> {
  return call('starknet_chainId', undefined, felt)
}

export function specVersion(): Call<string> {
  return call('starknet_specVersion', undefined, text)
}

export function header(at: At): Call<Header> {
  return call('starknet_getBlockWithTxHashes', { block_id: idOf(at) }, readHeader)
}

export function blockTransactions(at: At): Call<{ block: BlockRef; transactions: Transaction[] }> {
  return call('starknet_getBlockWithTxs', { block_id: idOf(at) }, (raw) => ({
    block: refOf(object(raw)),
    transactions: list(object(raw).transactions).map(readTransaction),
  }))
}

export interface EventFilter {
  contract: bigint
  key: bigint
  from: bigint
  /** The last block, named by hash: a node that does not have it refuses, instead of answering for another one. */
  to: { hash: string }
  chunk: number
  token: string | null
}

export function events(filter: EventFilter): Call<{ events: PlacedEvent[]; next: string | null }> {
  const { contract, key, from, to, chunk, token } = filter
  const wire = {
    from_block: idOf(from),
    to_block: idOf(to),
    address: padded(contract),
    keys: [[hex(key)]],
    chunk_size: chunk,
    ...(token === null ? {} : { continuation_token: token }),
  }
  return call('starknet_getEvents', { filter: wire }, (raw) => {
    const { events: found, continuation_token: next } = object(raw)
    return { events: list(found).map(readPlaced), next: next === undefined || next === null ? null : text(next) }
  })
}

export function receipt(hash: string): Call<Receipt> {
  return call('starknet_getTransactionReceipt', { transaction_hash: hash }, readReceipt)
}

export function transaction(hash: string): Call<Transaction> {
  return call('starknet_getTransactionByHash', { transaction_hash: hash }, readTransaction)
}

export function transactionStatus(hash: string): Call<string> {
  return call('starknet_getTransactionStatus', { transaction_hash: hash }, (raw) => text(object(raw).finality_status))
}

export function nonceAt(account: string, at: At): Call<bigint> {
  return call('starknet_getNonce', { block_id: idOf(at), contract_address: account }, felt)
}

export function classAt(account: string, at: At): Call<bigint> {
  return call('starknet_getClassHashAt', { block_id: idOf(at), contract_address: account }, felt)
}

export function contractCall(to: bigint, entrypoint: string, calldata: readonly bigint[], at: At): Call<bigint[]> {
  const request = {
    contract_address: padded(to),
    entry_point_selector: hex(selector(entrypoint)),
    calldata: calldata.map(hex),
  }
  return call('starknet_call', { request, block_id: idOf(at) }, felts)
}

export function balanceOf(token: bigint, owner: string, at: At): Call<bigint> {
  const { read, ...rest } = contractCall(token, 'balanceOf', [BigInt(owner)], at)
  return {
    ...rest,
    read(raw) {
      const [low = 0n, high = 0n] = read(raw)
      const units = joinU256(low, high)
      if (units === null) throw new TypeError('a balance was expected')
      return units
    },
  }
}

/** Simulates an unsigned transaction on the newest block without charging a fee. */
export function simulate(invoke: Record<string, unknown>): Call<Trial> {
  const flags = ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE']
  const params = { block_id: 'latest', transactions: [invoke], simulation_flags: flags }
  return call('starknet_simulateTransactions', params, (raw) => {
    const { transaction_trace, fee_estimation } = object(list(raw)[0])
    const { execute_invocation: ran } = object(transaction_trace)
    const { l2_gas_consumed, l1_data_gas_consumed } = object(fee_estimation)
    const reason = ran === undefined ? undefined : object(ran).revert_reason
    return {
      refused: reason === undefined ? null : text(reason),
      l2Gas: felt(l2_gas_consumed),
      dataGas: felt(l1_data_gas_consumed),
    }
  })
}

export function send(invoke: unknown): Call<string> {
  return call('starknet_addInvokeTransaction', { invoke_transaction: invoke }, (raw) =>
    padded(felt(object(raw).transaction_hash)),
  )
}

/** The answer, or null if it is a refusal with one of these codes; any other refusal is thrown. */
export function unless<T>(answer: T | Refusal, ...codes: readonly number[]): T | null {
  if (!(answer instanceof Refusal)) return answer
  if (codes.includes(answer.code)) return null
  throw answer
}

function call<T>(method: string, params: unknown, read: (answer: unknown) => T): Call<T> {
  return { method, params: params === undefined ? [] : [params], read }
}

function idOf(at: At): unknown {
  if (typeof at === 'string') return at
  return typeof at === 'bigint' ? { block_number: Number(at) } : { block_hash: at.hash }
}

function readHeader(raw: unknown): Header {
  const fields = object(raw)
  const price = (name: string) => felt(object(fields[name]).price_in_fri)
  return {
    ...refOf(fields),
    parentHash: padded(felt(fields.parent_hash)),
    time: new Date(integer(fields.timestamp) * 1_000),
    prices: { l1Gas: price('l1_gas_price'), l1DataGas: price('l1_data_gas_price'), l2Gas: price('l2_gas_price') },
  }
}

function refOf(fields: Record<string, unknown>): BlockRef {
  return { number: BigInt(integer(fields.block_number)), hash: padded(felt(fields.block_hash)) }
}

/** The block of a transaction; null if it is under construction: then it has a number and no hash. */
function placeOf(fields: Record<string, unknown>): BlockRef | null {
  return fields.block_hash === undefined || fields.block_hash === null ? null : refOf(fields)
}

function readReceipt(raw: unknown): Receipt {
  const fields = object(raw)
  const agreed = fields.finality_status === 'ACCEPTED_ON_L2' || fields.finality_status === 'ACCEPTED_ON_L1'
  return {
    hash: padded(felt(fields.transaction_hash)),
    type: text(fields.type),
    block: agreed ? placeOf(fields) : null,
    succeeded: fields.execution_status === 'SUCCEEDED',
    feeUnits: felt(object(fields.actual_fee).amount),
    events: list(fields.events).map(readEvent),
  }
}

function readTransaction(raw: unknown): Transaction {
  const fields = object(raw)
  return {
    hash: padded(felt(fields.transaction_hash)),
    type: text(fields.type),
    sender: fields.sender_address === undefined ? null : felt(fields.sender_address),
    nonce: fields.nonce === undefined ? null : felt(fields.nonce),
    invoke: attempt(() => readInvoke(raw)),
    deploy: attempt(() => readDeploy(raw)),
  }
}

/** The decoded value; null if it cannot be decoded: transactions of other types and versions may have any form. */
function attempt<T>(read: () => T | null): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

function readPlaced(raw: unknown): PlacedEvent {
  const fields = object(raw)
  return { ...readEvent(raw), txHash: padded(felt(fields.transaction_hash)), block: placeOf(fields) }
}

function readEvent(raw: unknown): ChainEvent {
  const { from_address, keys, data } = object(raw)
  return { contract: felt(from_address), keys: felts(keys), data: felts(data) }
}

function felts(raw: unknown): bigint[] {
  return list(raw).map(felt)
}
