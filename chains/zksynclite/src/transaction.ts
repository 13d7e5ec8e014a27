/**
 * Signed transactions: a transfer of 77 bytes, a key change of 72. The hash of these bytes is the transaction id, known
 * before sending; Ethereum's key also signs a readable text.
 */
import { createHash } from 'node:crypto'
import { type Address, formatDecimal, type TxHash } from '@causeway/core'
import { hexToBytes, isHex } from 'viem'
import { AMOUNT, FEE, pack } from './packing.ts'

export interface TransferTx {
  accountId: number
  from: Address
  to: Address
  tokenId: number
  amount: bigint
  fee: bigint
  nonce: number
  validFrom: number
  validUntil: number
}

export interface KeyChangeTx {
  accountId: number
  account: Address
  /** The key's hash: `sync:` and 40 hex digits. */
  newPkHash: string
  feeTokenId: number
  fee: bigint
  nonce: number
  validFrom: number
  validUntil: number
}

/** Id of ETH, in which fees are paid. */
export const NATIVE_ID = 0
/** The default expiry of clients: in the year 2106. */
export const MAX_TIMESTAMP = 4_294_967_295

const VERSION = 1
/** A type is written as 255 minus its number. */
const TRANSFER = 0xff - 5
const KEY_CHANGE = 0xff - 7

export function transferBytes(tx: TransferTx): Uint8Array {
  return Buffer.concat([
    Uint8Array.of(TRANSFER, VERSION),
    number(tx.accountId, 4),
    hexToBytes(asHex(tx.from)),
    hexToBytes(asHex(tx.to)),
    number(tx.tokenId, 4),
    pack(tx.amount, AMOUNT),
    pack(tx.fee, FEE),
    number(tx.nonce, 4),
    number(tx.validFrom, 8),
    number(tx.validUntil, 8),
  ])
}

export function keyChangeBytes(tx: KeyChangeTx): Uint8Array {
  return Buffer.concat([
    Uint8Array.of(KEY_CHANGE, VERSION),
    number(tx.accountId, 4),
    hexToBytes(asHex(tx.account)),
    keyHashBytes(tx.newPkHash),
    number(tx.feeTokenId, 4),
    pack(tx.fee, FEE),
    number(tx.nonce, 4),
    number(tx.validFrom, 8),
    number(tx.validUntil, 8),
  ])
}

export function hashOf(bytes: Uint8Array): TxHash {
  return `sync-tx:${createHash('sha256').update(bytes).digest('hex')}`
}

/** The text that Ethereum's key signs for a transfer. Empty lines are left out. */
export function transferText(tx: TransferTx, token: { symbol: string; decimals: number }): string {
  const shown = (units: bigint) => `${readable(units, token.decimals)} ${token.symbol}`
  return [
    ...(tx.amount > 0n ? [`Transfer ${shown(tx.amount)} to: ${tx.to.toLowerCase()}`] : []),
    ...(tx.fee > 0n ? [`Fee: ${shown(tx.fee)}`] : []),
    `Nonce: ${tx.nonce}`,
  ].join('\n')
}

/** The message that Ethereum's key signs for a key change: the key, the nonce, the account, and no batch. */
export function keyChangeMessage(tx: KeyChangeTx): Uint8Array {
  return Buffer.concat([keyHashBytes(tx.newPkHash), number(tx.nonce, 4), number(tx.accountId, 4), Buffer.alloc(32)])
}

/** An amount in whole tokens, always with a decimal point. */
function readable(units: bigint, decimals: number): string {
  const text = formatDecimal(units, decimals)
  return text.includes('.') ? text : `${text}.0`
}

function keyHashBytes(keyHash: string): Uint8Array {
  const digits = /^sync:([0-9a-f]{40})$/.exec(keyHash)?.[1]
  if (digits === undefined) throw new RangeError(`not a hash of a key: ${keyHash}`)
  return Buffer.from(digits, 'hex')
}

function asHex(address: Address): `0x${string}` {
  if (!isHex(address) || address.length !== 42) throw new RangeError(`not an address: ${address}`)
  return address
}

function number(value: number, bytes: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** (8 * bytes)) {
    throw new RangeError(`${value} does not fit ${bytes} bytes`)
  }
  return Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex')
}
