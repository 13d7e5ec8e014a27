/**
 * Addresses of this family: 40 hex digits, canonical in the mixed case of EIP-55. Mixed case that does not check out is
 * a typing mistake and no address.
 */
import type { Address, TokenNaming } from '@causeway/core'
import { getAddress, isAddress, zeroAddress } from 'viem'

export const naming: TokenNaming = { nativeAddress: zeroAddress, parseAddress }

export function parseAddress(text: string): Address | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null
  const digits = text.slice(2)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return isOneCase || isAddress(text, { strict: true }) ? canonical(text) : null
}

/** For text that a node or our own code wrote. */
export function canonical(text: string): Address {
  return getAddress(text.toLowerCase())
}

/** An address out of the 32 bytes that an event's topic has for it. */
export function fromTopic(topic: string): Address {
  return canonical(`0x${topic.slice(-40)}`)
}

/** Precompiled contracts keep what they are sent: 0x01 to 0x11 by Prague, and 0x0100. */
const LAST_PRECOMPILE = 0x11n
const PRECOMPILES_BEYOND = [0x100n]
const BURN_ADDRESSES = ['0x000000000000000000000000000000000000dEaD']

/** Nobody holds a key for it: money sent there is gone. */
export function isBurnAddress(address: Address): boolean {
  const number = BigInt(address)
  return number <= LAST_PRECOMPILE || PRECOMPILES_BEYOND.includes(number) || BURN_ADDRESSES.includes(address)
}
