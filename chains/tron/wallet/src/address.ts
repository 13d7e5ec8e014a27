/** Parses a pasted Tron address: its letters and the network byte. The service checks the checksum. */
import type { AddressVerdict } from '@causeway/core/wallet'

const LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const TRON = 0x41n
/** After the network byte: 20 bytes of address and 4 of checksum. */
const REST_BITS = 192n

export function readAddress(text: string): AddressVerdict {
  const given = text.trim()
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(given)) return { state: 'not_one' }
  let number = 0n
  for (const letter of given) number = number * 58n + BigInt(LETTERS.indexOf(letter))
  if (number >> REST_BITS !== TRON) return { state: 'not_one' }
  return { state: 'ok', address: given, amount: null, fromLink: false }
}
