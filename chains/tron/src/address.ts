/**
 * Addresses of this family: base58check of the byte 0x41 and 20 bytes, 34 characters that begin with `T`. Nodes write
 * them in hex with that byte, contracts and logs without it; users may write neither.
 */
import type { Address, TokenNaming } from '@causeway/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { bytesToHex, concatBytes, hexToBytes } from './bytes.ts'

const base58check = createBase58check(sha256)
const VERSION = 0x41
const LENGTH = 21
const WRITTEN = /^T[1-9A-HJ-NP-Za-km-z]{33}$/

/** The address that denotes the chain's own coin. It has no key. */
export const NATIVE_ADDRESS: Address = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'

export const naming: TokenNaming = { nativeAddress: NATIVE_ADDRESS, parseAddress }

export function parseAddress(text: string): Address | null {
  if (!WRITTEN.test(text)) return null
  try {
    const bytes = base58check.decode(text)
    return bytes.length === LENGTH && bytes[0] === VERSION ? text : null
  } catch {
    return null
  }
}

/** The address from the 21 bytes in transactions; null if they are not one. */
export function addressOf(bytes: Uint8Array): Address | null {
  return bytes.length === LENGTH && bytes[0] === VERSION ? base58check.encode(bytes) : null
}

/** The address in the last 20 bytes of a word, a topic or a hash; the bytes before are ignored. */
export function addressInWord(hex: string): Address {
  return base58check.encode(concatBytes(Uint8Array.of(VERSION), hexToBytes(hex.slice(-40).padStart(40, '0'))))
}

/** The 21 bytes of an address that is already canonical. */
export function bytesOf(address: Address): Uint8Array {
  return base58check.decode(address)
}

/** The nodes' form: 42 hex digits that start with 41. */
export function hexOf(address: Address): string {
  return bytesToHex(bytesOf(address))
}

/** The contracts' form: 40 hex digits. */
export function hex20(address: Address): string {
  return hexOf(address).slice(2)
}

/** Addresses without a key: the zero address and those of the precompiled contracts. */
export function isLosing(address: Address): boolean {
  return BigInt(`0x${hex20(address)}`) < 2n ** 32n
}
