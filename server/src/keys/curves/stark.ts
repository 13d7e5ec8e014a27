/**
 * Keys and signatures on the Stark curve (Starknet, Paradex, StarkEx). A private key is ground from a BIP-32 key
 * (EIP-2645). The public key is the x coordinate alone; a signature is r and s, 32 bytes each.
 */
import { grindKey, Point, sign, verify } from '@scure/starknet'

/**
 * Message hashes on this curve are below 2^251. A larger hash is refused, not truncated: truncation would sign another
 * message.
 */
const HASH_BOUND = 1n << 251n
const WORD = 32

export function groundKey(seed: Uint8Array): Uint8Array {
  return bytesOf(BigInt(`0x${grindKey(seed)}`))
}

export function starkPublicKey(key: Uint8Array): Uint8Array {
  return bytesOf(Point.BASE.multiply(numberOf(key)).toAffine().x)
}

export function starkSign(key: Uint8Array, digest: Uint8Array): Uint8Array {
  if (!isHash(digest)) throw new RangeError('the digest is no hash of the Stark curve')
  const { r, s } = sign(hexOf(digest), hexOf(key))
  return Uint8Array.from([...bytesOf(r), ...bytesOf(s)])
}

/** The public key has no y coordinate, so a signature is valid if it matches either point, as on chain. */
export function isStarkSignature(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 2 * WORD || !isHash(digest) || !isStarkPublicKey(publicKey)) return false
  try {
    return [2, 3].some((side) => verify(signature, hexOf(digest), Uint8Array.from([side, ...publicKey])))
  } catch {
    return false
  }
}

export function isStarkPublicKey(bytes: Uint8Array): boolean {
  try {
    Point.fromBytes(Uint8Array.from([2, ...bytes]))
    return bytes.length === WORD
  } catch {
    return false
  }
}

function isHash(digest: Uint8Array): boolean {
  return digest.length === WORD && numberOf(digest) < HASH_BOUND
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(hexOf(bytes))
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

function bytesOf(number: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(number.toString(16).padStart(2 * WORD, '0'), 'hex'))
}
