/** Read-only queries: a swap with its public data, and the durations that quotes show. */
import type { Address, Catalogue, Status, Swap } from '@causeway/core'
import { sql } from 'kysely'
import { coalesce } from '../db/coalesce.ts'
import type { Database, Queries } from '../db/database.ts'
import { PREPARED_STATEMENTS } from '../db/prepared-statements.ts'
import { parseView, type QuoteView } from './quote-view.ts'
import { type DepositRow, type PayoutRow, readSwap, type SwapRow, toSwap } from './swaps.ts'

/** A deposit and the newest block of its network. */
export type SeenDeposit = DepositRow & { head: bigint | null }

/** A swap with everything that a response shows. */
export interface SwapView {
  swap: Swap
  reference: bigint
  /** The address where the deposit is expected. */
  receiver: Address
  referenceId: string | null
  /** The app that created the swap. */
  appId: string | null
  /** The group of the client that created the swap, if it has a deposit address or is gasless. */
  clientGroup: number | null
  /** The exchanges that the caller named. */
  exchanges: { source: string | null; destination: string | null }
  createdAt: Date
  /** When a timer may decide about the swap's deposits, for example stop waiting for the rest of the amount. */
  dueAt: Date | null
  /** The display data of the quote. */
  quoteView: QuoteView
  deposits: SeenDeposit[]
  payouts: PayoutRow[]
}

export async function readSwapView(database: Database, catalogue: Catalogue, id: string): Promise<SwapView | null> {
  const parts = await readParts(database, id.toLowerCase())
  return parts && viewOf(parts, catalogue)
}

interface Parts {
  row: SwapRow
  deposits: SeenDeposit[]
  payouts: PayoutRow[]
}

/** The parts are read in parallel, so a swap that changes meanwhile may be shown slightly outdated. */
const readParts = coalesce(async (database: Database, ids: string[]): Promise<(Parts | null)[]> => {
  const [rows, hanging] = await Promise.all([
    database
      .selectFrom('swap')
      .modifyFront(PREPARED_STATEMENTS)
      .selectAll()
      .where(isOneOf('id', ids))
      .where('archived_at', 'is', null)
      .execute(),
    hangingOn(database, ids),
  ])
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => {
    const row = found.get(id)
    return row ? hanging(row) : null
  })
})

/** Reads many swaps, in this order, with one query for each kind of row. */
export async function readSwapViews(database: Database, catalogue: Catalogue, ids: string[]): Promise<SwapView[]> {
  const views = await Promise.all(ids.map((id) => readSwapView(database, catalogue, id)))
  return views.filter((view) => view !== null)
}

async function hangingOn(database: Database, ids: string[]): Promise<(row: SwapRow) => Parts> {
  const [deposits, payouts] = await Promise.all([depositsOf(database, ids), payoutsOf(database, ids)])
  const parts = { deposits: bySwap(deposits), payouts: bySwap(payouts) }
  return (row) => ({
    row,
    deposits: parts.deposits.get(row.id) ?? [],
    payouts: parts.payouts.get(row.id) ?? [],
  })
}

/** Passes a list of any length as one text, so that the statement is always the same. */
function isOneOf(column: 'id' | 'swap_id' | 'deposit.swap_id', ids: string[]) {
  return sql<boolean>`${sql.ref(column)} = any(${ids}::uuid[])`
}

function viewOf({ row, deposits, payouts }: Parts, catalogue: Catalogue): SwapView {
  return {
    swap: toSwap({ row, deposits, payouts }, catalogue),
    reference: row.reference,
    receiver: row.receiver,
    referenceId: row.reference_id,
    appId: row.app_id,
    clientGroup: row.client_group,
    exchanges: { source: row.source_exchange, destination: row.destination_exchange },
    createdAt: row.created_at,
    dueAt: row.due_at,
    quoteView: parseView(row.quote_view),
    deposits,
    payouts,
  }
}

function depositsOf(database: Database, swapIds: string[]): Promise<SeenDeposit[]> {
  return database
    .selectFrom('deposit')
    .modifyFront(PREPARED_STATEMENTS)
    .leftJoin('chain_cursor', 'chain_cursor.network', 'deposit.network')
    .selectAll('deposit')
    .select('chain_cursor.head_number as head')
    .where(isOneOf('deposit.swap_id', swapIds))
    .orderBy('deposit.seen_at')
    .execute()
}

function payoutsOf(database: Database, swapIds: string[]): Promise<PayoutRow[]> {
  return database
    .selectFrom('payout')
    .modifyFront(PREPARED_STATEMENTS)
    .selectAll()
    .where(isOneOf('swap_id', swapIds))
    .orderBy('number')
    .execute()
}

function bySwap<Row extends { swap_id: string | null }>(rows: Row[]): Map<string | null, Row[]> {
  return Map.groupBy(rows, ({ swap_id }) => swap_id)
}

/** Like `readSwapView`, inside a transaction: sequential queries that see the transaction's own changes. */
export async function readSwapViewWithin(queries: Queries, catalogue: Catalogue, id: string): Promise<SwapView | null> {
  const record = await readSwap(queries, id)
  if (!record) return null
  const { row, payouts } = record
  const cursors = await queries.selectFrom('chain_cursor').select(['network', 'head_number']).execute()
  const heads = new Map(cursors.map(({ network, head_number }) => [network, head_number]))
  const deposits = record.deposits.map((deposit) => ({ ...deposit, head: heads.get(deposit.network) ?? null }))
  return viewOf({ row, deposits, payouts }, catalogue)
}

/** Since when the history of a swap is not in the database any more; null if it is, or if there is no such swap. */
export async function readArchivedAt(queries: Queries, id: string): Promise<Date | null> {
  const row = await queries.selectFrom('swap').select('archived_at').where('id', '=', id).executeTakeFirst()
  return row?.archived_at ?? null
}

/** The network on which a swap's deposit is expected: all that a hint needs. */
export async function readSourceNetwork(queries: Queries, id: string): Promise<string | null> {
  const row = await queries.selectFrom('swap').select('source_network').where('id', '=', id).executeTakeFirst()
  return row?.source_network ?? null
}

export async function readStatus(queries: Queries, id: string): Promise<Status | null> {
  const row = await queries.selectFrom('swap').select('status').where('id', '=', id).executeTakeFirst()
  return row?.status ?? null
}

export interface RouteDuration {
  source: string
  destination: string
  seconds: number
}

/**
 * The median completion time per pair of networks, over the newest completed swaps, from the deposit's first sighting.
 */
export async function completionTimes(queries: Queries, sample: number): Promise<RouteDuration[]> {
  const { rows } = await sql<RouteDuration>`
    select source, destination, percentile_cont(0.5) within group (order by seconds)::float8 as seconds
    from (
      select source_network as source, destination_network as destination, completion_seconds as seconds
      from swap where status = 'completed' order by closed_at desc limit ${sample}
    ) newest
    where seconds is not null
    group by source, destination`.execute(queries)
  return rows
}

/** The networks that are currently watched by a process. */
export async function watchedNetworks(queries: Queries): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('lease')
    .select('name')
    .where('name', 'like', `${WATCH_LEASE}%`)
    .where('expires_at', '>', sql<Date>`now()`)
    .execute()
  return new Set(rows.map(({ name }) => name.slice(WATCH_LEASE.length)))
}

/** The name of a network's watch lease. */
const WATCH_LEASE = 'watch:'
