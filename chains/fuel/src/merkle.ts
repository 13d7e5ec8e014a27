/** Fuel's binary Merkle roots (RFC 6962): of a block's transactions, and of a script's receipts. */
import { sha256 } from './bytes.ts'

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

export function merkleRoot(leaves: readonly Uint8Array[]): Buffer {
  if (leaves.length === 0) return sha256()
  return rootOf(leaves.map((leaf) => sha256(LEAF, leaf)))
}

/** The left half is the largest power of two that is smaller than the whole. */
function rootOf(hashes: readonly Buffer[]): Buffer {
  const [only] = hashes
  if (only && hashes.length === 1) return only
  const left = 2 ** Math.floor(Math.log2(hashes.length - 1))
  return sha256(NODE, rootOf(hashes.slice(0, left)), rootOf(hashes.slice(left)))
}
