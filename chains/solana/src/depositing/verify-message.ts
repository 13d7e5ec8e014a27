/** Whether an address signed a text, as wallets of this family do: ed25519 over its bytes, written in base58 or base64. */
import { createPublicKey, verify } from 'node:crypto'
import type { Address } from '@causeway/core'
import { getBase58Encoder } from '@solana/kit'

const SIGNATURE_BYTES = 64

export async function verifyMessage(claim: { address: Address; text: string; signature: string }): Promise<boolean> {
  const signature = bytesOf(claim.signature)
  if (!signature) return false
  const x = Buffer.from(getBase58Encoder().encode(claim.address)).toString('base64url')
  try {
    // A program's own address is not on the curve: it has no key and cannot sign.
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, Buffer.from(claim.text), key, signature)
  } catch {
    return false
  }
}

/** 64 bytes have 86 to 88 characters in base58, and 88 with one or two equal signs in base64. */
function bytesOf(text: string): Uint8Array | null {
  try {
    const bytes = text.endsWith('=') ? Buffer.from(text, 'base64') : getBase58Encoder().encode(text)
    return bytes.length === SIGNATURE_BYTES ? Uint8Array.from(bytes) : null
  } catch {
    return null
  }
}
