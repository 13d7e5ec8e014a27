/**
 * One row of an account's ledger: what arrived or left, and who caused it. Rows identify a token only by its name, so
 * they are checked against the balance, which has its number, before a deposit is credited.
 */
import type { Address } from '@causeway/core'
import { canonical } from '../address.ts'
import { isAmount } from '../node/amounts.ts'
import { type LedgerEntry, UNREADABLE } from '../node/calls.ts'

export interface Row {
  /** The block's time in milliseconds. */
  time: number
  hash: string
  /** Position among the rows of this hash and time in this ledger. */
  position: number
  /** The family's own name for the type of change. */
  type: string
  delta: Readonly<Record<string, unknown>>
  transfer: TransferRow | null
}

/** A transfer between two accounts, or between two balances of one. */
export interface TransferRow {
  user: Address
  destination: Address
  sourceDex: string
  destinationDex: string
  /** The token's name. */
  token: string
  /** The amount as the network wrote it. */
  amount: string
  fee: string
  nativeTokenFee: string
  feeToken: string
  /** The signed nonce; null if the row has none. */
  nonce: number | null
}

export const SPOT = 'spot'
export const PERP = ''

export function rowOf({ time, hash, delta }: LedgerEntry, position: number): Row {
  return { time, hash, position, type: delta.type, delta, transfer: transferIn(delta) }
}

export function keyOf({ time, hash, position }: Row): string {
  return `${time}/${hash}/${position}`
}

const TRANSFERS = ['send', 'spotTransfer', 'internalTransfer', 'subAccountTransfer']
const NAMING_NONCE = ['send', 'spotTransfer']

/** Whether the row could be anything, including an action of these accounts with any nonce: then nothing is proven. */
export function isUnreadable({ type, transfer }: Row, owners: readonly Address[]): boolean {
  if (type === UNREADABLE || !transfer) return type === UNREADABLE || TRANSFERS.includes(type)
  return NAMING_NONCE.includes(type) && transfer.nonce === null && owners.includes(transfer.user)
}

/**
 * Decodes a transfer. Null also if the row cannot be decoded: it then counts as nothing, and code that needs a complete
 * ledger checks for it.
 */
function transferIn(delta: LedgerEntry['delta']): TransferRow | null {
  const dexes = dexesOf(delta)
  const { user, destination, nonce = null } = delta
  const isInternal = delta.type === 'internalTransfer' || delta.type === 'subAccountTransfer'
  const token = isInternal ? 'USDC' : delta.token
  const amount = isInternal ? delta.usdc : delta.amount
  if (!dexes || !isAddress(user) || !isAddress(destination)) return null
  if (typeof token !== 'string' || !isAmount(amount)) return null
  const isNonce = typeof nonce === 'number' && Number.isSafeInteger(nonce)
  return {
    user: canonical(user),
    destination: canonical(destination),
    ...dexes,
    token,
    amount,
    fee: amountIn(delta.fee),
    nativeTokenFee: amountIn(delta.nativeTokenFee),
    feeToken: typeof delta.feeToken === 'string' && delta.feeToken !== '' ? delta.feeToken : 'USDC',
    nonce: isNonce ? nonce : null,
  }
}

function dexesOf({ type, sourceDex, destinationDex }: LedgerEntry['delta']) {
  if (type === 'spotTransfer') return { sourceDex: SPOT, destinationDex: SPOT }
  if (type === 'internalTransfer' || type === 'subAccountTransfer') return { sourceDex: PERP, destinationDex: PERP }
  if (type !== 'send' || typeof sourceDex !== 'string' || typeof destinationDex !== 'string') return null
  return { sourceDex, destinationDex }
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
}

function amountIn(value: unknown): string {
  return isAmount(value) ? value : '0'
}
