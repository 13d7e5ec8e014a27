/** Deposits on deposit addresses, and which sweep moves them to the treasury. */
import type { SweepSource, Token } from '@causeway/core'
import { RetryLater, tokenKey } from '@causeway/core'
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

export interface Unswept extends SweepSource {
  units: bigint
}

/**
 * Deposit addresses of the wallet `account` that hold at least `floor` of a token by the ledger and are in no open sweep,
 * the largest first. The keys of the present wallet cannot sign for addresses of a former one.
 */
export async function findUnswept(
  queries: Queries,
  token: Token,
  wanted: { account: string; floor: bigint; limit: number; after: Unswept | null },
): Promise<Unswept[]> {
  const { account, floor, limit, after } = wanted
  const next = after ? sql`and (balance.units, balance.owner) < (${after.units}::numeric, ${after.address})` : sql``
  const { rows } = await sql<Unswept>`
    select deposit_address.address, deposit_address.index, deposit_address.branch, balance.units
    from ledger_balance balance join deposit_address
      on deposit_address.network = balance.network and deposit_address.address = balance.owner
    where deposit_address.account = ${account} and balance.account = 'wallet' and balance.units > 0 and balance.units >= ${floor}
      and balance.network = ${token.network} and balance.token = ${tokenKey(token)} ${next}
      and (select true from deposit where network = balance.network and to_address = balance.owner
        and token = balance.token and state = 'confirmed' and swept_by is null and not emptied
        order by block_number limit 1)
      and not ${beingSwept(sql.ref('balance.owner'), token)}
    order by balance.units desc, balance.owner desc limit ${limit}`.execute(queries)
  return rows
}

/** Whether an open sweep takes from this address. */
function beingSwept(address: RawBuilder<unknown>, token: Token): RawBuilder<boolean> {
  // A subquery per address, so that the planner does not start from all deposits ever made.
  return sql`coalesce((select true from deposit taken join payout on payout.id = taken.swept_by
    where taken.network = ${token.network} and taken.to_address = ${address} and taken.token = ${tokenKey(token)}
      and payout.state = 'open' limit 1), false)`
}

/**
 * Orders a sweep and marks its deposits. Throws, and the caller rolls back, if another sweep has taken them meanwhile.
 */
export async function insertSweep(
  queries: Queries,
  sweep: { token: Token; account: string; sources: Unswept[]; now: Date },
): Promise<PayoutRow> {
  const { token, account, sources, now } = sweep
  const addresses = sources.map(({ address }) => address)
  // Locks the ordering of sweeps of one token until the end of the transaction.
  await sql`select pg_advisory_xact_lock(20266, hashtext(${`${token.network}/${tokenKey(token)}`}))`.execute(queries)
  const { rows: taken } = await sql<{ found: boolean }>`
    select bool_or(${beingSwept(sql.ref('source.address'), token)}) as found
    from unnest(${addresses}::text[]) as source (address)`.execute(queries)
  if (taken[0]?.found) throw new RetryLater('another sweep takes from these addresses')
  const payout = await queries
    .insertInto('payout')
    .values({
      swap_id: null,
      number: 0,
      kind: 'sweep',
      deposit_id: null,
      network: token.network,
      account,
      token: tokenKey(token),
      units: sources.reduce((total, { units }) => total + units, 0n),
      to_address: account,
      state: 'open',
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const marked = await queries
    .updateTable('deposit')
    .set({ swept_by: payout.id })
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('state', '=', 'confirmed')
    .where('swept_by', 'is', null)
    .where('emptied', '=', false)
    .where('to_address', 'in', addresses)
    .returning('to_address')
    .execute()
  if (new Set(marked.map(({ to_address }) => to_address)).size < addresses.length)
    throw new RetryLater('what was to be swept is not there any more')
  return payout
}

/** The addresses of a sweep, with the sum of the deposits that it takes there. */
export async function sweptSources(queries: Queries, payoutId: string): Promise<Unswept[]> {
  return queries
    .selectFrom('deposit')
    .innerJoin('deposit_address', (join) =>
      join
        .onRef('deposit_address.network', '=', 'deposit.network')
        .onRef('deposit_address.address', '=', 'deposit.to_address'),
    )
    .select((eb) => [
      'deposit_address.address',
      'deposit_address.index',
      'deposit_address.branch',
      eb.fn.sum<bigint>('deposit.units').as('units'),
    ])
    .where('deposit.swept_by', '=', payoutId)
    .groupBy(['deposit_address.address', 'deposit_address.branch', 'deposit_address.index'])
    .orderBy('deposit_address.branch')
    .orderBy('deposit_address.index')
    .execute()
}

/** Releases the deposits of a sweep that failed, as a whole or for one address. They wait for the next sweep. */
export async function releaseSources(queries: Queries, payoutId: string, address?: string): Promise<void> {
  let query = queries.updateTable('deposit').set({ swept_by: null }).where('swept_by', '=', payoutId)
  if (address !== undefined) query = query.where('to_address', '=', address)
  await query.execute()
}

/**
 * Releases deposits that the sweep cannot have taken: orphaned ones, which may be re-mined, and those in the sweep's
 * own block or later. They wait for the next sweep.
 */
export async function releaseBehind(
  queries: Queries,
  { id, block_number: block }: Pick<PayoutRow, 'id' | 'block_number'>,
  address: string,
): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ swept_by: null })
    .where('swept_by', '=', id)
    .where('to_address', '=', address)
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['gone', 'lost']),
        eb('block_number', 'is', null),
        ...(block === null ? [] : [eb('block_number', '>=', block)]),
      ]),
    )
    .execute()
}

export interface LaterDeposit {
  id: string
  units: bigint
}

/** Marks the oldest deposits that the remaining balance no longer covers: a third party swept them. */
export async function markEmptied(
  queries: Queries,
  token: Token,
  address: string,
  { block, units }: { block: bigint; units: bigint },
): Promise<void> {
  const gone = goneAlong(await laterDeposits(queries, token, address, block), units).map(({ id }) => id)
  if (gone.length === 0) return
  await queries
    .updateTable('deposit')
    .set({ emptied: true })
    .where('id', 'in', gone)
    .where('state', '=', 'confirmed')
    .where('swept_by', 'is', null)
    .execute()
}

/** The oldest deposits that the remaining balance does not cover. */
export function goneAlong(later: LaterDeposit[], left: bigint): LaterDeposit[] {
  let covered = 0n
  const stayed = new Set<LaterDeposit>()
  for (const deposit of later.toReversed()) {
    if (covered + deposit.units > left) break
    covered += deposit.units
    stayed.add(deposit)
  }
  return later.filter((deposit) => !stayed.has(deposit))
}

/**
 * Deposits of an address up to that block that are in no sweep, oldest first. Later deposits are not part of the
 * balance. If the block of the balance is unknown (`upTo` is null), all deposits are returned.
 */
export async function laterDeposits(
  queries: Queries,
  token: Token,
  address: string,
  upTo: bigint | null,
): Promise<LaterDeposit[]> {
  const deposits = queries
    .selectFrom('deposit')
    .select(['id', 'units'])
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('to_address', '=', address)
    .where('state', 'in', ['seen', 'confirmed'])
    .where('block_number', 'is not', null)
    .where('swept_by', 'is', null)
    .where('emptied', '=', false)
    .orderBy('block_number')
  return (upTo === null ? deposits : deposits.where('block_number', '<=', upTo)).execute()
}

/** Adds deposits that arrived after the sweep was ordered and that it took as well. */
export async function addSources(queries: Queries, payoutId: string, deposits: LaterDeposit[]): Promise<void> {
  if (deposits.length === 0) return
  await queries
    .updateTable('deposit')
    .set({ swept_by: payoutId })
    .where(
      'id',
      'in',
      deposits.map(({ id }) => id),
    )
    .execute()
}

/** Records the amount that was booked, so that it can be reversed. */
export async function recordSwept(queries: Queries, payoutId: string, address: string, units: bigint): Promise<void> {
  await queries
    .insertInto('sweep_source')
    .values({ payout_id: payoutId, address, units })
    .onConflict((conflict) => conflict.columns(['payout_id', 'address']).doUpdateSet({ units }))
    .execute()
}

export async function sweptParts(queries: Queries, payoutId: string): Promise<{ address: string; units: bigint }[]> {
  return queries
    .selectFrom('sweep_source')
    .select(['address', 'units'])
    .where('payout_id', '=', payoutId)
    .orderBy('address')
    .execute()
}
