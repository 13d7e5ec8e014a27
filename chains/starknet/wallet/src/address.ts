/** Reads what a person pastes as a Starknet address: a number below the largest one, in its full length. */
import type { AddressVerdict } from '@causeway/core/wallet'

/** Contract addresses end here. */
const BOUND = 2n ** 251n - 256n
const DIGITS = 64

export function readAddress(text: string): AddressVerdict {
  const given = text.trim()
  if (!/^0x[0-9a-f]{1,64}$/i.test(given)) return { state: 'not_one' }
  // Shorter ones are Ethereum's: twenty bytes are an account there, and hardly ever one here.
  if (given.length === 42) return { state: 'not_one' }
  const number = BigInt(given)
  if (number === 0n || number >= BOUND) return { state: 'not_one' }
  return { state: 'ok', address: `0x${number.toString(16).padStart(DIGITS, '0')}`, amount: null, fromLink: false }
}
