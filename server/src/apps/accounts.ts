/** Keys and secrets that are given to integrators: how they are made, and what is stored of a key instead of the key. */
import { createHash, randomBytes } from 'node:crypto'

const SECRET_BYTES = 32
/** Enough of a key to tell it from the others of an app, far too little to guess the rest. */
const HINT_LENGTH = 4

export interface NewKey {
  /** Shown once and never stored. */
  key: string
  hash: string
  hint: string
}

/** A public key says that it is one: whoever finds it in a page need not be alarmed. */
export function makeKey(environment: string, kind = 'secret'): NewKey {
  const prefix = `causeway_${environment}_${kind === 'public' ? 'public_' : ''}`
  const random = randomBytes(SECRET_BYTES).toString('base64url')
  const key = prefix + random
  return { key, hash: hashKey(key), hint: `${prefix}${random.slice(0, HINT_LENGTH)}…` }
}

/** A key is random and long: a plain hash of it says nothing about it. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** As Standard Webhooks writes it. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}
