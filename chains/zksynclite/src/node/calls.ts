/** The requests of this family and their decoders: anything unexpected is rejected here. */
import { asObject as fields, asArray as list, asString as text, asUint as whole } from '@causeway/chain-kit'
import type { Address, BlockRef, TxHash } from '@causeway/core'
import { canonical } from '../address.ts'
import type { KeyChangeTx, TransferTx } from '../transaction.ts'
import type { Call } from './node.ts'

export interface Account {
  /** The account's number; null if it never received anything. */
  id: number | null
  nonce: number
  keyHash: string
  /** The balance of the native token. */
  units: bigint
}

export interface Block extends BlockRef {
  time: Date
}

type Operation =
  | ({ type: 'Transfer' } & TransferTx)
  | ({ type: 'ChangePubKey' } & KeyChangeTx)
  /** A deposit from Ethereum. */
  | { type: 'Deposit'; to: Address; tokenId: number; amount: bigint }
  /** Any other type, or an unreadable one. */
  | { type: 'other'; named: string }

export interface Entry {
  hash: TxHash
  /** The block; null while the entry is pending, and if its state is unknown. */
  blockNumber: bigint | null
  /** `strange`: an unknown state. It may have been executed or not. */
  state: 'queued' | 'committed' | 'finalized' | 'rejected' | 'strange'
  operation: Operation
}

/** The maximum number of entries per page. */
export const PAGE = 100

export function network(): Call<number> {
  return { name: 'networkStatus', path: 'config', read: (answer) => chainIdOf(text(fields(answer).network)) }
}

export function account(address: Address, state: 'committed' | 'finalized'): Call<Account> {
  return {
    name: 'accounts',
    path: `accounts/${address}/${state}`,
    read(answer) {
      if (answer === null) return { id: null, nonce: 0, keyHash: LOCKED, units: 0n }
      const { accountId, nonce, pubKeyHash, balances, address: shown } = fields(answer)
      if (canonical(text(shown)) !== address) throw new TypeError('another account')
      return {
        id: accountId === null ? null : whole(accountId),
        nonce: whole(nonce),
        keyHash: text(pubKeyHash),
        units: units(fields(balances).ETH ?? '0'),
      }
    },
  }
}

/** The key hash of an account that cannot send yet. */
export const LOCKED = `sync:${'0'.repeat(40)}`

/** An account's entries, newest first: pending ones, then block by block. `from` is included in the answer. */
export function transactionsOf(address: Address, from: TxHash | 'latest'): Call<Entry[]> {
  return {
    name: 'accountTransactions',
    path: `accounts/${address}/transactions?from=${from}&limit=${PAGE}&direction=older`,
    read: (answer) => list(fields(answer).list).map(readRow),
  }
}

export function transaction(hash: TxHash): Call<Entry | null> {
  return {
    name: 'transactions',
    path: `transactions/${hash}/data`,
    read: (answer) => (answer === null ? null : readEntry(fields(answer).tx)),
  }
}

/** A block; null if there is none. */
export function block(number: bigint | 'lastCommitted' | 'lastFinalized'): Call<Block | null> {
  return {
    name: 'blocks',
    path: `blocks/${number}`,
    read(answer) {
      if (answer === null) return null
      const { blockNumber, newStateRoot, committedAt } = fields(answer)
      const found = { number: BigInt(whole(blockNumber)), hash: text(newStateRoot), time: new Date(text(committedAt)) }
      if (typeof number === 'bigint' && found.number !== number) throw new TypeError('another block')
      if (Number.isNaN(found.time.getTime())) throw new TypeError('no time')
      return found
    },
  }
}

export type FeeKind = 'Transfer' | { ChangePubKey: 'ECDSA' }

/** The server's current fee of an operation, in the native token. */
export function feeFor(kind: FeeKind, address: Address): Call<bigint> {
  return {
    name: 'fee',
    path: 'fee',
    body: { txType: kind, address, tokenLike: 'ETH' },
    read: (answer) => units(fields(answer).totalFee),
  }
}

export function submit(body: unknown): Call<TxHash> {
  return { name: 'submit', path: 'transactions', body, read: text }
}

/** The id of a row that has none: it can be neither requested nor paged from. */
export const NAMELESS = ''

/** Decodes a row. An unreadable one must not hide the others: it is returned as an unknown kind. */
function readRow(row: unknown): Entry {
  try {
    return readEntry(row)
  } catch (error) {
    return { hash: NAMELESS, blockNumber: null, state: 'strange', operation: { type: 'other', named: `${error}` } }
  }
}

function readEntry(row: unknown): Entry {
  const { txHash, blockNumber, status, op } = fields(row)
  const isExecuted = status === 'committed' || status === 'finalized'
  const number = isExecuted && Number.isSafeInteger(blockNumber) ? BigInt(whole(blockNumber)) : null
  const known = STATES.find((state) => state === status) ?? 'strange'
  return {
    hash: text(txHash),
    blockNumber: number,
    state: isExecuted && number === null ? 'strange' : known,
    operation: readOperation(op),
  }
}

function readOperation(op: unknown): Operation {
  try {
    const { type, ...rest } = fields(op)
    if (type === 'Transfer') return readTransfer(rest)
    if (type === 'ChangePubKey') return readKeyChange(rest)
    if (type === 'Deposit') {
      const { to, tokenId, amount } = rest
      return { type, to: canonical(text(to)), tokenId: whole(tokenId), amount: units(amount) }
    }
    return { type: 'other', named: String(type) }
  } catch (error) {
    return { type: 'other', named: `unreadable: ${error}` }
  }
}

function readTransfer(op: Record<string, unknown>): Operation {
  return {
    type: 'Transfer',
    ...readTimes(op),
    accountId: whole(op.accountId),
    from: canonical(text(op.from)),
    to: canonical(text(op.to)),
    tokenId: whole(op.token),
    amount: units(op.amount),
  }
}

function readKeyChange(op: Record<string, unknown>): Operation {
  return {
    type: 'ChangePubKey',
    ...readTimes(op),
    accountId: whole(op.accountId),
    account: canonical(text(op.account)),
    newPkHash: text(op.newPkHash),
    feeTokenId: whole(op.feeToken),
  }
}

function readTimes({ fee, nonce, validFrom, validUntil }: Record<string, unknown>) {
  return { fee: units(fee), nonce: whole(nonce), validFrom: whole(validFrom), validUntil: whole(validUntil) }
}

const STATES = ['queued', 'committed', 'finalized', 'rejected'] as const
/** The server's name for the underlying Ethereum network. */
const CHAIN_IDS: Readonly<Record<string, number>> = { mainnet: 1, rinkeby: 4, goerli: 5, sepolia: 11_155_111 }

function chainIdOf(named: string): number {
  return CHAIN_IDS[named] ?? 0
}

function units(value: unknown): bigint {
  if (typeof value !== 'string' || !/^\d{1,40}$/.test(value)) throw new TypeError('no amount')
  return BigInt(value)
}
