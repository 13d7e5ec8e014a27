/** Verifies that an address signed a text as wallets of this family do. */
import type { Address } from '@causeway/core'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { concatBytes, hexToBytes } from '../bytes.ts'
import { signerOf } from '../paying/treasury.ts'

export function verifyMessage({
  address,
  text,
  signature,
}: {
  address: Address
  text: string
  signature: string
}): boolean {
  const written = /^(?:0x)?([0-9a-fA-F]{130})$/.exec(signature)?.[1]
  if (written === undefined) return false
  const bytes = hexToBytes(written)
  // Wallets write 27 or 28 instead of 0 or 1.
  const last = bytes[64] ?? 0
  bytes[64] = last >= 27 ? last - 27 : last
  const words = utf8ToBytes(text)
  const digest = keccak_256(concatBytes(utf8ToBytes(`\x19TRON Signed Message:\n${words.length}`), words))
  return signerOf(digest, bytes) === address
}
