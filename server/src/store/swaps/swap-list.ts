/**
 * Pages of swaps, newest first. Each way of finding swaps (by address, by network, or all) is a branch that an index
 * answers in order, per status. A page is the newest of all branches.
 */
import type { Catalogue } from '@causeway/core'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Queries } from '../db/database.ts'
import { readSwapViews, type SwapView } from './swap-read.ts'

export interface SwapFilter {
  /** Swaps with one of these ids or one of these addresses; null for no such filter. */
  ids: string[] | null
  addresses: string[] | null
  referenceId: string | null
  /** The owning app (`appId: null` for swaps without one); null for all swaps. */
  owner: { appId: string | null } | null
  statuses: string[]
  networks: string[] | null
  /** A source or destination network; an empty name matches nothing. */
  source?: string | null
  destination?: string | null
  /** From this time on; before this time. */
  createdFrom?: Date | null
  createdBefore?: Date | null
  /** Only swaps older than this one, by id. */
  cursor?: string | null
  /** Only swaps that wait for an operator: a payout is on hold, or the refund cannot be sent. */
  isWaiting?: boolean
  page: number
}

const PAGE_SIZE = 20
/** Limit of the swaps found by one transaction, which may pay or fund many. */
const MOST_BY_TRANSACTION = 100

export async function listSwaps(database: Database, catalogue: Catalogue, filter: SwapFilter): Promise<SwapView[]> {
  return readSwapViews(database, catalogue, await listSwapIds(database, catalogue, filter))
}

/**
 * A list as one parameter whose length the planner cannot see. Planning takes several times as long as reading, and
 * PostgreSQL keeps a plan only if knowing the parameters would not make it look cheaper.
 */
function texts(list: string[]): RawBuilder<unknown> {
  return sql`(select ${list}::text[])::text[]`
}

export async function listSwapIds(database: Database, catalogue: Catalogue, filter: SwapFilter): Promise<string[]> {
  const wanted = filter.page * PAGE_SIZE
  const skipped = wanted - PAGE_SIZE
  const isFirst = filter.page === 1
  const rest = sql.join(restOf(filter, catalogue), sql` and `)
  // Written exactly as in the indexes; otherwise the planner would walk all swaps by ordinal.
  const newest = sql`order by ordinal desc nulls last limit ${isFirst ? sql.lit(wanted) : wanted}`
  const branches = branchesOf(filter).map(
    ({ names, found }) => sql`(select each.id, each.ordinal
      from unnest(${texts(filter.statuses)}) as asked (status), unnest(${texts(names ?? [''])}) as given (name), lateral (
        select id, ordinal from swap where ${found} and status = asked.status and ${rest} ${newest}) each)`,
  )
  const { rows } = await sql<{ id: string }>`
    select distinct id, ordinal from (${sql.join(branches, sql` union all `)}) found
    order by ordinal desc limit ${sql.lit(PAGE_SIZE)} offset ${isFirst ? sql.lit(skipped) : skipped}`.execute(database)
  return rows.map(({ id }) => id)
}

/** SQL: swaps with a payout that waits for more than its next try. */
const onHold = sql<boolean>`id = any(array(select held.swap_id from payout held
  where held.state = 'open' and held.held_since is not null and held.held_by <> 'trouble'))`
const isOwed = sql<boolean>`status = 'pending_refund'`

/** How many swaps of a network and a period have each status, and how many of them wait for an operator. */
export async function countByStatus(
  database: Database,
  { network, from }: { network: string | null; from: Date | null },
): Promise<{ statuses: Record<string, number>; waiting: number }> {
  const rows = await database
    .selectFrom('swap')
    .select(({ fn }) => ['status', fn.countAll<string>().as('count')])
    .select(sql<string>`count(*) filter (where ${isOwed} or ${onHold})`.as('waiting'))
    .$if(from !== null, (query) => query.where('created_at', '>=', from as Date))
    .$if(network !== null, (query) =>
      query.where((each) =>
        each.or([each('source_network', '=', network ?? ''), each('destination_network', '=', network ?? '')]),
      ),
    )
    .groupBy('status')
    .execute()
  return {
    statuses: Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])),
    waiting: rows.reduce((sum, { waiting }) => sum + Number(waiting), 0),
  }
}

/**
 * One way to find swaps. If it is tried with each name of a list, the condition uses `given.name`, and the list is one
 * parameter.
 */
interface Branch {
  names: string[] | null
  found: RawBuilder<unknown>
}

/**
 * The most selective filter chooses the index; the others are applied to its results. The number of branches is
 * bounded.
 */
function branchesOf(filter: SwapFilter): Branch[] {
  const { ids, addresses, referenceId, owner, networks } = filter
  const all = (found: RawBuilder<unknown>): Branch => ({ names: null, found })
  if (ids !== null || addresses !== null) {
    const byAddress = [
      sql`source_address is not null and lower(source_address) = lower(given.name)`,
      sql`lower(destination_address) = lower(given.name)`,
      sql`refund_address is not null and lower(refund_address) = lower(given.name)`,
      sql`uses_deposit_address and lower(receiver) = lower(given.name)`,
      sql`id = any(array(select swap_id from deposit
        where deposit.refund_address is not null and lower(deposit.refund_address) = lower(given.name)))`,
    ]
    return [
      all(sql`id = any((select ${ids ?? []}::uuid[])::uuid[])`),
      ...(addresses?.length ? byAddress.map((found) => ({ names: addresses, found })) : []),
    ]
  }
  if (referenceId !== null) return [all(sql`reference_id = ${referenceId}`)]
  if (owner?.appId) return [all(sql`app_id = ${owner.appId}`)]
  if (filter.isWaiting) return [all(isOwed), all(onHold)]
  if (networks !== null) {
    return [sql`source_network = given.name`, sql`destination_network = given.name`].map((found) => ({
      names: networks,
      found,
    }))
  }
  return [all(sql`true`)]
}

/** Networks removed from the catalogue are not shown: the meaning of their amounts is unknown. */
function restOf(filter: SwapFilter, catalogue: Catalogue): RawBuilder<unknown>[] {
  const { referenceId, owner, networks, source, destination, createdFrom, createdBefore, cursor, isWaiting } = filter
  const known = catalogue.networks.map(({ name }) => name)
  return [
    sql`archived_at is null`,
    sql`source_network = any(${texts(known)}) and destination_network = any(${texts(known)})`,
    ...(referenceId === null ? [] : [sql`reference_id = ${referenceId}`]),
    ...(owner === null ? [] : [owner.appId === null ? sql`app_id is null` : sql`app_id = ${owner.appId}`]),
    ...(networks === null
      ? []
      : [sql`(source_network = any(${texts(networks)}) or destination_network = any(${texts(networks)}))`]),
    ...(source == null ? [] : [sql`source_network = ${source}`]),
    ...(destination == null ? [] : [sql`destination_network = ${destination}`]),
    ...(createdFrom == null ? [] : [sql`created_at >= ${createdFrom}`]),
    ...(createdBefore == null ? [] : [sql`created_at < ${createdBefore}`]),
    ...(isWaiting ? [sql`(${isOwed} or ${onHold})`] : []),
    ...(cursor == null ? [] : [sql`ordinal < (select last.ordinal from swap last where last.id = ${cursor})`]),
  ]
}

/**
 * Swaps with a transaction of this hash, the signed one or the one that nodes list: a deposit, a payout, or an attempt.
 * Newest first.
 */
export async function findByTransaction(queries: Queries, hash: string): Promise<string[]> {
  // Hex is case-insensitive; other hashes are not, and the index finds them anyway.
  const exact = /^(0x)?[0-9a-f]+$/i.test(hash) ? null : hash
  const { rows } = await sql<{ id: string }>`
    select swap.id from (
      select swap_id, tx_hash as hash from deposit where lower(tx_hash) = lower(${hash})
      union
      select swap_id, alias from deposit where alias is not null and lower(alias) = lower(${hash})
      union
      select swap_id, tx_hash from payout where lower(tx_hash) = lower(${hash})
      union
      select payout.swap_id, attempt.hash from attempt
        join slot_payout on slot_payout.slot_id = attempt.slot_id
        join payout on payout.id = slot_payout.payout_id
        where lower(attempt.hash) = lower(${hash})
    ) found join swap on swap.id = found.swap_id
    where archived_at is null and (${exact}::text is null or found.hash = ${exact})
    order by swap.ordinal desc limit ${MOST_BY_TRANSACTION}`.execute(queries)
  return [...new Set(rows.map(({ id }) => id))]
}
