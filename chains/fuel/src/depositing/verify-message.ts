/** Verifies that an address signed a text as wallets of this family do: with the family's prefix, or the plain text. */
import type { Address } from '@causeway/core'
import { sha256 } from '../bytes.ts'
import { signerOf } from '../signature.ts'

const PREFIX = '\x19Fuel Signed Message:\n'

export function verifyMessage(claim: { address: Address; text: string; signature: string }): boolean {
  const { address, text, signature } = claim
  if (!/^0x[0-9a-f]{128}$/i.test(signature)) return false
  const bytes = Buffer.from(signature.slice(2), 'hex')
  const words = Buffer.from(text)
  const digests = [sha256(Buffer.from(PREFIX), Buffer.from(String(words.length)), words), sha256(words)]
  return digests.some((digest) => signerOf(bytes, digest) === address)
}
