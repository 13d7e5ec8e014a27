/** Database access of the console: passwords and codes of operators, invitations, sessions, and failed logins. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { OperatorRow } from './operators.ts'

export type SessionRow = Selectable<Schema['console_session']>

export async function findOperator(queries: Queries, name: string): Promise<OperatorRow | null> {
  const row = await queries
    .selectFrom('operator')
    .selectAll()
    .where('name', '=', name)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/** Stores an invitation to set a password; it replaces the previous one. False if there is no such operator. */
export async function inviteOperator(
  queries: Queries,
  name: string,
  { hash, until, isProven }: { hash: string; until: Date; isProven: boolean },
): Promise<boolean> {
  const rows = await queries
    .updateTable('operator')
    .set({ invite_hash: hash, invite_until: until, invite_secret: null, invite_proven: isProven })
    .where('name', '=', name)
    .where('disabled_at', 'is', null)
    .returning('name')
    .execute()
  return rows.length === 1
}

export async function findInvited(queries: Queries, hash: string, now: Date): Promise<OperatorRow | null> {
  const row = await queries
    .selectFrom('operator')
    .selectAll()
    .where('invite_hash', '=', hash)
    .where('invite_until', '>', now)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Stores the TOTP secret shown to the invited operator. It becomes valid only after they have entered a code made with
 * it.
 */
export async function setInviteSecret(queries: Queries, hash: string, secret: string): Promise<boolean> {
  const rows = await queries
    .updateTable('operator')
    .set({ invite_secret: secret })
    .where('invite_hash', '=', hash)
    .returning('name')
    .execute()
  return rows.length === 1
}

/** Consumes the invitation and ends all sessions of that operator. Null if it was used before. */
export async function acceptInvite(
  queries: Queries,
  hash: string,
  { password, secret, step, now }: { password: string; secret: string; step: bigint; now: Date },
): Promise<OperatorRow | null> {
  const row = await queries
    .updateTable('operator')
    .set({ password, code_secret: secret, code_step: step, invite_hash: null, invite_until: null, invite_secret: null })
    .where('invite_hash', '=', hash)
    .where('invite_secret', '=', secret)
    .where('invite_until', '>', now)
    .where('disabled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (row) await endSessionsOf(queries, row.name)
  return row ?? null
}

/** Records a used TOTP time step. False if that code, or a later one, was already used. */
export async function takeCodeStep(queries: Queries, name: string, step: bigint): Promise<boolean> {
  const rows = await queries
    .updateTable('operator')
    .set({ code_step: step })
    .where('name', '=', name)
    .where((eb) => eb.or([eb('code_step', 'is', null), eb('code_step', '<', step)]))
    .returning('name')
    .execute()
  return rows.length === 1
}

export async function insertSession(
  queries: Queries,
  session: { hash: string; operator: string; token: string; now: Date },
): Promise<void> {
  const { hash, operator, token, now } = session
  const at = { created_at: now, seen_at: now, proven_at: now }
  await queries
    .insertInto('console_session')
    .values({ hash, operator, token, ...at })
    .execute()
}

/**
 * The session and its operator, if it has neither expired nor been idle too long. If `now` is given, it counts as
 * activity.
 */
export async function touchSession(
  queries: Queries,
  hash: string,
  { now, createdAfter, seenAfter }: { now: Date | null; createdAfter: Date; seenAfter: Date },
): Promise<{ session: SessionRow; operator: OperatorRow } | null> {
  const session = await queries
    .selectFrom('console_session')
    .selectAll()
    .where('hash', '=', hash)
    .where('created_at', '>', createdAfter)
    .where('seen_at', '>', seenAfter)
    .executeTakeFirst()
  if (session && now)
    await queries.updateTable('console_session').set({ seen_at: now }).where('hash', '=', hash).execute()
  const operator = session && (await findOperator(queries, session.operator))
  return session && operator ? { session, operator } : null
}

export async function proveSession(queries: Queries, hash: string, now: Date): Promise<void> {
  await queries.updateTable('console_session').set({ proven_at: now }).where('hash', '=', hash).execute()
}

export async function endSession(queries: Queries, hash: string): Promise<void> {
  await queries.deleteFrom('console_session').where('hash', '=', hash).execute()
}

export async function endSessionsOf(queries: Queries, operator: string): Promise<void> {
  await queries.deleteFrom('console_session').where('operator', '=', operator).execute()
}

/** Deletes old sessions and failed attempts. */
export async function forgetLogins(queries: Queries, before: Date): Promise<void> {
  await queries.deleteFrom('console_session').where('created_at', '<', before).execute()
  await queries.deleteFrom('login_failure').where('at', '<', before).execute()
}

export async function insertFailure(
  queries: Queries,
  failure: { name: string; address: string; site: string | null; at: Date },
): Promise<void> {
  await queries.insertInto('login_failure').values(failure).execute()
}

/**
 * The number of failed logins since then and the time of the oldest: by name and address, by name, by address, and for
 * IPv6 by name and /48, and by /48.
 */
export async function countFailures(
  queries: Queries,
  { name, address, site, since }: { name: string; address: string; site: string | null; since: Date },
): Promise<{ byPair: Failures; byName: Failures; byAddress: Failures; bySitePair: Failures; bySite: Failures }> {
  const count = async (wanted: { name?: string; address?: string; site?: string }): Promise<Failures> => {
    const row = await queries
      .selectFrom('login_failure')
      .select((eb) => [eb.fn.countAll<bigint>().as('count'), eb.fn.min('at').as('oldest')])
      .where((eb) => eb.and(wanted))
      .where('at', '>', since)
      .executeTakeFirstOrThrow()
    return { count: Number(row.count), oldest: row.oldest }
  }
  const none: Failures = { count: 0, oldest: null }
  return {
    byPair: await count({ name, address }),
    byName: await count({ name }),
    byAddress: await count({ address }),
    bySitePair: site === null ? none : await count({ name, site }),
    bySite: site === null ? none : await count({ site }),
  }
}

/** Stores that the operator has logged in from this address, and forgets addresses last used before that time. */
export async function rememberAddress(
  queries: Queries,
  { name, address, at, before }: { name: string; address: string; at: Date; before: Date },
): Promise<void> {
  await queries.deleteFrom('operator_address').where('at', '<', before).execute()
  await queries
    .insertInto('operator_address')
    .values({ name, address, at })
    .onConflict((conflict) => conflict.columns(['name', 'address']).doUpdateSet({ at }))
    .execute()
}

/** Whether the operator has logged in from this address since then. */
export async function isKnownAddress(
  queries: Queries,
  { name, address, since }: { name: string; address: string; since: Date },
): Promise<boolean> {
  const row = await queries
    .selectFrom('operator_address')
    .select('at')
    .where('name', '=', name)
    .where('address', '=', address)
    .where('at', '>', since)
    .executeTakeFirst()
  return row !== undefined
}

export interface Failures {
  count: number
  oldest: Date | null
}

/** Serialises attempts under one name until the end of the transaction. */
export async function lockLogins(queries: Queries, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(20271, hashtext(${name}))`.execute(queries)
}
