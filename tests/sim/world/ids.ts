/**
 * Makes the ids and references that the server draws the same in every run of a seed: they affect orders in the
 * database.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const original = crypto.randomUUID

/** Active until the returned function is called. */
export function drawIdsInOrder(seed: number): () => void {
  let drawn = 0
  crypto.randomUUID = () => {
    const hex = crypto.createHash('sha256').update(`${seed} ${++drawn}`).digest('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
  }
  syncBuiltinESMExports()
  return () => {
    crypto.randomUUID = original
    syncBuiltinESMExports()
  }
}

/** A source of bytes for `Services.randomBytes`. */
export function bytesFrom(seed: number): (size: number) => Uint8Array {
  let drawn = 0
  return (size) => crypto.createHash('sha256').update(`bytes ${seed} ${++drawn}`).digest().subarray(0, size)
}
