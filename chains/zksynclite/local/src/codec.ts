/**
 * Transactions as the server decodes them: from the posted fields to the bytes that must have been signed. Used only by
 * the double, so that a mistake of the adapter is not repeated here.
 */
import { createHash } from 'node:crypto'
import { formatUnits, type Hex, hexToBytes, isAddress, recoverMessageAddress, size } from 'viem'
import zk from 'zksync-crypto'

export interface TransferOp {
  type: 'Transfer'
  accountId: number
  from: string
  to: string
  token: number
  amount: string
  fee: string
  nonce: number
  validFrom: number
  validUntil: number
}

export interface KeyChangeOp {
  type: 'ChangePubKey'
  accountId: number
  account: string
  newPkHash: string
  feeToken: number
  fee: string
  nonce: number
  validFrom: number
  validUntil: number
}

export type Op = TransferOp | KeyChangeOp

interface Musig {
  pubKey: string
  signature: string
}

/** A posted transaction: an operation with its musig, and the signature of Ethereum's key. */
export interface Posted {
  tx: Op & { signature: Musig; ethAuthData?: { type: string; ethSignature?: Hex; batchHash?: Hex } }
  signature: { type: string; signature: Hex } | null
}

/** The bits of the mantissa, and the bytes of mantissa and exponent together. */
const SHAPES = { amount: [35, 5], fee: [11, 2] } as const

/** The packed bytes of `value`; throws if it cannot be packed. */
export function packed(value: bigint, shape: keyof typeof SHAPES): Buffer {
  const [bits, bytes] = SHAPES[shape]
  let digits = value
  let zeros = 0
  while (digits >= 2n ** BigInt(bits)) {
    if (digits % 10n !== 0n || zeros === 31) throw new RangeError(`${value} is not packable`)
    digits /= 10n
    zeros += 1
  }
  const written = digits * 32n + BigInt(zeros)
  const out = Buffer.alloc(bytes)
  for (let place = bytes - 1, rest = written; place >= 0; place--, rest /= 256n) out[place] = Number(rest % 256n)
  return out
}

export function signedBytes(op: Op): Buffer {
  const view = Buffer.alloc(op.type === 'Transfer' ? 77 : 72)
  let at = view.writeUInt8(op.type === 'Transfer' ? 250 : 248, 0)
  at = view.writeUInt8(1, at)
  at = view.writeUInt32BE(op.accountId, at)
  const put = (bytes: Uint8Array) => {
    view.set(bytes, at)
    at += bytes.length
  }
  if (op.type === 'Transfer') {
    put(hexToBytes(op.from as Hex))
    put(hexToBytes(op.to as Hex))
    at = view.writeUInt32BE(op.token, at)
    put(packed(BigInt(op.amount), 'amount'))
  } else {
    put(hexToBytes(op.account as Hex))
    put(Buffer.from(op.newPkHash.slice('sync:'.length), 'hex'))
    at = view.writeUInt32BE(op.feeToken, at)
  }
  put(packed(BigInt(op.fee), 'fee'))
  at = view.writeUInt32BE(op.nonce, at)
  at = view.writeBigUInt64BE(BigInt(op.validFrom), at)
  at = view.writeBigUInt64BE(BigInt(op.validUntil), at)
  if (at !== view.length) throw new RangeError('not the length of such a transaction')
  return view
}

export function nameOf(op: Op): string {
  return `sync-tx:${createHash('sha256').update(signedBytes(op)).digest('hex')}`
}

export function senderOf(op: Op): string {
  return op.type === 'Transfer' ? op.from : op.account
}

/** The hash of the key that made this musig; null if it is not a signature of these bytes. */
export function musigKey(op: Op, { pubKey, signature }: Musig): string | null {
  try {
    const both = Buffer.from(pubKey + signature, 'hex')
    if (both.length !== 96 || !zk.verify_musig(signedBytes(op), both)) return null
    return `sync:${Buffer.from(zk.pubKeyHash(both.subarray(0, 32))).toString('hex')}`
  } catch {
    return null
  }
}

/** The signer of the accompanying Ethereum signature; null if there is none. */
export async function ethereumSigner({ tx, signature }: Posted): Promise<string | null> {
  const signed = tx.type === 'Transfer' ? signature?.signature : tx.ethAuthData?.ethSignature
  if (signed === undefined || size(signed) !== 65) return null
  const message = tx.type === 'Transfer' ? transferWords(tx) : { raw: keyChangeRaw(tx) }
  return recoverMessageAddress({ message, signature: signed }).catch(() => null)
}

/** The readable text of a transfer: up to three lines without empty ones; an amount always has a decimal point. */
export function transferWords({ amount, fee, to, nonce }: TransferOp): string {
  const ether = (units: string) => {
    const text = formatUnits(BigInt(units), 18)
    return `${text.includes('.') ? text : `${text}.0`} ETH`
  }
  let words = ''
  if (amount !== '0') words += `Transfer ${ether(amount)} to: ${to.toLowerCase()}\n`
  if (fee !== '0') words += `Fee: ${ether(fee)}\n`
  return `${words}Nonce: ${nonce}`
}

export function keyChangeRaw({ newPkHash, nonce, accountId }: KeyChangeOp): Buffer {
  const raw = Buffer.alloc(60)
  raw.write(newPkHash.slice('sync:'.length), 0, 'hex')
  raw.writeUInt32BE(nonce, 20)
  raw.writeUInt32BE(accountId, 24)
  return raw
}

/** Whether the fields have the right types; their values are checked elsewhere. */
export function isWellFormed({ tx }: Posted): boolean {
  const whole = (value: unknown, most: number) =>
    Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most
  const money = (value: unknown) => typeof value === 'string' && /^(0|[1-9]\d{0,38})$/.test(value)
  const common =
    whole(tx.accountId, 2 ** 32 - 1) &&
    whole(tx.nonce, 2 ** 32 - 1) &&
    whole(tx.validFrom, Number.MAX_SAFE_INTEGER) &&
    whole(tx.validUntil, Number.MAX_SAFE_INTEGER) &&
    money(tx.fee)
  if (!common) return false
  if (tx.type === 'Transfer')
    return isAddress(tx.from) && isAddress(tx.to) && whole(tx.token, 2 ** 32 - 1) && money(tx.amount)
  return (
    tx.type === 'ChangePubKey' &&
    isAddress(tx.account) &&
    /^sync:[0-9a-f]{40}$/.test(tx.newPkHash) &&
    whole(tx.feeToken, 0)
  )
}
