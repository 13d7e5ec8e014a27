/** A transaction decoded by the double from the bytes alone: messages, signers with their keys, fee, signatures. */
import { createHash } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bech32 } from '@scure/base'
import { bytesAt, fieldsOf, lengthField, listAt, numberAt, numberField, optionalField, textAt } from './wire.ts'

export interface Money {
  denom: string
  amount: bigint
}

export interface Envelope {
  body: Buffer
  auth: Buffer
  messages: { type: string; value: Buffer }[]
  memo: string
  timeoutHeight: bigint
  signers: { keyType: string; key: Buffer; mode: bigint; sequence: bigint }[]
  fee: Money[]
  gas: bigint
  payer: string
  signatures: Buffer[]
}

/** Throws if the bytes are not a transaction. */
export function openEnvelope(raw: Buffer): Envelope {
  const outer = fieldsOf(raw)
  const [body, auth] = [bytesAt(outer, 1), bytesAt(outer, 2)]
  const inner = fieldsOf(body)
  const info = fieldsOf(auth)
  const fee = fieldsOf(bytesAt(info, 2))
  return {
    body,
    auth,
    messages: listAt(inner, 1).map(anyOf),
    memo: textAt(inner, 2),
    timeoutHeight: numberAt(inner, 3),
    signers: listAt(info, 1).map((bytes) => {
      const signer = fieldsOf(bytes)
      const { type, value } = anyOf(bytesAt(signer, 1))
      const single = fieldsOf(bytesAt(fieldsOf(bytesAt(signer, 2)), 1))
      return {
        keyType: type,
        key: bytesAt(fieldsOf(value), 1),
        mode: numberAt(single, 1),
        sequence: numberAt(signer, 3),
      }
    }),
    fee: listAt(fee, 1).map(moneyOf),
    gas: numberAt(fee, 2),
    payer: textAt(fee, 3),
    signatures: listAt(outer, 3),
  }
}

export function anyOf(bytes: Buffer): { type: string; value: Buffer } {
  const fields = fieldsOf(bytes)
  return { type: textAt(fields, 1), value: bytesAt(fields, 2) }
}

export function moneyOf(bytes: Buffer): Money {
  const fields = fieldsOf(bytes)
  const written = textAt(fields, 2)
  if (!/^-?\d{1,78}$/.test(written)) throw new Error(`amount ${written}`)
  // Parsed like the SDK: a leading zero makes the number octal.
  return { denom: textAt(fields, 1), amount: BigInt(/^0[0-7]+$/.test(written) ? `0o${written}` : written) }
}

export function moneyBytes({ denom, amount }: Money): Buffer {
  return Buffer.concat([lengthField(1, denom), lengthField(2, amount.toString())])
}

/** Whether this key signed the bytes for this chain and this account. */
export function isSigned(
  { body, auth }: Envelope,
  signature: Buffer,
  { key, keyType }: { key: Buffer; keyType: string },
  chainId: string,
  accountNumber: bigint,
): boolean {
  const document = Buffer.concat([
    optionalField(1, body),
    optionalField(2, auth),
    optionalField(3, chainId),
    numberField(4, accountNumber),
  ])
  const digest = isEth(keyType) ? keccak_256(document) : createHash('sha256').update(document).digest()
  try {
    return secp256k1.verify(signature, digest, key, { prehash: false, lowS: true })
  } catch {
    return false
  }
}

export function addressOfKey(key: Buffer, keyType: string, prefix: string): string {
  const bytes = isEth(keyType)
    ? keccak_256(secp256k1.Point.fromBytes(key).toBytes(false).subarray(1)).subarray(12)
    : ripemd160(createHash('sha256').update(key).digest())
  return bech32.encode(prefix, bech32.toWords(bytes))
}

function isEth(keyType: string): boolean {
  return keyType.endsWith('ethsecp256k1.PubKey')
}

/** Throws if the address is not an account of this chain. */
export function assertAccount(address: string, prefix: string): void {
  const decoded = bech32.decode(address as `${string}1${string}`, 120)
  if (decoded.prefix !== prefix) throw new Error(`invalid Bech32 prefix; expected ${prefix}, got ${decoded.prefix}`)
  const { length } = bech32.fromWords(decoded.words)
  if (length !== 20 && length !== 32) throw new Error('address length')
}

export function moduleAddress(name: string, prefix: string): string {
  return bech32.encode(prefix, bech32.toWords(createHash('sha256').update(name).digest().subarray(0, 20)))
}
