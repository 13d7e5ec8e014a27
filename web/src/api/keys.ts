/**
 * The key that the service signs with: pinned by the embedding page, otherwise trusted on this browser's first visit.
 */
import type { WellKnown } from '@causeway/sdk/light'
import { client } from './client.ts'
import { keep, kept } from './storage.ts'

type Key = WellKnown['quote_signing_keys'][number]

export interface Trusted {
  keys: Key[]
  /** Whether the service signs with a key that this browser has not seen before. */
  isNew: boolean
  fingerprint: string
}

const PLACE = 'key'

let pinned: string | null = null
let told: Promise<WellKnown> | null = null

/** Pins the public key (base64) from the attribute of an embedded form. */
export function pinKey(publicKey: string): void {
  pinned = publicKey
}

export async function trustedKeys(): Promise<Trusted> {
  told ??= client.wellKnown().catch((error) => {
    told = null
    throw error
  })
  const { quote_signing_keys: keys } = await told
  // Not one key per environment: a proxy that forges the keys could also forge the environment.
  const first = pinned ?? kept<string>(PLACE)
  const newest = keys[0]?.public_key ?? ''
  if (first === null) keep(PLACE, newest)
  const trusted = keys.filter(({ public_key }) => public_key === (first ?? newest))
  return { keys: trusted, isNew: trusted.length === 0, fingerprint: fingerprintOf(newest) }
}

/** The first bytes of the key, in the form that people compare. */
function fingerprintOf(publicKey: string): string {
  const bytes = [...atob(publicKey)].slice(0, 8).map((letter) => letter.charCodeAt(0).toString(16).padStart(2, '0'))
  return bytes.join(':')
}
