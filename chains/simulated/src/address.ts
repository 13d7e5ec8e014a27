/**
 * Addresses of the simulated family: `sim1`, twenty bytes of the public key's hash in hex, and four bytes of checksum,
 * so that a typo is refused. There is one form only, in lower case.
 */
import { createHash } from 'node:crypto'
import type { Address, Network } from '@causeway/core'

const PREFIX = 'sim1'
const BODY_DIGITS = 40
const CHECKSUM_DIGITS = 8

/** The zero address denotes the native token. Its key does not exist. */
export const NATIVE_ADDRESS: Address = withChecksum('0'.repeat(BODY_DIGITS))

export function parseAddress(text: string): Address | null {
  if (!/^sim1[0-9a-f]{48}$/.test(text)) return null
  const body = text.slice(PREFIX.length, PREFIX.length + BODY_DIGITS)
  return withChecksum(body) === text ? text : null
}

export function addressOf(publicKey: Uint8Array): Address {
  return withChecksum(sha256(publicKey).slice(0, BODY_DIGITS))
}

/** The address of a token contract, derived from a label. No key exists for it either. */
export function contractAddress(label: string): Address {
  return withChecksum(sha256(`contract ${label}`).slice(0, BODY_DIGITS))
}

export function isUnpayable(network: Network, address: Address): boolean {
  return address === NATIVE_ADDRESS || network.tokens.some(({ contract }) => contract === address)
}

/** In hex. */
export function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex')
}

function withChecksum(body: string): Address {
  return PREFIX + body + sha256(PREFIX + body).slice(0, CHECKSUM_DIGITS)
}
