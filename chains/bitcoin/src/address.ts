/**
 * Addresses and their output scripts: P2PKH and P2SH in base58, SegWit version 0 in bech32, taproot in bech32m. Outputs
 * that today's rules let anyone spend (later versions, pay-to-anchor) or no one (a point off the curve) are not
 * addresses here.
 */
import { createHash } from 'node:crypto'
import type { Address } from '@causeway/core'
import { schnorr } from '@noble/curves/secp256k1.js'
import { bech32, bech32m, createBase58check } from '@scure/base'
import type { Prefixes } from './settings.ts'

/** The family's name for its native token, for callers that need an address. */
export const NATIVE_ADDRESS = 'bitcoin'

const HASH_BYTES = 20
const PROGRAM_BYTES = 32
const TAPROOT_VERSION = 1

export function parseAddress(text: string, prefixes: Prefixes): Address | null {
  if (scriptOf(text, prefixes) === null) return null
  return isSegwitText(text, prefixes) ? text.toLowerCase() : text
}

/** The output script that pays this address; null if it is not an address with these prefixes. */
export function scriptOf(text: string, prefixes: Prefixes): Uint8Array | null {
  try {
    return isSegwitText(text, prefixes) ? segwitScript(text, prefixes) : base58Script(text, prefixes)
  } catch {
    return null
  }
}

/** The address that this output script pays; null if it has none. Called for every output of every block. */
export function addressOf(script: Uint8Array, prefixes: Prefixes): Address | null {
  const [first, second] = script
  if (script.length === 22 && first === 0x00 && second === HASH_BYTES)
    return segwitText(0, script.subarray(2), prefixes)
  if (script.length === 34 && second === PROGRAM_BYTES) {
    if (first === 0x00) return segwitText(0, script.subarray(2), prefixes)
    if (first === 0x51) return segwitText(TAPROOT_VERSION, script.subarray(2), prefixes)
  }
  if (script.length === 25 && startsWith(script, [0x76, 0xa9, HASH_BYTES]) && endsWith(script, [0x88, 0xac])) {
    return base58Text(prefixes.pubKeyHash, script.subarray(3, 23))
  }
  if (script.length === 23 && startsWith(script, [0xa9, HASH_BYTES]) && endsWith(script, [0x87])) {
    return base58Text(prefixes.scriptHash, script.subarray(2, 22))
  }
  return null
}

/** Pay to witness public key hash: the form of all our own addresses. */
export function publicKeyScript(publicKey: Uint8Array): Uint8Array {
  return Uint8Array.from([0x00, HASH_BYTES, ...hash160(publicKey)])
}

export function publicKeyAddress(publicKey: Uint8Array, prefixes: Prefixes): Address {
  return segwitText(0, hash160(publicKey), prefixes)
}

/** The older address of a key: of its hash, or of its witness script's hash (`wrapped`). */
export function base58AddressOf(kind: 'pubKeyHash' | 'wrapped', publicKey: Uint8Array, prefixes: Prefixes): Address {
  if (kind === 'pubKeyHash') return base58Text(prefixes.pubKeyHash, hash160(publicKey))
  return base58Text(prefixes.scriptHash, hash160(publicKeyScript(publicKey)))
}

/** Well-known burn addresses: no key for them exists. */
const GRAVES = ['1BitcoinEaterAddressDontSendf59kuE', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr']

export function isGrave(address: Address, prefixes: Prefixes): boolean {
  const script = scriptOf(address, prefixes)
  if (script === null || GRAVES.includes(address)) return true
  // A zero hash: at most two opcodes could be hidden in the rest of the script.
  const end = script.subarray(-HASH_BYTES - 2)
  return end.filter((byte) => byte !== 0).length <= 2
}

export function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

const base58check = createBase58check(sha256)

function isSegwitText(text: string, prefixes: Prefixes): boolean {
  return text.toLowerCase().startsWith(`${prefixes.bech32}1`)
}

function segwitScript(text: string, prefixes: Prefixes): Uint8Array | null {
  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase()) return null
  const version = bech32.decodeUnsafe(lower) ? 0 : TAPROOT_VERSION
  const { prefix, words } = (version === 0 ? bech32 : bech32m).decode(lower as `${string}1${string}`)
  const [written, ...rest] = words
  if (prefix !== prefixes.bech32 || written !== version) return null
  const program = bech32.fromWords(rest)
  if (version === 0) {
    if (program.length !== HASH_BYTES && program.length !== PROGRAM_BYTES) return null
    return Uint8Array.from([0x00, program.length, ...program])
  }
  if (program.length !== PROGRAM_BYTES) return null
  schnorr.utils.lift_x(BigInt(`0x${Buffer.from(program).toString('hex')}`))
  return Uint8Array.from([0x51, PROGRAM_BYTES, ...program])
}

function base58Script(text: string, prefixes: Prefixes): Uint8Array | null {
  const [version, ...hash] = base58check.decode(text)
  if (hash.length !== HASH_BYTES) return null
  if (version === prefixes.pubKeyHash) return Uint8Array.from([0x76, 0xa9, HASH_BYTES, ...hash, 0x88, 0xac])
  if (version === prefixes.scriptHash) return Uint8Array.from([0xa9, HASH_BYTES, ...hash, 0x87])
  return null
}

function segwitText(version: number, program: Uint8Array, prefixes: Prefixes): Address {
  const words = [version, ...bech32.toWords(program)]
  return (version === 0 ? bech32 : bech32m).encode(prefixes.bech32, words)
}

function base58Text(version: number, hash: Uint8Array): Address {
  return base58check.encode(Uint8Array.from([version, ...hash]))
}

export function hash160(data: Uint8Array): Buffer {
  return createHash('ripemd160').update(sha256(data)).digest()
}

function startsWith(script: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, position) => script[position] === byte)
}

function endsWith(script: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, position) => script[script.length - bytes.length + position] === byte)
}
