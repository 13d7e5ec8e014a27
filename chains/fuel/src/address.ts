/**
 * Addresses: 32 bytes, written as 0x and 64 hex digits. Mixed case must be Fuel's own checksum form. An address is the
 * hash of a public key or of a predicate's code; it cannot be distinguished from the id of a contract or an asset.
 */
import type { Address } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hexOf, sha256 } from './bytes.ts'

/** ETH on Fuel, the same on mainnet and testnet: the family's name for its native token. */
export const BASE_ASSET = '0xf8f8b6283d7fa5b672b530cbb84fcccb4ff8dc40f8176ef4544ddb1f1952ad07'
const ZERO = `0x${'0'.repeat(64)}`

export function parseAddress(text: string): Address | null {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) return null
  const lower = text.toLowerCase()
  const isMixed = text !== lower && text !== `0x${text.slice(2).toUpperCase()}`
  return !isMixed || text === checksumForm(lower) ? lower : null
}

/** An address in checksum form: a digit is a capital if the fourth bit of the same digit of the text's hash is set. */
function checksumForm(lower: string): string {
  const hash = sha256(Buffer.from(lower.slice(2))).toString('hex')
  const digits = [...lower.slice(2)].map((digit, place) =>
    Number.parseInt(hash[place] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  )
  return `0x${digits.join('')}`
}

/** The address of a public key in any form. */
export function keyAddress(publicKey: Uint8Array): Address {
  const point = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  return hexOf(sha256(point.subarray(1)))
}

/** The bridge contract on mainnet: it holds locked money and returns nothing that it is sent. */
const BRIDGE = '0x4ea6ccef1215d9479f1024dff70fc055ca538215d2c8c348beddffd54583d0e8'

/** Ids that cannot own money but that a user may copy by mistake: assets, contracts, zero. */
export function isGrave(
  chain: { tokens: ReadonlyMap<string, unknown>; watchdogs: ReadonlySet<string>; settings: { baseAsset: string } },
  address: Address,
): boolean {
  const { tokens, watchdogs, settings } = chain
  return (
    [ZERO, BRIDGE, BASE_ASSET, settings.baseAsset].includes(address) || tokens.has(address) || watchdogs.has(address)
  )
}

export const naming = { nativeAddress: BASE_ASSET, parseAddress }
