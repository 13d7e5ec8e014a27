/** API keys and webhook secrets: how they are created, and what is stored instead of a key. */
import { createHash, randomBytes } from 'node:crypto'

const SECRET_BYTES = 32
/** Length of a key's shown prefix: enough to tell an app's keys apart, far too little to guess the rest. */
const HINT_LENGTH = 4

export interface NewKey {
  /** The key itself: shown once and never stored. */
  key: string
  hash: string
  hint: string
}

export function makeKey(environment: string, kind = 'secret'): NewKey {
  return keyOf(environment, kind, randomBytes(SECRET_BYTES))
}

/**
 * The sandbox key: the same at every start, so that yesterday's client works today. Anyone can compute it, but it is
 * valid only in a sandbox's own database.
 */
export function sandboxKey(environment: string, kind: 'public' | 'secret'): NewKey {
  return keyOf(environment, kind, createHash('sha256').update(`causeway sandbox ${environment} ${kind}`).digest())
}

/** The prefix marks a public key, so that finding one in a page raises no alarm. */
function keyOf(environment: string, kind: string, bytes: Buffer): NewKey {
  const prefix = `causeway_${environment}_${kind === 'public' ? 'public_' : ''}`
  const random = bytes.toString('base64url')
  const key = prefix + random
  return { key, hash: hashKey(key), hint: `${prefix}${random.slice(0, HINT_LENGTH)}…` }
}

/** A plain hash is safe, because a key is long and random. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** Creates a secret in the Standard Webhooks format. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}
