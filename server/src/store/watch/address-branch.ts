/**
 * The *branch* in which a process start derives deposit addresses: a part of the derivation path that no other start
 * uses. Indexes are counted in memory, so a rolled-back database never hands out an address twice.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export interface AddressBranch {
  /** Null until a signing process has given this process its branch. */
  branch: number | null
  /** Takes the next index of the network. */
  take(network: string): number
  /** Returns an unused index: its address was neither stored nor shown to anyone. */
  release(network: string, index: number): void
  /** Continues after `index`: a restored database has addresses of this branch up to it. */
  skipTo(network: string, index: number): void
}

export function createAddressBranch(branch: number | null = null): AddressBranch {
  const last = new Map<string, number>()
  const released = new Map<string, number[]>()
  return {
    branch,
    take(network) {
      const again = released.get(network)?.shift()
      if (again !== undefined) return again
      const index = (last.get(network) ?? 0) + 1
      last.set(network, index)
      return index
    },
    release(network, index) {
      released.set(network, [...(released.get(network) ?? []), index])
    },
    skipTo(network, index) {
      released.delete(network)
      last.set(network, Math.max(last.get(network) ?? 0, index))
    },
  }
}

/** Stores the branch of a process. Nothing changes if it has one, or if another process has this one. */
export async function setBranch(queries: Queries, writer: string, branch: number): Promise<void> {
  await sql`update writer set branch = ${branch} where id = ${writer} and branch is null
    and not exists (select from writer other where other.branch = ${branch})`.execute(queries)
}

export async function readBranch(queries: Queries, writer: string): Promise<number | null> {
  const row = await queries.selectFrom('writer').select('branch').where('id', '=', writer).executeTakeFirst()
  return row?.branch ?? null
}

/** The newest branches, newest first. */
export async function newestBranches(queries: Queries, limit: number): Promise<number[]> {
  const rows = await queries
    .selectFrom('writer')
    .select('branch')
    .where('branch', 'is not', null)
    .orderBy('branch', 'desc')
    .limit(limit)
    .execute()
  return rows.flatMap(({ branch }) => branch ?? [])
}

/** Stores branches of processes that the database has lost, so that they need not be listed again. */
export async function rememberBranches(queries: Queries, branches: readonly number[], now: Date): Promise<void> {
  if (branches.length === 0) return
  await queries
    .insertInto('writer')
    .values(branches.map((branch) => ({ id: randomUUID(), signs: false, branch, started_at: now, ended_at: now })))
    .onConflict((conflict) => conflict.column('branch').doNothing())
    .execute()
}

/** Branches of processes without keys that started, or gave out an address on this network, since then. */
export async function keylessBranches(queries: Queries, network: string, since: Date): Promise<number[]> {
  const rows = await queries
    .selectFrom('writer')
    .select('branch')
    .where('has_keys', '=', false)
    .where('branch', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('started_at', '>', since),
        eb.exists(
          eb
            .selectFrom('deposit_address')
            .select('id')
            .where('network', '=', network)
            .where('created_at', '>', since)
            .whereRef('deposit_address.branch', '=', 'writer.branch'),
        ),
      ]),
    )
    .orderBy('branch')
    .execute()
  return rows.flatMap(({ branch }) => branch ?? [])
}
