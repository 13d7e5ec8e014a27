/** Parses a pasted Starknet address: a number below the bound. The result is padded to 64 digits. */
import type { AddressVerdict } from '@causeway/core/wallet'

/** The upper bound of contract addresses. */
const BOUND = 2n ** 251n - 256n
const DIGITS = 64

export function readAddress(text: string): AddressVerdict {
  const given = text.trim()
  if (!/^0x[0-9a-f]{1,64}$/i.test(given)) return { state: 'not_one' }
  // Twenty bytes are an Ethereum address, and hardly ever a Starknet one.
  if (given.length === 42) return { state: 'not_one' }
  const number = BigInt(given)
  if (number === 0n || number >= BOUND) return { state: 'not_one' }
  return { state: 'ok', address: `0x${number.toString(16).padStart(DIGITS, '0')}`, amount: null, fromLink: false }
}
