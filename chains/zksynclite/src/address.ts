/** Addresses of this family are Ethereum's: 40 hex digits, canonical in the mixed case of EIP-55, which must check out. */
import type { Address, TokenNaming } from '@causeway/core'
import { getAddress, isAddress, zeroAddress } from 'viem'

export const naming: TokenNaming = { nativeAddress: zeroAddress, parseAddress }

function parseAddress(text: string): Address | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null
  const digits = text.slice(2)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return isOneCase || isAddress(text, { strict: true }) ? canonical(text) : null
}

/** For text that a node or our own code wrote. */
export function canonical(text: string): Address {
  return getAddress(text.toLowerCase())
}

/** The server refuses the zero address; nobody holds a key for the other one. */
const NOBODYS = [zeroAddress, '0x000000000000000000000000000000000000dEaD']

export function isUnpayable(address: Address): boolean {
  return NOBODYS.includes(address)
}
