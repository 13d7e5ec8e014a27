/**
 * Public keys, shared between processes. A process that holds the keys stores each public key that is requested; a
 * process that only serves the API reads them from the database and has no private key.
 */
import { Bug, type KeyRef, RetryLater, type Signer } from '@causeway/core'
import type { Database } from '../../store/db/database.ts'
import { findKey, rememberKey } from '../../store/market/public-keys.ts'

export interface RecordingSigner extends Signer {
  /**
   * Stores the public keys requested so far and all later ones. Call it only after the keys are verified to be the
   * right ones.
   */
  begin(): Promise<void>
}

/** The same signer, but each public key that it returns is also stored. */
export function recordingSigner(signer: Signer, database: Database): RecordingSigner {
  const told = new Map<string, { ref: KeyRef; key: Uint8Array }>()
  let hasBegun = false
  return {
    ...signer,
    async publicKey(ref) {
      const before = told.get(nameOf(ref))
      if (before) return before.key
      const key = await signer.publicKey(ref)
      if (hasBegun) await rememberKey(database, { ...ref, key })
      told.set(nameOf(ref), { ref, key })
      return key
    },
    async begin() {
      hasBegun = true
      for (const { ref, key } of told.values()) await rememberKey(database, { ...ref, key })
    },
  }
}

/** A signer that only reads stored public keys and signs nothing. */
export function readOnlySigner(database: Database): Signer {
  const known = new Map<string, Uint8Array>()
  return {
    async publicKey(ref) {
      const before = known.get(nameOf(ref))
      if (before) return before
      const key = await findKey(database, ref.curve, ref.path)
      if (!key) throw new RetryLater(`no process with keys has written down ${ref.curve} ${ref.path} yet`)
      known.set(nameOf(ref), key)
      return key
    },
    async sign({ path }) {
      throw new Bug('a process without keys was asked to sign', { path })
    },
  }
}

function nameOf({ curve, path }: KeyRef): string {
  return `${curve} ${path}`
}
