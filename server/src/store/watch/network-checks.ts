/** Whether networks could be read: one row per network and day, and the state of the last check. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { NetworkState } from '../db/schema-watching.ts'

/** Number of days that the status page shows; older ones are deleted. */
export const SHOWN_DAYS = 30

interface NetworkCheck {
  network: string
  state: NetworkState
}

export interface CheckedDay {
  network: string
  /** For example `2026-11-18`, in UTC. */
  day: string
  checks: number
  good: number
  state: NetworkState
  at: Date
}

export async function recordChecks(queries: Queries, checks: readonly NetworkCheck[], at: Date): Promise<void> {
  if (checks.length === 0) return
  const day = at.toISOString().slice(0, 10)
  await queries
    .insertInto('network_check')
    .values(checks.map(({ network, state }) => ({ network, day, checks: 1, good: state === 'up' ? 1 : 0, state, at })))
    .onConflict((conflict) =>
      conflict.columns(['network', 'day']).doUpdateSet((eb) => ({
        checks: eb('network_check.checks', '+', 1),
        good: eb('network_check.good', '+', eb.ref('excluded.good')),
        state: eb.ref('excluded.state'),
        at: eb.ref('excluded.at'),
      })),
    )
    .execute()
}

/** When each network was last checked. */
export async function lastChecks(queries: Queries): Promise<Map<string, Date>> {
  const rows = await queries
    .selectFrom('network_check')
    .select(({ fn }) => ['network', fn.max('at').as('at')])
    .groupBy('network')
    .execute()
  return new Map(rows.map(({ network, at }) => [network, at]))
}

export interface MissedChecks {
  network: string
  day: string
  missed: number
  /** The last missed check of that day. */
  at: Date
}

/** Checks that were due while the service did not run: they count as failed. */
export async function recordMissed(queries: Queries, missed: readonly MissedChecks[]): Promise<void> {
  if (missed.length === 0) return
  await queries
    .insertInto('network_check')
    .values(missed.map(({ missed: checks, ...row }) => ({ ...row, checks, good: 0, state: 'unknown' as const })))
    .onConflict((conflict) =>
      conflict.columns(['network', 'day']).doUpdateSet((eb) => ({
        checks: eb('network_check.checks', '+', eb.ref('excluded.checks')),
        at: eb.ref('excluded.at'),
      })),
    )
    .execute()
}

/** The checks from this day on, oldest first. */
export async function readChecks(queries: Queries, since: Date): Promise<CheckedDay[]> {
  return queries
    .selectFrom('network_check')
    .select(['network', 'checks', 'good', 'state', 'at', sql<string>`to_char(day, 'YYYY-MM-DD')`.as('day')])
    .where('day', '>=', since.toISOString().slice(0, 10))
    .orderBy('day')
    .execute()
}

export async function forgetChecks(queries: Queries, before: Date): Promise<void> {
  await queries.deleteFrom('network_check').where('day', '<', before.toISOString().slice(0, 10)).execute()
}
