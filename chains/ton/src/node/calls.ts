/**
 * The calls of this family to a toncenter-compatible node, each with a decoder that keeps only what we use. Of a
 * transaction only its cells are trusted: `transaction.ts` decodes them.
 */
import { asArray as list, asObject as record } from '@causeway/chain-kit'
import { type Address, type BlockRef, Bug } from '@causeway/core'
import { Cell, type TupleItem } from '@ton/core'
import { parseTransaction, type TonTransaction, type TxPointer } from '../transaction.ts'
import type { Call } from './node.ts'

export interface AccountState {
  balance: bigint
  isActive: boolean
  /** Hash of the contract's code in hex; null if there is none. */
  codeHash: string | null
  /** The account's newest transaction; null if it never had one. */
  last: TxPointer | null
  /** The masterchain block this was read at, and its time in unix seconds. */
  head: BlockRef
  time: number
}

export type StackEntry = { type: 'num'; value: bigint } | { type: 'cell'; cell: Cell } | { type: 'other' }

const MASTERCHAIN = { workchain: -1, shard: '-9223372036854775808' }

export function masterchainInfo(): Call<{ zeroState: string; head: BlockRef }> {
  return call('getMasterchainInfo', {}, (raw) => {
    const { init, last } = record(raw)
    return { zeroState: text(record(init).root_hash), head: blockRef(last) }
  })
}

export function accountState(address: Address): Call<AccountState> {
  return call('getAddressInformation', { address }, (raw) => {
    const { balance, state, code, last_transaction_id, block_id, sync_utime } = record(raw)
    const pointer = pointerOf(last_transaction_id)
    const units = BigInt(text(balance))
    return {
      // Nodes write a negative number for an account that never existed.
      balance: units > 0n ? units : 0n,
      isActive: state === 'active',
      codeHash: typeof code === 'string' && code !== '' ? Cell.fromBase64(code).hash().toString('hex') : null,
      last: pointer.lt === 0n ? null : pointer,
      head: blockRef(block_id),
      time: integer(sync_utime),
    }
  })
}

/** Up to `limit` transactions of the account, from this one backwards. */
export function transactions(
  address: Address,
  from: TxPointer,
  limit: number,
  archival: boolean,
): Call<TonTransaction[]> {
  const hash = Buffer.from(from.hash, 'hex').toString('base64')
  // Only some liteservers keep the whole history, and those may lag a little.
  const params = { address, limit, lt: from.lt.toString(), hash, archival }
  return call('getTransactions', params, (raw) => list(raw).map((item) => parseTransaction(text(record(item).data))))
}

/** The transaction that an internal message caused. Refused while there is none yet. */
export function causedBy(source: Address, destination: Address, createdLt: bigint): Call<TonTransaction> {
  const params = { source, destination, created_lt: createdLt.toString() }
  return call('tryLocateResultTx', params, (raw) => parseTransaction(text(record(raw).data)))
}

export function getMethod(
  address: Address,
  method: string,
  stack: readonly TupleItem[],
): Call<{ exitCode: number; stack: StackEntry[] }> {
  return call('runGetMethod', { address, method, stack: stack.map(writeItem) }, (raw) => {
    const answer = record(raw)
    return { exitCode: integer(answer.exit_code), stack: list(answer.stack).map(readEntry) }
  })
}

/** The first masterchain block that has reached this logical time. */
export function blockAtLt(lt: bigint): Call<BlockRef> {
  return call('lookupBlock', { ...MASTERCHAIN, lt: lt.toString() }, blockRef)
}

/** A masterchain block and its time in unix seconds. */
export function blockHeader(seqno: bigint): Call<BlockRef & { time: number }> {
  return call('getBlockHeader', { ...MASTERCHAIN, seqno: Number(seqno) }, (raw) => {
    const { id, gen_utime } = record(raw)
    return { ...blockRef(id), time: integer(gen_utime) }
  })
}

export function sendBoc(boc: string): Call<void> {
  return call('sendBoc', { boc }, () => undefined)
}

function call<T>(method: string, params: Record<string, unknown>, read: (answer: unknown) => T): Call<T> {
  return { method, params, read }
}

function writeItem(item: TupleItem): [string, string] {
  if (item.type === 'int') return ['num', item.value.toString()]
  if (item.type === 'slice') return ['tvm.Slice', item.cell.toBoc().toString('base64')]
  throw new Bug('an argument that is not written here', { type: item.type })
}

function readEntry(raw: unknown): StackEntry {
  const [type, value] = list(raw)
  if (type === 'num') return { type, value: readNumber(text(value)) }
  if (type === 'cell' || type === 'slice') return { type: 'cell', cell: Cell.fromBase64(text(record(value).bytes)) }
  return { type: 'other' }
}

/** Parses a number in hex with a sign in front, or in decimal. */
function readNumber(written: string): bigint {
  return written.startsWith('-') ? -BigInt(written.slice(1)) : BigInt(written)
}

function blockRef(raw: unknown): BlockRef {
  const { seqno, root_hash } = record(raw)
  return { number: BigInt(integer(seqno)), hash: Buffer.from(text(root_hash), 'base64').toString('hex') }
}

function pointerOf(raw: unknown): TxPointer {
  const { lt, hash } = record(raw)
  return { lt: BigInt(text(lt)), hash: Buffer.from(text(hash), 'base64').toString('hex') }
}

/** Parses text that may be a number: numbers beyond 2^53 come as text, and some nodes write small ones as numbers. */
function text(raw: unknown): string {
  if (typeof raw === 'string') return raw
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return raw.toString()
  throw new TypeError('text was expected')
}

function integer(raw: unknown): number {
  const value = Number(raw)
  if (raw === null || raw === '' || !Number.isSafeInteger(value)) throw new TypeError('a whole number was expected')
  return value
}
