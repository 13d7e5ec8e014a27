/**
 * Whether an address signed a text. The older format recovers the key from a signature of 65 bytes (`signmessage`, BIP
 * 137). BIP 322 ("simple") signs a transaction that can never be mined, and the signature is the witness of its input.
 */
import type { Address } from '@causeway/core'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { base58AddressOf, hash160, publicKeyAddress, scriptOf, sha256 } from '../address.ts'
import type { Prefixes } from '../settings.ts'

export function verifyMessage(
  prefixes: Prefixes,
  { address, text, signature }: { address: Address; text: string; signature: string },
): boolean {
  const bytes = bytesOf(signature)
  const script = scriptOf(address, prefixes)
  if (!bytes || !script) return false
  try {
    if (bytes.length === LEGACY_BYTES && isHeader(bytes[0] ?? 0)) return isRecovered(prefixes, address, text, bytes)
    return isWitness(script, text, witnessOf(bytes))
  } catch {
    // An unreadable signature or key is invalid.
    return false
  }
}

function bytesOf(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return null
  return Uint8Array.from(Buffer.from(text, 'base64'))
}

const LEGACY_BYTES = 65
const FIRST_HEADER = 27
const LAST_HEADER = 42
/** Header bytes from this one on mean a compressed key. */
const COMPRESSED = 31

function isHeader(header: number): boolean {
  return header >= FIRST_HEADER && header <= LAST_HEADER
}

/**
 * Verifies the older format. Wallets differ in how the header byte names the address type, so only the key is compared.
 */
function isRecovered(prefixes: Prefixes, address: Address, text: string, bytes: Uint8Array): boolean {
  const header = bytes[0] ?? 0
  const recovery = (header - FIRST_HEADER) % 4
  const signature = secp256k1.Signature.fromBytes(bytes.subarray(1), 'compact').addRecoveryBit(recovery)
  const point = signature.recoverPublicKey(legacyDigest(text))
  const isShort = header >= COMPRESSED
  const key = point.toBytes(isShort)
  if (address === base58AddressOf('pubKeyHash', key, prefixes)) return true
  return isShort && [publicKeyAddress(key, prefixes), base58AddressOf('wrapped', key, prefixes)].includes(address)
}

function legacyDigest(text: string): Uint8Array {
  const words = Buffer.from(text)
  return hash256(Buffer.concat([Buffer.from('\x18Bitcoin Signed Message:\n'), sizeOf(words.length), words]))
}

/** Verifies a BIP 322 signature: the witness of a transaction that spends the output of `toSpend`. */
function isWitness(script: Uint8Array, text: string, witness: readonly Uint8Array[]): boolean {
  const isKeyHash = script.length === 22 && script[0] === 0x00
  const isTaproot = script.length === 34 && script[0] === 0x51
  const spent = hash256(toSpend(script, text))
  const [first, second] = witness
  if (isKeyHash && first && second && witness.length === 2) {
    const hashed = script.subarray(2)
    const key = Buffer.from(second)
    if (key.length !== 33 || !hash160(key).equals(Buffer.from(hashed)) || first.at(-1) !== SIGHASH_ALL) return false
    const digest = hash256(segwitPreimage(spent, hashed))
    return secp256k1.verify(first.subarray(0, -1), digest, key, { prehash: false, format: 'der', lowS: false })
  }
  if (isTaproot && first && witness.length === 1) {
    const isDefault = first.length === 64
    if (!isDefault && (first.length !== 65 || first[64] !== SIGHASH_ALL)) return false
    const digest = taprootDigest(spent, script, isDefault ? 0 : SIGHASH_ALL)
    return schnorr.verify(first.subarray(0, 64), digest, script.subarray(2))
  }
  return false
}

const SIGHASH_ALL = 1
const NOTHING = Buffer.alloc(4)
const NO_UNITS = Buffer.alloc(8)
const RETURNS = Buffer.from([0x01, 0x6a])

/** BIP 322's virtual transaction: it spends a nonexistent output, and commits to text and address. */
function toSpend(script: Uint8Array, text: string): Buffer {
  const named = taggedHash('BIP0322-signed-message', Buffer.from(text))
  return Buffer.concat([
    NOTHING,
    Buffer.from([1]),
    Buffer.alloc(32),
    Buffer.alloc(4, 0xff),
    Buffer.from([34, 0x00, 32]),
    named,
    NOTHING,
    Buffer.from([1]),
    NO_UNITS,
    sizeOf(script.length),
    script,
    NOTHING,
  ])
}

/** The BIP 143 preimage for the single input and output of the virtual transaction. */
function segwitPreimage(spent: Uint8Array, keyHash: Uint8Array): Buffer {
  const outpoint = Buffer.concat([spent, NOTHING])
  const code = Buffer.from([25, 0x76, 0xa9, 20, ...keyHash, 0x88, 0xac])
  const outputs = hash256(Buffer.concat([NO_UNITS, RETURNS]))
  const all = Buffer.from([SIGHASH_ALL, 0, 0, 0])
  return Buffer.concat([
    NOTHING,
    ...[hash256(outpoint), hash256(NOTHING), outpoint, code, NO_UNITS, NOTHING, outputs],
    ...[NOTHING, all],
  ])
}

/** The BIP 341 digest for a spend by key. */
function taprootDigest(spent: Uint8Array, script: Uint8Array, type: number): Uint8Array {
  return taggedHash(
    'TapSighash',
    Buffer.concat([
      Buffer.from([0, type]),
      ...[NOTHING, NOTHING],
      sha256(Buffer.concat([spent, NOTHING])),
      sha256(NO_UNITS),
      sha256(Buffer.concat([sizeOf(script.length), script])),
      sha256(NOTHING),
      sha256(Buffer.concat([NO_UNITS, RETURNS])),
      Buffer.from([0]),
      NOTHING,
    ]),
  )
}

/** Throws if the bytes are not exactly a witness stack. */
function witnessOf(bytes: Uint8Array): Uint8Array[] {
  const count = bytes[0] ?? 0
  const stack: Uint8Array[] = []
  let at = 1
  for (let item = 0; item < count; item++) {
    const size = bytes[at] ?? 0
    // All supported witnesses are shorter than 253 bytes per item.
    if (size >= 0xfd || at + 1 + size > bytes.length) throw new RangeError('not a witness')
    stack.push(bytes.subarray(at + 1, at + 1 + size))
    at += 1 + size
  }
  if (at !== bytes.length) throw new RangeError('bytes behind a witness')
  return stack
}

function taggedHash(tag: string, data: Uint8Array): Buffer {
  const name = sha256(Buffer.from(tag))
  return sha256(Buffer.concat([name, name, data]))
}

function hash256(data: Uint8Array): Buffer {
  return sha256(sha256(data))
}

function sizeOf(length: number): Buffer {
  if (length < 0xfd) return Buffer.from([length])
  const long = Buffer.alloc(3, 0xfd)
  long.writeUInt16LE(length, 1)
  return long
}
