/**
 * The *branch* in which a process start derives deposit addresses: a part of the derivation path that no other start
 * uses. Indexes are counted in memory, so a rolled-back database never hands out an address twice.
 */
import { RetryLater } from '@causeway/core'
import type { Queries } from '../db/database.ts'

/** Branches are numbered by the seconds from this date to the process start. */
const EPOCH_MS = Date.UTC(2020, 0, 1)
/** Attempts to find a free number: more than processes that start in the same second. */
const MAX_CLAIMS = 100

export interface AddressBranch {
  branch: number
  /** Takes the next index of the network. */
  take(network: string): number
  /** Returns an unused index: its address was neither stored nor shown to anyone. */
  release(network: string, index: number): void
  /** Continues after `index`: a restored database has addresses of this branch up to it. */
  skipTo(network: string, index: number): void
}

export async function openAddressBranch(
  queries: Queries,
  start: { startedAt: Date; hasKeys: boolean },
): Promise<AddressBranch> {
  return countingIn(await claimBranch(queries, start))
}

/**
 * Claims the first free branch number, starting from the clock. It never repeats, because the clock moves on after a
 * database rollback; the highest stored number plus one would repeat.
 */
async function claimBranch(
  queries: Queries,
  { startedAt, hasKeys }: { startedAt: Date; hasKeys: boolean },
): Promise<number> {
  const seconds = Math.floor((startedAt.getTime() - EPOCH_MS) / 1000)
  for (let claims = 0; claims < MAX_CLAIMS; claims++) {
    const claimed = await queries
      .insertInto('address_branch')
      .values({ branch: seconds + claims, started_at: startedAt, has_keys: hasKeys })
      .onConflict((conflict) => conflict.doNothing())
      .returning('branch')
      .executeTakeFirst()
    if (claimed) return claimed.branch
  }
  throw new RetryLater('too many processes start at once')
}

function countingIn(branch: number): AddressBranch {
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

/** The newest branches, newest first. */
export async function newestBranches(queries: Queries, limit: number): Promise<number[]> {
  const rows = await queries
    .selectFrom('address_branch')
    .select('branch')
    .orderBy('branch', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ branch }) => branch)
}

/** Stores branches of processes that the database has lost, so that they need not be listed again. */
export async function rememberBranches(queries: Queries, branches: readonly number[], now: Date): Promise<void> {
  if (branches.length === 0) return
  await queries
    .insertInto('address_branch')
    .values(branches.map((branch) => ({ branch, started_at: now, has_keys: true })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Branches of processes without keys that started, or gave out an address on this network, since then. */
export async function keylessBranches(queries: Queries, network: string, since: Date): Promise<number[]> {
  const rows = await queries
    .selectFrom('address_branch')
    .select('branch')
    .where('has_keys', '=', false)
    .where((eb) =>
      eb.or([
        eb('started_at', '>', since),
        eb.exists(
          eb
            .selectFrom('deposit_address')
            .select('id')
            .where('network', '=', network)
            .where('created_at', '>', since)
            .whereRef('deposit_address.branch', '=', 'address_branch.branch'),
        ),
      ]),
    )
    .orderBy('branch')
    .execute()
  return rows.map(({ branch }) => branch)
}
