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

export function makeKey(environment: string, kind = 'secret'): NewKey {
  return keyOf(environment, kind, randomBytes(SECRET_BYTES))
}

/**
 * The key of a sandbox: the same at every start, so that what was tried yesterday works today. Anybody can reckon it, and it opens
 * nothing: it is good in a sandbox's own database alone.
 */
export function sandboxKey(environment: string, kind: 'public' | 'secret'): NewKey {
  return keyOf(environment, kind, createHash('sha256').update(`causeway sandbox ${environment} ${kind}`).digest())
}

/** A public key says that it is one: whoever finds it in a page need not be alarmed. */
function keyOf(environment: string, kind: string, bytes: Buffer): NewKey {
  const prefix = `causeway_${environment}_${kind === 'public' ? 'public_' : ''}`
  const random = bytes.toString('base64url')
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
