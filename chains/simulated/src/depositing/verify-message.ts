/** Whether an address signed a text: `<public key>.<signature>` in hex, over the SHA-256 of the text. */
import { createPublicKey, ECDH, verify } from 'node:crypto'
import type { Address } from '@causeway/core'
import { addressOf } from '../address.ts'

export async function verifyMessage(claim: { address: Address; text: string; signature: string }): Promise<boolean> {
  const [, publicKey = '', signature = ''] = /^([0-9a-f]{66})\.([0-9a-f]{128})$/.exec(claim.signature) ?? []
  if (publicKey === '' || addressOf(Buffer.from(publicKey, 'hex')) !== claim.address) return false
  try {
    const point = ECDH.convertKey(publicKey, 'secp256k1', 'hex', undefined, 'uncompressed') as Buffer
    const x = point.subarray(1, 33).toString('base64url')
    const y = point.subarray(33).toString('base64url')
    const key = createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x, y }, format: 'jwk' })
    return verify('sha256', Buffer.from(claim.text), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'hex'))
  } catch {
    return false
  }
}
