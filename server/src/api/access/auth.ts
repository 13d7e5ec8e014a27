/**
 * Who asks. A key is optional; one that is given must be good: known, not revoked or expired, and of this environment.
 * What was found is remembered for a few seconds, so that polling costs no query and a revoked key soon stops working.
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
  /** A public key, which stands in a page for all to see, never acts for its app. */
  isSecret: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without a key. */
    caller: Caller | null
  }
}

export const KEY_HEADER = 'x-ls-apikey'
/** Where the sandbox tells about itself, on this very server. */
const SANDBOX = '/sandbox'
/** How long a revoked key may still work, and an unknown one is not looked up again. */
const REMEMBER_MS = 3_000
/** Beyond that the oldest are forgotten: made-up keys must not fill the memory. */
const MAX_REMEMBERED = 10_000
/** Longer than any key of ours. */
const MAX_KEY_LENGTH = 256

type Finding = Caller | null | Promise<Caller | null>
/** `beforeLookUp` may refuse to have the database asked about a key that is not remembered. */
export type FindCaller = (key: string, beforeLookUp: () => void) => Finding

/** The app whose key was given. */
export function appOf(request: FastifyRequest): string | null {
  return request.caller?.appId ?? null
}

/** The app that asks by its secret key: a public one proves nothing about who holds it. */
export function secretAppOf({ caller }: FastifyRequest): string | null {
  return caller?.isSecret ? caller.appId : null
}

/** For calls that are an app's own business. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller?.isSecret) return caller
  const problem = caller ? 'a secret API key: this one is public' : `a secret API key in ${KEY_HEADER}`
  throw new ApiError('API_KEY_FORBIDDEN', `This call needs ${problem}.`)
}

/** Answers at once for what it remembers. Requests that come at the same time share one look-up. */
export function keyFinder(services: Services): FindCaller {
  const { database, config, now } = services
  const remembered = boundedMap<string, { caller: Finding; until: number }>(MAX_REMEMBERED)
  const lookUp = async (hash: string): Promise<Caller | null> => {
    const found = await findLiveKey(database, hash, now())
    if (found?.environment !== config.environment) return null
    const { keyId, appId, appName, kind } = found
    return { keyId, appId, appName, isSecret: kind === 'secret' }
  }
  return (key, beforeLookUp) => {
    if (key.length > MAX_KEY_LENGTH) return null
    const hash = hashKey(key)
    const known = remembered.get(hash)
    if (known && known.until > performance.now()) return known.caller
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
        // A database that did not answer says nothing about the key.
        if (remembered.get(hash) === entry) remembered.delete(hash)
        throw error
      },
    )
  }
}

/** Whoever tries a sandbox with a key from elsewhere is told where its own are. */
export function forbidden(isSandbox: boolean): ApiError {
  const reason = 'The API key is not known here, or it may no longer be used.'
  const hint = ` This is a sandbox: "npm start" printed its public and its secret key when it was ready, and GET ${SANDBOX} shows them.`
  return new ApiError('API_KEY_FORBIDDEN', isSandbox ? reason + hint : reason)
}
