/**
 * The calls of this family to a node, each with a decoder that keeps only what we use. Blocks are decoded in
 * `block.ts`.
 */
import type { Address, TxHash } from '@causeway/core'
import { type ContractCall, firstWord } from '../abi.ts'
import { addressOf, hexOf } from '../address.ts'
import { type Block, type Header, readBlock, readHeader } from '../block.ts'
import { hexToBytes } from '../bytes.ts'
import { hexText, integer, isEmpty, list, reasonIn, record } from './decode.ts'
import { classOf } from './errors.ts'
import { type Call, Refusal } from './node.ts'

/** A node's report on a transaction in a block; none of it is covered by a root. */
export interface Receipt {
  id: TxHash
  block: bigint
  /** The whole cost, in sun. */
  fee: bigint
  logs: Log[]
  /** Coins that contracts sent in the transaction. */
  inner: Inner[]
}

export interface Log {
  /** The contract's address in 40 digits. */
  address: string
  topics: string[]
  data: string
}

interface Inner {
  from: Address | null
  to: Address | null
  units: bigint
}

export interface Account {
  exists: boolean
  /** The balance; null if it exceeds JSON's exact numbers, which few accounts have. */
  balance: bigint | null
  isContract: boolean
  /** Whether the address's own key alone still has full permission: an account may assign other keys. */
  isOwnMaster: boolean
}

/** The result of a simulated call. */
export interface Trial {
  isOk: boolean
  /** Whether the contract itself rejected the call; otherwise the node may just have been too slow. */
  isRefused: boolean
  energy: bigint
  answer: string
  reason: string
}

export interface Prices {
  /** In sun. */
  energy: bigint
  /** The price per byte of bandwidth. */
  byte: bigint
  /** The price of a payment of coins to an address that never had any, charged instead of bandwidth. */
  newAccount: bigint
  /** Whether contracts can be sent coins by a plain transfer. */
  refusesContracts: boolean
}

const NEWEST = { detail: false }

export function head(): Call<Header> {
  return { path: 'wallet/getblock', body: NEWEST, read: readHeader }
}

/** The newest solid block: confirmed by enough witnesses, so it is final. */
export function solidHead(): Call<Header> {
  return { path: 'walletsolidity/getblock', body: NEWEST, read: readHeader }
}

/** The header at this number; null if the node has no such block. */
export function headerAt(number: bigint): Call<Header | null> {
  const body = { id_or_num: `${number}`, detail: false }
  return { path: 'wallet/getblock', body, read: (raw) => (isEmpty(raw) ? null : readHeader(raw)) }
}

export function solidAt(number: bigint): Call<Header | null> {
  return { ...headerAt(number), path: 'walletsolidity/getblock' }
}

export function genesis(): Call<string> {
  const body = { id_or_num: '0', detail: false }
  return { path: 'wallet/getblock', body, read: (raw) => hexText(record(raw).blockID) }
}

/** Blocks of a range, both ends included; fewer if the node does not have them all. */
export function blocks(from: bigint, to: bigint, unproven: ReadonlySet<string>): Call<Block[]> {
  const body = { startNum: Number(from), endNum: Number(to) + 1 }
  return {
    path: 'wallet/getblockbylimitnext',
    body,
    read: (raw) =>
      list(record(raw).block ?? [])
        .map((item) => readBlock(item, unproven))
        .toSorted((a, b) => (a.number < b.number ? -1 : 1)),
  }
}

/** One transaction as blocks contain it, not decoded yet. */
export function rawTransaction(hash: TxHash): Call<Record<string, unknown>> {
  const read = (raw: unknown) => {
    if (isEmpty(raw)) throw new TypeError('a transaction was expected')
    return record(raw)
  }
  return { path: 'wallet/gettransactionbyid', body: { value: hash }, read }
}

/** The reports of every transaction of a block. */
export function receiptsOf(block: bigint): Call<Receipt[]> {
  const read = (raw: unknown) => (Array.isArray(raw) ? raw.map(readReceipt) : [])
  return { path: 'wallet/gettransactioninfobyblocknum', body: { num: Number(block) }, read }
}

/** A node's report on a transaction; null if it knows it in no block: it may still be in one. */
export function receipt(hash: TxHash): Call<Receipt | null> {
  const read = (raw: unknown) => (isEmpty(raw) ? null : readReceipt(raw))
  return { path: 'wallet/gettransactioninfobyid', body: { value: hash }, read }
}

/** Whether the transaction is in the node's mempool. */
export function isWaiting(hash: TxHash): Call<boolean> {
  return { path: 'wallet/gettransactionfrompending', body: { value: hash }, read: (raw) => !isEmpty(raw) }
}

export function account(address: Address): Call<Account> {
  return {
    path: 'wallet/getaccount',
    body: { address: hexOf(address) },
    read: (raw) => {
      const { balance, type, owner_permission } = record(raw)
      return {
        exists: !isEmpty(raw),
        balance: exact(balance ?? 0),
        isContract: type === 'Contract',
        isOwnMaster: owner_permission === undefined || hasWeight(record(owner_permission), hexOf(address)),
      }
    },
  }
}

/**
 * Whether the owner's key alone has full permission. Others may have written numbers beyond JSON's exact range: those
 * are ignored.
 */
function hasWeight({ threshold, keys }: Record<string, unknown>, own: string): boolean {
  const weights = list(keys ?? [])
    .map(record)
    .map(({ address, weight }) => (String(address).toLowerCase() === own ? (exact(weight) ?? 0n) : 0n))
  const needed = exact(threshold ?? 1)
  return needed !== null && weights.reduce((sum, weight) => sum + weight, 0n) >= needed
}

/** Simulates a call of this address on the current state. Nothing is sent. */
export function trial(from: Address, contract: Address, { signature, parameter }: ContractCall): Call<Trial> {
  const body = {
    owner_address: hexOf(from),
    contract_address: hexOf(contract),
    function_selector: signature,
    parameter,
  }
  return { path: 'wallet/triggerconstantcontract', body, read: readTrial }
}

/** The number that a contract returns; null if it returns none. */
export function asking(from: Address, contract: Address, call: ContractCall): Call<bigint | null> {
  const { read, ...rest } = trial(from, contract, call)
  return {
    ...rest,
    read: (raw) => {
      const { isOk, isRefused, answer, reason } = read(raw)
      if (!isOk && !isRefused) throw new Refusal(rest.path, reason)
      return isOk ? firstWord(answer) : null
    },
  }
}

export function prices(): Call<Prices> {
  return {
    path: 'wallet/getchainparameters',
    body: {},
    read: (raw) => {
      const told = new Map(
        list(record(raw).chainParameter).map((item) => {
          const { key, value } = record(item)
          return [String(key), BigInt(integer(value ?? 0))] as const
        }),
      )
      const of = (key: string): bigint => {
        const value = told.get(key)
        if (value === undefined) throw new TypeError(`no ${key} among the chain's parameters`)
        return value
      }
      return {
        energy: of('getEnergyFee'),
        byte: of('getTransactionFee'),
        newAccount: of('getCreateNewAccountFeeInSystemContract') + of('getCreateAccountFee'),
        refusesContracts: (told.get('getForbidTransferToContract') ?? 0n) !== 0n,
      }
    },
  }
}

/** A node's answer to a broadcast. */
export function send(bytes: string): Call<{ isTaken: boolean; code: string; reason: string }> {
  return {
    path: 'wallet/broadcasthex',
    body: { transaction: bytes },
    read: (raw) => {
      const { result, code, message } = record(raw)
      return { isTaken: result === true, code: String(code ?? ''), reason: reasonIn(message) }
    },
  }
}

function readReceipt(raw: unknown): Receipt {
  const { id, blockNumber, fee, log, internal_transactions } = record(raw)
  return {
    id: hexText(id),
    block: BigInt(integer(blockNumber)),
    fee: BigInt(integer(fee ?? 0)),
    logs: list(log ?? []).map(readLog),
    inner: list(internal_transactions ?? []).flatMap(readInner),
  }
}

function readLog(raw: unknown): Log {
  const { address, topics, data } = record(raw)
  return {
    address: hexText(address).slice(-40),
    topics: list(topics ?? []).map(hexText),
    data: hexText(data ?? ''),
  }
}

/**
 * The chain labels each internal transfer, in hex: only this label means a transfer of coins. Delegated energy has an
 * amount too.
 */
const MOVING = new Set(['call', 'create', 'suicide'].map((note) => Buffer.from(note).toString('hex')))

/** Coins that contracts sent. Other assets are transferred in the same way, and are not listed. */
function readInner(raw: unknown): Inner[] {
  const { caller_address, transferTo_address, callValueInfo, rejected, note } = record(raw)
  if (rejected === true || typeof note !== 'string' || !MOVING.has(note.toLowerCase())) return []
  return list(callValueInfo ?? []).flatMap((item) => {
    const { callValue, tokenId } = record(item)
    const units = exact(callValue)
    if (tokenId !== undefined || units === null) return []
    const [from, to] = [caller_address, transferTo_address].map((hex) => addressOf(hexToBytes(hexText(hex ?? ''))))
    return [{ from: from ?? null, to: to ?? null, units }]
  })
}

/** A number; null if it is not one, or exceeds JSON's exact numbers. */
function exact(raw: unknown): bigint | null {
  return typeof raw === 'number' && Number.isSafeInteger(raw) ? BigInt(raw) : null
}

function readTrial(raw: unknown): Trial {
  const { result, energy_used, constant_result, transaction } = record(raw)
  const { code, message } = record(result ?? {})
  const [ret] = list(record(transaction ?? {}).ret ?? [])
  const [answer] = list(constant_result ?? [])
  const reason = reasonIn(message)
  // There is no contract, or the node could not simulate the call.
  if (code !== undefined && code !== 'SUCCESS') throw new Refusal('wallet/triggerconstantcontract', reason)
  const isRefused = classOf({ message: reason }) === 'recipient refuses'
  const isOk = record(ret ?? {}).ret !== 'FAILED' && !isRefused
  return { isOk, isRefused, energy: BigInt(integer(energy_used ?? 0)), answer: hexText(answer ?? ''), reason }
}
