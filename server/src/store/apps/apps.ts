/** Apps and their API keys. Keys are stored as hashes and found by them. */
import type { Selectable } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Environment, KeyKind, Schema } from '../db/schema.ts'

export type AppRow = Selectable<Schema['app']>
export type ApiKeyRow = Selectable<Schema['api_key']>

const SANDBOX_APP = 'sandbox'

export async function insertApp(queries: Queries, name: string): Promise<AppRow> {
  return queries.insertInto('app').values({ name }).returningAll().executeTakeFirstOrThrow()
}

export async function findApp(queries: Queries, name: string): Promise<AppRow | null> {
  const row = await queries.selectFrom('app').selectAll().where('name', '=', name).executeTakeFirst()
  return row ?? null
}

export async function listApps(queries: Queries): Promise<AppRow[]> {
  return queries.selectFrom('app').selectAll().orderBy('name').execute()
}

export async function insertKey(
  queries: Queries,
  key: { appId: string; environment: Environment; kind: KeyKind; hint: string; hash: string },
): Promise<ApiKeyRow> {
  return queries
    .insertInto('api_key')
    .values({ app_id: key.appId, environment: key.environment, kind: key.kind, hint: key.hint, hash: key.hash })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The sandbox's demo app: created once with its keys, however often a sandbox starts on the same data. */
export async function admitSandboxApp(
  queries: Queries,
  environment: Environment,
  keys: readonly { kind: KeyKind; hint: string; hash: string }[],
): Promise<void> {
  await queries
    .insertInto('app')
    .values({ name: SANDBOX_APP })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await queries.selectFrom('app').select('id').where('name', '=', SANDBOX_APP).executeTakeFirstOrThrow()
  await queries
    .insertInto('api_key')
    .values(keys.map(({ kind, hint, hash }) => ({ app_id: id, environment, kind, hint, hash })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function listKeys(queries: Queries, appId: string): Promise<ApiKeyRow[]> {
  return queries.selectFrom('api_key').selectAll().where('app_id', '=', appId).orderBy('created_at').execute()
}

export async function readKey(queries: Queries, id: string): Promise<ApiKeyRow | null> {
  const row = await queries.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Finds an API key that is valid now, by its hash. */
export async function findLiveKey(
  queries: Queries,
  hash: string,
  now: Date,
): Promise<{ keyId: string; appId: string; appName: string; environment: string; kind: string } | null> {
  const row = await queries
    .selectFrom('api_key')
    .innerJoin('app', 'app.id', 'api_key.app_id')
    .select(['api_key.id as keyId', 'app.id as appId', 'app.name as appName', 'api_key.environment', 'api_key.kind'])
    .where('api_key.hash', '=', hash)
    .where('api_key.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_key.expires_at', 'is', null), eb('api_key.expires_at', '>', now)]))
    .executeTakeFirst()
  return row ?? null
}

export async function revokeKey(queries: Queries, id: string, now: Date): Promise<boolean> {
  const rows = await queries
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute()
  return rows.length === 1
}

export async function expireKey(queries: Queries, id: string, at: Date): Promise<void> {
  await queries.updateTable('api_key').set({ expires_at: at }).where('id', '=', id).execute()
}
