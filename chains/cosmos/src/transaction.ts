/**
 * A transaction of the SDK: a body (messages, memo, timeout), the signers with sequences and fee, and the signatures.
 * Signed are body and signer info as bytes, with the chain id and the signer's account number.
 */
import type { Address, TxHash } from '@causeway/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { addressOf } from './address.ts'
import { readFields, writeFields } from './protobuf.ts'
import type { KeyType, Settings } from './settings.ts'

export interface Coin {
  denom: string
  units: bigint
}

/** An encoded message: its type and its bytes. */
export interface Message {
  type: string
  value: Uint8Array
}

interface Signature {
  publicKey: Uint8Array
  sequence: bigint
}

/** The content to sign. */
export interface Unsigned {
  messages: readonly Message[]
  memo: string
  timeoutHeight: bigint
  signers: readonly Signature[]
  fee: Coin
  gas: bigint
  /** The fee payer, if it is not the first signer. */
  payer: Address | null
}

export const MSG_SEND = '/cosmos.bank.v1beta1.MsgSend'
/** The sign mode SIGN_MODE_DIRECT. */
const DIRECT = 1

export function sendMessage(from: Address, to: Address, coin: Coin): Message {
  return { type: MSG_SEND, value: writeFields({ 1: from, 2: to, 3: [writeCoin(coin)] }) }
}

function writeCoin({ denom, units }: Coin): Uint8Array {
  return writeFields({ 1: denom, 2: units.toString() })
}

function writeAny({ type, value }: Message): Uint8Array {
  return writeFields({ 1: type, 2: value })
}

export function bodyBytes({ messages, memo, timeoutHeight }: Unsigned): Uint8Array {
  return writeFields({ 1: messages.map(writeAny), 2: memo, 3: timeoutHeight })
}

export function authBytes({ signers, fee, gas, payer }: Unsigned, pubkeyType: string): Uint8Array {
  const mode = writeFields({ 1: writeFields({ 1: DIRECT }) })
  const infos = signers.map(({ publicKey, sequence }) =>
    writeFields({ 1: writeAny({ type: pubkeyType, value: writeFields({ 1: publicKey }) }), 2: mode, 3: sequence }),
  )
  const amount = fee.units > 0n ? [writeCoin(fee)] : []
  return writeFields({ 1: infos, 2: writeFields({ 1: amount, 2: gas, 3: payer }) })
}

/** The digest that one of the signers signs; each names its own account number. */
export function digestOf(
  body: Uint8Array,
  auth: Uint8Array,
  { chainId, key }: Pick<Settings, 'chainId' | 'key'>,
  accountNumber: bigint,
): Uint8Array {
  const document = writeFields({ 1: body, 2: auth, 3: chainId, 4: accountNumber })
  return hasherOf(key)(document)
}

export function hasherOf(key: KeyType): (bytes: Uint8Array) => Uint8Array {
  return key === 'secp256k1' ? sha256 : keccak_256
}

export function rawBytes(body: Uint8Array, auth: Uint8Array, signatures: readonly Uint8Array[]): Uint8Array {
  return writeFields({ 1: body, 2: auth, 3: signatures })
}

export function hashOf(raw: Uint8Array): TxHash {
  return Buffer.from(sha256(raw)).toString('hex').toUpperCase()
}

/** The signed content, whatever its envelope; null if the bytes are not a transaction. */
export function contentOf(raw: Uint8Array): string | null {
  try {
    const envelope = readFields(raw)
    return hashOf(writeFields({ 1: envelope.bytes(1), 2: envelope.bytes(2) }))
  } catch {
    return null
  }
}

/** A decoded transaction. */
export interface Transaction {
  messages: Message[]
  memo: string
  timeoutHeight: bigint
  fee: Coin[]
  gas: bigint
  payer: string
  /** The address of the shown key; null for other kinds of keys, and if it is omitted. A sender may show any key. */
  signers: { address: Address | null; publicKey: Uint8Array | null; sequence: bigint }[]
  /** The signed bytes, and the signatures in the order of the signers. */
  signed: { body: Uint8Array; auth: Uint8Array; signatures: Uint8Array[] }
}

/**
 * Decodes a transaction. Null if the bytes are not one of the SDK: blocks also hold injected data, blobs and other
 * virtual machines' transactions.
 */
export function readTransaction(raw: Uint8Array, settings: Pick<Settings, 'prefix' | 'key'>): Transaction | null {
  try {
    const envelope = readFields(raw)
    const signed = { body: envelope.bytes(1), auth: envelope.bytes(2), signatures: envelope.all(3) }
    const body = readFields(signed.body)
    const auth = readFields(signed.auth)
    const fee = readFields(auth.bytes(2))
    const messages = body.all(1).map(readAny)
    if (messages.length === 0) return null
    return {
      messages,
      memo: body.text(2),
      timeoutHeight: body.uint(3),
      fee: fee.all(1).map(readCoin),
      gas: fee.uint(2),
      payer: fee.text(3),
      signers: auth.all(1).map((info) => readSigner(info, settings)),
      signed,
    }
  } catch {
    return null
  }
}

export function readAny(bytes: Uint8Array): Message {
  const any = readFields(bytes)
  return { type: any.text(1), value: any.bytes(2) }
}

export function readCoin(bytes: Uint8Array): Coin {
  const coin = readFields(bytes)
  const units = coin.text(2)
  // Amounts have no leading zero: the chain reads 010 as eight.
  if (!/^(0|[1-9]\d{0,77})$/.test(units)) throw new RangeError('an amount was expected')
  return { denom: coin.text(1), units: BigInt(units) }
}

function readSigner(bytes: Uint8Array, settings: Pick<Settings, 'prefix' | 'key'>): Transaction['signers'][number] {
  const info = readFields(bytes)
  const shown = shownKey(info.bytes(1), settings)
  return { address: shown?.address ?? null, publicKey: shown?.publicKey ?? null, sequence: info.uint(3) }
}

function shownKey(
  any: Uint8Array,
  { prefix, key }: Pick<Settings, 'prefix' | 'key'>,
): { address: Address; publicKey: Uint8Array } | null {
  const { type, value } = readAny(any)
  const isEth = /\.ethsecp256k1\.PubKey$/.test(type)
  if (!isEth && type !== '/cosmos.crypto.secp256k1.PubKey') return null
  if (isEth !== (key === 'eth_secp256k1')) return null
  try {
    const publicKey = readFields(value).bytes(1)
    return { address: addressOf(publicKey, prefix, key), publicKey }
  } catch {
    return null
  }
}
