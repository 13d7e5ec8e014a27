/** Queries that only read: a swap with what people are shown of it, and the sums that quotes are made with. */
import type { Address, Catalogue, Swap } from '@causeway/core'
import { sql } from 'kysely'
import type { Database, Queries } from './database.ts'
import { type DepositRow, type PayoutRow, toSwap } from './swaps.ts'

/** A deposit and the newest block of its network. */
export type SeenDeposit = DepositRow & { head: bigint | null }

/** A swap with everything that an answer shows of it. */
export interface SwapView {
  swap: Swap
  sequence: bigint
  /** Where the deposit is awaited. */
  receiver: Address
  referenceId: string | null
  createdAt: Date
  /** What was shown with the quote, as it was stored. */
  quoteView: Record<string, unknown>
  deposits: SeenDeposit[]
  payouts: PayoutRow[]
}

/** The three reads run side by side; a swap that moves meanwhile is shown as it was a moment ago. */
export async function readSwapView(database: Database, catalogue: Catalogue, id: string): Promise<SwapView | null> {
  const [row, deposits, payouts] = await Promise.all([
    database.selectFrom('swap').selectAll().where('id', '=', id).executeTakeFirst(),
    database
      .selectFrom('deposit')
      .leftJoin('chain_cursor', 'chain_cursor.network', 'deposit.network')
      .selectAll('deposit')
      .select('chain_cursor.head_number as head')
      .where('deposit.swap_id', '=', id)
      .orderBy('deposit.seen_at')
      .execute(),
    database.selectFrom('payout').selectAll().where('swap_id', '=', id).orderBy('number').execute(),
  ])
  if (!row) return null
  return {
    swap: toSwap({ row, deposits, payouts }, catalogue),
    sequence: row.sequence,
    receiver: row.receiver,
    referenceId: row.reference_id,
    createdAt: row.created_at,
    quoteView: row.quote_view,
    deposits,
    payouts,
  }
}

/** Where a swap's deposit is awaited: all that a hint about a transaction needs. */
export async function readSourceNetwork(queries: Queries, id: string): Promise<string | null> {
  const row = await queries.selectFrom('swap').select('source_network').where('id', '=', id).executeTakeFirst()
  return row?.source_network ?? null
}

/** What is promised of each token of a network and not covered by balances that were read at `since`. */
export async function promisedByToken(queries: Queries, network: string, since: Date): Promise<Map<string, bigint>> {
  const rows = await queries
    .selectFrom('payout')
    .select((eb) => ['token', eb.fn.sum<bigint>('units').as('units')])
    .where('network', '=', network)
    .where('kind', '!=', 'sweep')
    .where((eb) =>
      eb.or([eb('state', '=', 'open'), eb.and([eb('state', '=', 'confirmed'), eb('confirmed_at', '>', since)])]),
    )
    .groupBy('token')
    .execute()
  return new Map(rows.map(({ token, units }) => [token, units]))
}

export interface RouteDuration {
  source: string
  destination: string
  seconds: number
}

/** The median time of each pair of networks among the newest completed swaps, from the deposit's first sight on. */
export async function completionTimes(queries: Queries, sample: number): Promise<RouteDuration[]> {
  const { rows } = await sql<RouteDuration>`
    select source, destination, percentile_cont(0.5) within group (order by seconds)::float8 as seconds
    from (
      select swap.source_network as source, swap.destination_network as destination,
        extract(epoch from swap.closed_at - min(deposit.seen_at))::float8 as seconds
      from (select * from swap where status = 'completed' order by closed_at desc limit ${sample}) swap
      join deposit on deposit.swap_id = swap.id
      group by swap.id, swap.source_network, swap.destination_network, swap.closed_at
    ) newest
    group by source, destination`.execute(queries)
  return rows
}

/** Which networks somebody watches at this moment. */
export async function watchedNetworks(queries: Queries): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('lease')
    .select('name')
    .where('name', 'like', `${WATCH_LEASE}%`)
    .where('expires_at', '>', sql<Date>`now()`)
    .execute()
  return new Set(rows.map(({ name }) => name.slice(WATCH_LEASE.length)))
}

/** How a watcher names the lease of its network. */
const WATCH_LEASE = 'watch:'
