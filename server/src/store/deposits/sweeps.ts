/** Deposits on deposit addresses, and which sweep moves them to the treasury. */
import { RetryLater, type SweepSource, type SweptAmount, type Token, tokenKey } from '@causeway/core'
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

/** The addresses of a sweep: those of its deposits and, if a reorg undid it, all that it had emptied. */
export async function sweptSources(queries: Queries, payoutId: string): Promise<SweepSource[]> {
  const { rows } = await sql<SweepSource>`
    select address, index, branch from deposit_address where (network, address) in (
      select network, to_address from deposit where swept_by = ${payoutId}
      union select payout.network, source.address from sweep_source source join payout on payout.id = source.payout_id
        and payout.token = source.token where payout.id = ${payoutId})
    order by branch, index`.execute(queries)
  return rows
}

/** Releases the deposits of a sweep: they wait for the next one. */
export async function releaseSources(queries: Queries, payoutId: string): Promise<void> {
  await queries.updateTable('deposit').set({ swept_by: null }).where('swept_by', '=', payoutId).execute()
}

export interface SweptPart {
  address: string
  token: string
  units: bigint
}

/**
 * Stores what a landed sweep moved, so that it is booked, and reversed after a reorg, to the unit. A token that calls
 * back may let one address move twice.
 */
export async function recordSwept(queries: Queries, payoutId: string, moved: readonly SweptAmount[]): Promise<void> {
  await queries.deleteFrom('sweep_source').where('payout_id', '=', payoutId).execute()
  const places = Map.groupBy(moved, ({ address, amount }) => `${address} ${tokenKey(amount.token)}`)
  const parts = [...places.values()].flatMap((some) => {
    const units = some.reduce((sum, { amount }) => sum + amount.units, 0n)
    return some.slice(0, 1).map(({ address, amount: { token } }) => ({ address, token: tokenKey(token), units }))
  })
  const taken = parts.filter(({ units }) => units > 0n).map((part) => ({ payout_id: payoutId, ...part }))
  if (taken.length > 0) await queries.insertInto('sweep_source').values(taken).execute()
}

export async function sweptParts(queries: Queries, payoutId: string): Promise<SweptPart[]> {
  return queries
    .selectFrom('sweep_source')
    .select(['address', 'token', 'units'])
    .where('payout_id', '=', payoutId)
    .orderBy('address')
    .orderBy('token')
    .execute()
}
