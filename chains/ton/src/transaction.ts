/**
 * A transaction decoded from its own cells, which prove it: its hash covers them, and it names its predecessor on the
 * same account. Other statements of a node about it are not used.
 */
import type { Address, TxHash } from '@causeway/core'
import {
  beginCell,
  Cell,
  type CommonMessageInfoInternal,
  loadTransaction,
  type Message,
  type Slice,
  storeMessage,
  type Transaction,
} from '@ton/core'
import { canonical } from './address.ts'

/** The position of a transaction in its account's chain. */
export interface TxPointer {
  lt: bigint
  /** In hex. */
  hash: TxHash
}

export interface TonTransaction extends TxPointer {
  /** The 32 bytes of the account's address in hex, without the workchain, as in the cells. */
  account: string
  /** The time in Unix seconds. */
  now: number
  previous: TxPointer | null
  in: Message | null
  /** The hash of the causing message, in hex; for an external one, as TEP-467 normalises it. */
  inHash: string | null
  out: InternalMessage[]
  /** Its compute or action phase failed, or was skipped. */
  isAborted: boolean
  /** Its cells hold something that our library cannot decode: only its position in the chain is known. */
  isUnreadable: boolean
  /** Whether there was no contract yet: the message's value was credited, and no code ran. */
  isUnborn: boolean
  isBouncing: boolean
  totalFees: bigint
}

export interface InternalMessage extends Message {
  info: CommonMessageInfoInternal
}

/** Decodes a transaction. Never throws on untrusted message content: one odd transaction must not hide earlier ones. */
export function parseTransaction(boc: string): TonTransaction {
  const cell = Cell.fromBase64(boc)
  try {
    return readAll(cell)
  } catch {
    const nothing = {
      in: null,
      inHash: null,
      out: [],
      isAborted: true,
      isUnborn: false,
      isBouncing: false,
      totalFees: 0n,
    }
    return { ...readPlace(cell), ...nothing, isUnreadable: true }
  }
}

/** The fixed fields that every transaction begins with. */
function readPlace(cell: Cell): Pick<TonTransaction, 'lt' | 'hash' | 'account' | 'now' | 'previous'> {
  const slice = cell.beginParse()
  if (slice.loadUint(4) !== TRANSACTION_TAG) throw new TypeError('not a transaction')
  const account = hex32(slice.loadUintBig(256))
  const lt = slice.loadUintBig(64)
  const previous = { hash: hex32(slice.loadUintBig(256)), lt: slice.loadUintBig(64) }
  const now = slice.loadUint(32)
  return { lt, hash: cell.hash().toString('hex'), account, now, previous: previous.lt === 0n ? null : previous }
}

const TRANSACTION_TAG = 0b0111

function readAll(cell: Cell): TonTransaction {
  const transaction = loadTransaction(cell.beginParse())
  const description = transaction.description.type === 'generic' ? transaction.description : null
  const message = transaction.inMessage ?? null
  return {
    ...readPlace(cell),
    isUnreadable: false,
    in: message,
    inHash: message && (message.info.type === 'external-in' ? normalisedHash(message) : rawMessageHash(cell)),
    out: internalsOf(transaction),
    isAborted: description?.aborted ?? true,
    isUnborn: description?.computePhase.type === 'skipped' && description.computePhase.reason === 'no-state',
    isBouncing: Boolean(description?.bouncePhase),
    totalFees: transaction.totalFees.coins,
  }
}

/** The amount that the transaction took from its account, in nanotons; negative if it brought more than it cost. */
export function drainOf({ in: message, out, totalFees }: TonTransaction): bigint {
  const brought = message?.info.type === 'internal' ? message.info.value.coins : 0n
  return out.reduce((sum, { info }) => sum + info.value.coins + info.forwardFee, totalFees) - brought
}

export function internalIn({ in: message }: TonTransaction): InternalMessage | null {
  return message && isInternal(message) ? message : null
}

export function sourceOf({ info }: InternalMessage): Address {
  return canonical(info.src)
}

export function destinationOf({ info }: InternalMessage): Address {
  return canonical(info.dest)
}

/** The first 32 bits of the message's body; null if there are fewer. */
export function opcodeOf({ body }: Message): number | null {
  const slice = sliceOf(body)
  return slice.remainingBits < 32 ? null : slice.loadUint(32)
}

/** The content of a cell; empty for an exotic one (a library, for example), which anyone may send. */
export function sliceOf(cell: Cell): Slice {
  return cell.isExotic ? Cell.EMPTY.beginParse() : cell.beginParse()
}

/** The hash of an external message without fee, sender, state and layout (TEP-467): the same for all its variants. */
export function normalisedHash(message: Message): string {
  if (message.info.type !== 'external-in') throw new TypeError('not an external message')
  const bare: Message = { info: { ...message.info, src: null, importFee: 0n }, init: null, body: message.body }
  return beginCell()
    .store(storeMessage(bare, { forceRef: true }))
    .endCell()
    .hash()
    .toString('hex')
}

function isInternal(message: Message): message is InternalMessage {
  return message.info.type === 'internal'
}

function internalsOf({ outMessages }: Transaction): InternalMessage[] {
  return outMessages.values().filter(isInternal)
}

/** The hash of the incoming message as it is in the transaction: in the first reference, after its presence bit. */
function rawMessageHash(transaction: Cell): string | null {
  const messages = transaction.refs[0]?.beginParse()
  return messages?.loadMaybeRef()?.hash().toString('hex') ?? null
}

function hex32(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
