/** Stored public keys of the service, for processes that hold no private key. */
import type { KeyRef } from '@causeway/core'
import type { Queries } from '../db/database.ts'

export interface PublicKey {
  curve: KeyRef['curve']
  path: string
  key: Uint8Array
}

/** Stores a public key. If the wallets were moved to other keys on purpose, the new key replaces the old one. */
export async function rememberKey(queries: Queries, { curve, path, key }: PublicKey): Promise<void> {
  await queries
    .insertInto('public_key')
    .values({ curve, path, key: Buffer.from(key) })
    .onConflict((conflict) => conflict.columns(['curve', 'path']).doUpdateSet({ key: Buffer.from(key) }))
    .execute()
}

export async function findKey(queries: Queries, curve: KeyRef['curve'], path: string): Promise<Uint8Array | null> {
  const row = await queries
    .selectFrom('public_key')
    .select('key')
    .where('curve', '=', curve)
    .where('path', '=', path)
    .executeTakeFirst()
  return row ? new Uint8Array(row.key) : null
}
