/**
 * Addresses of this family: a number below 2^251 − 256 in hex, canonical in lower case with 64 digits. There is no
 * checksum. A text that is neither padded to 64 digits nor stripped of all zeros is probably truncated, and 20 bytes
 * are an Ethereum address: both are rejected, since money sent there would be lost.
 */
import type { Address } from '@causeway/core'
import { padded } from './felt.ts'

const BOUND = 2n ** 251n - 256n
/** The smallest valid address: zero and some small numbers are used by the system itself. */
const LEAST = 3n
const DIGITS = 64
const ETHEREUM_DIGITS = 40

export function parseAddress(text: string): Address | null {
  if (!/^0x[0-9a-fA-F]{1,64}$/.test(text)) return null
  const digits = text.slice(2)
  if (digits.length === ETHEREUM_DIGITS || (digits.length < DIGITS && digits.startsWith('0'))) return null
  const value = BigInt(text)
  return value >= LEAST && value < BOUND ? padded(value) : null
}

/** Deployer contracts: money sent there stays there. */
const DEPLOYERS = [
  '0x041a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf',
  '0x02ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125',
]

/** Whether no key exists for the address: money sent there is lost. */
export function isKeyless(address: Address): boolean {
  return BigInt(address) < LEAST || DEPLOYERS.includes(address)
}
