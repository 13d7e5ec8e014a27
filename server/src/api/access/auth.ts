/**
 * Authentication. A key is optional, but a given key must be valid: known, not revoked or expired, and of this
 * environment. The result is cached for a few seconds, so polling costs no query and a revoked key soon stops working.
 */
import { boundedMap } from '@causeway/chain-kit'
import { ApiError } from '@causeway/core'
import type { FastifyRequest } from 'fastify'
import { hashKey } from '../../apps/accounts.ts'
import type { Services } from '../../services.ts'
import { findLiveKey } from '../../store/apps/apps.ts'

export interface Caller {
  keyId: string
  appId: string
  appName: string
  /** A public key is visible in a page, so it never acts for its app. */
  isSecret: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null without a key. */
    caller: Caller | null
  }
}

export const KEY_HEADER = 'x-ls-apikey'
/** The sandbox page of this server, which shows its keys. */
const SANDBOX = '/sandbox'
/** How long a revoked key may still work, and how long an unknown one is not looked up again. */
const REMEMBER_MS = 3_000
/** Bounds the cache: made-up keys must not fill the memory. */
const MAX_REMEMBERED = 10_000
/** Longer than any valid key. */
const MAX_KEY_LENGTH = 256

type Finding = Caller | null | Promise<Caller | null>

export interface CallerFinder {
  /**
   * Synchronous for cached keys. Concurrent requests with the same key share one lookup. `beforeLookUp` may throw, to keep an
   * uncached key from reaching the database.
   */
  find(key: string, beforeLookUp: () => void): Finding
  /** The caller, if its key is cached. */
  known(key: string): Caller | null
}

/** The app of the given key. */
export function appOf(request: FastifyRequest): string | null {
  return request.caller?.appId ?? null
}

/** The app of a secret key. A public key does not prove who is calling. */
export function secretAppOf({ caller }: FastifyRequest): string | null {
  return caller?.isSecret ? caller.appId : null
}

/** The caller of a route that only the app itself may call; throws without a secret key. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller?.isSecret) return caller
  const problem = caller ? 'a secret API key: this one is public' : `a secret API key in ${KEY_HEADER}`
  throw new ApiError('API_KEY_FORBIDDEN', `This call needs ${problem}.`)
}

export function keyFinder(services: Services): CallerFinder {
  const { database, config, now } = services
  const remembered = boundedMap<string, { caller: Finding; until: number }>(MAX_REMEMBERED)
  const lookUp = async (hash: string): Promise<Caller | null> => {
    const found = await findLiveKey(database, hash, now())
    if (found?.environment !== config.environment) return null
    const { keyId, appId, appName, kind } = found
    return { keyId, appId, appName, isSecret: kind === 'secret' }
  }
  const cached = (hash: string) => {
    const known = remembered.get(hash)
    return known && known.until > performance.now() ? known : null
  }
  const find = (key: string, beforeLookUp: () => void): Finding => {
    if (key.length > MAX_KEY_LENGTH) return null
    const hash = hashKey(key)
    const known = cached(hash)
    if (known) return known.caller
    beforeLookUp()
    const asking = lookUp(hash)
    const entry: { caller: Finding; until: number } = { caller: asking, until: performance.now() + REMEMBER_MS }
    remembered.delete(hash)
    remembered.set(hash, entry)
    return asking.then(
      (caller) => {
        entry.caller = caller
        return caller
      },
      (error) => {
        // A database error proves nothing about the key, so it is not cached.
        if (remembered.get(hash) === entry) remembered.delete(hash)
        throw error
      },
    )
  }
  return {
    find,
    known(key) {
      const caller = key.length > MAX_KEY_LENGTH ? null : cached(hashKey(key))?.caller
      return caller instanceof Promise ? null : (caller ?? null)
    },
  }
}

/** In a sandbox, the error says where to find the sandbox's keys. */
export function forbidden(isSandbox: boolean): ApiError {
  const reason = 'The API key is not known here, or it may no longer be used.'
  const hint = ` This is a sandbox: "npm start" printed its public and its secret key when it was ready, and GET ${SANDBOX} shows them.`
  return new ApiError('API_KEY_FORBIDDEN', isSandbox ? reason + hint : reason)
}
