/**
 * Makes the ids, references and random numbers that the server draws the same in every run of a seed: they affect orders
 * in the database.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { randomFrom } from './random.ts'

const original = { randomUUID: crypto.randomUUID, random: Math.random }

/** Active until the returned function is called. */
export function drawIdsInOrder(seed: number): () => void {
  let drawn = 0
  crypto.randomUUID = () => {
    const hex = crypto.createHash('sha256').update(`${seed} ${++drawn}`).digest('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
  }
  Math.random = randomFrom(seed).next
  syncBuiltinESMExports()
  return () => {
    crypto.randomUUID = original.randomUUID
    Math.random = original.random
    syncBuiltinESMExports()
  }
}

/** A source of bytes for `Services.randomBytes`. */
export function bytesFrom(seed: number): (size: number) => Uint8Array {
  let drawn = 0
  return (size) => crypto.createHash('sha256').update(`bytes ${seed} ${++drawn}`).digest().subarray(0, size)
}
