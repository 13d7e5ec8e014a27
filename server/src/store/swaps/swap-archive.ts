/**
 * Swaps that are settled for good leave the database: their history, addresses and quote go, and what money refers to stays. So the
 * ledger, deposits, payouts and their slots are complete, and no deposit can be credited or paid a second time.
 */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

/** The tables of an archive. Rows of `deposit` and `payout` stay in the database, too. */
export const ARCHIVED_TABLES = [
  'swap',
  'swap_event',
  'swap_note',
  'webhook_delivery',
  'gasless_authorization',
  'deposit',
  'payout',
] as const
export type ArchivedTable = (typeof ARCHIVED_TABLES)[number]

/** Rows that are deleted with the history of their swap. Others that refer to it are fences, or the books. */
const HISTORY = [
  'swap_event',
  'swap_note',
  'webhook_delivery',
  'gasless_authorization',
  'idempotency_key',
  'open_address',
  'old_price',
] as const

/** Tables that refer to a swap because money was moved or promised for it. Such a swap stays as a row. */
const MONEY = [
  'deposit',
  'payout',
  'ledger_entry',
  'reward',
  'gasless_nonce',
  'recorded_payout',
  'return_decision',
  'old_price',
] as const

interface Closed {
  id: string
  closed_at: Date
}

/**
 * Locks swaps that were closed before, the oldest first, from the one after `after` on. A swap that another transaction works on
 * is left out: an uncommitted deposit holds a lock on it.
 */
export async function lockClosed(
  queries: Queries,
  { before, after, limit }: { before: Date; after: Closed | null; limit: number },
): Promise<Closed[]> {
  const { rows } = await sql<Closed>`
    select id, closed_at from swap where closed_at < ${before} and archived_at is null
    and ${after ? sql`(closed_at, id) > (${after.closed_at}, ${after.id})` : sql`true`}
    order by closed_at, id limit ${limit} for update skip locked`.execute(queries)
  return rows
}

/** Locks those of these swaps that no other transaction works on, and returns their ids. */
export async function lockFree(queries: Queries, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from swap where id = any(${ids}::uuid[]) order by id for update skip locked`.execute(queries)
  return rows.map(({ id }) => id)
}

/**
 * Which of these locked swaps are settled for good: closed, all deposits and payouts final, nothing owed, held or waiting. To be asked in
 * a statement after the lock, so that it sees what was committed before.
 */
export async function settledAmong(queries: Queries, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from swap where id = any(${ids}::uuid[])
    and status in ('completed', 'failed', 'expired', 'refunded') and closed_at is not null and due_at is null
    and not exists (select from deposit where swap_id = swap.id and (
      not final or state in ('seen', 'lost') or (state = 'confirmed' and output_units + refund_units < units)))
    and not exists (select from payout where swap_id = swap.id and (state = 'open' or held_by is not null))
    and not exists (select from payout join slot_payout on payout_id = payout.id join slot on slot.id = slot_id
      where swap_id = swap.id and slot.state = 'open')
    and not exists (select from payout join hold on payout_id = payout.id
      where payout.swap_id = swap.id and hold.closed_at is null)
    and not exists (select from deposit join hold on deposit_id = deposit.id
      where deposit.swap_id = swap.id and hold.closed_at is null)
    and not exists (select from return_decision left join deposit on deposit.id = deposit_id
      where return_decision.swap_id = swap.id or deposit.swap_id = swap.id)
    and not exists (select from recorded_payout where swap_id = swap.id)
    and not exists (select from reward left join payout on payout.id = payout_id
      where reward.swap_id = swap.id and payout.state is distinct from 'confirmed')
    and not exists (select from gasless_authorization waiting join payout on payout.id = payout_id
      where waiting.swap_id = swap.id and payout.state = 'open')
    and not exists (select from webhook_delivery
      where swap_id = swap.id and delivered_at is null and failed_at is null)
    and not exists (select from ledger_entry where swap_id = swap.id and owner = swap.id::text
      group by account, network, token having sum(units) <> 0)
    order by id`.execute(queries)
  return rows.map(({ id }) => id)
}

/** All columns of the rows of these swaps as text, as PostgreSQL would write them. */
export async function readForArchive(
  queries: Queries,
  table: ArchivedTable,
  ids: readonly string[],
): Promise<{ columns: string[]; rows: (string | null)[][] }> {
  const { rows: listed } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} order by ordinal_position`.execute(queries)
  const columns = listed.map(({ name }) => name)
  const texts = sql.join(columns.map((name) => sql`${sql.ref(name)}::text`))
  const owner = table === 'swap' ? 'id' : 'swap_id'
  const { rows } = await sql<{ texts: (string | null)[] }>`
    select array[${texts}] as texts from ${sql.table(table)} where ${sql.ref(owner)} = any(${ids}::uuid[])
    order by ${sql.ref(owner)}, id`.execute(queries)
  return { columns, rows: rows.map((row) => row.texts) }
}

/**
 * Removes what is not about money from settled, locked swaps, and a swap without any money as a whole. `keepsQuote`: terms name no person.
 * Neither does a settlement at an old price, and for a young swap the exposure limit still counts it.
 */
export async function retire(
  queries: Queries,
  ids: readonly string[],
  { at, keepsQuote }: { at: Date; keepsQuote: boolean },
): Promise<void> {
  const among = (column: string) => sql`${sql.ref(column)} = any(${ids}::uuid[])`
  await sql`
    update swap set archived_at = coalesce(archived_at, ${at}), source_address = null, destination_address = '', refund_address = null,
      reference_id = null, correlation_id = null, client_group = null,
      quote = case when ${keepsQuote} then quote end, agreed_quote = case when ${keepsQuote} then agreed_quote end
    where ${among('id')}`.execute(queries)
  await sql`
    update deposit_address set client_group = null from swap
    where ${among('swap.id')} and deposit_address.network = swap.source_network and deposit_address.address = swap.receiver
      and deposit_address.client_group is not null`.execute(queries)
  const history = HISTORY.filter((table) => table !== 'old_price' || !keepsQuote)
  for (const table of history) await sql`delete from ${sql.table(table)} where ${among('swap_id')}`.execute(queries)
  await sql`update deposit set from_address = null, senders = '{}', refund_address = null where ${among('swap_id')}`.execute(
    queries,
  )
  await sql`update payout set to_address = '' where ${among('swap_id')} and kind in ('output', 'refuel', 'refund', 'return')`.execute(
    queries,
  )
  for (const subject of ['payout', 'deposit'] as const)
    await sql`update hold set detail = null where detail is not null
      and ${sql.ref(`${subject}_id`)} in (select id from ${sql.table(subject)} where ${among('swap_id')})`.execute(
      queries,
    )
  const moneyless = sql.join(
    MONEY.map((table) => sql`not exists (select from ${sql.table(table)} where swap_id = swap.id)`),
    sql` and `,
  )
  await sql`delete from swap where ${among('id')} and ${moneyless}`.execute(queries)
}

/** Swaps that name this address, lower case. */
export async function swapsNaming(queries: Queries, address: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from swap where lower(source_address) = ${address} and source_address is not null
    union select id from swap where lower(destination_address) = ${address}
    union select id from swap where lower(refund_address) = ${address} and refund_address is not null
    union select id from swap where lower(receiver) = ${address} and uses_deposit_address
    union select swap_id from deposit where lower(refund_address) = ${address} and refund_address is not null
    order by id`.execute(queries)
  return rows.map(({ id }) => id)
}

/**
 * The same among the senders of deposits and the recipients of payouts, a page of rows at a time: no index leads to these, and one
 * query over years of rows would take too long. `next`: where to go on; null at the end.
 */
export async function swapsMovingMoney(
  queries: Queries,
  table: 'deposit' | 'payout',
  address: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ ids: string[]; next: string | null }> {
  const isNamed =
    table === 'payout'
      ? sql`lower(to_address) = ${address}`
      : sql`(lower(from_address) = ${address} or ${address} = any(lower(senders::text)::text[]))`
  const { rows } = await sql<{ swap_id: string | null; last: string; is_full: boolean }>`
    with page as (select * from ${sql.table(table)} where id > ${after}::uuid order by id limit ${limit})
    select found.swap_id, (select id from page order by id desc limit 1) as last, (select count(*) = ${limit} from page) as is_full
    from (select 1) one left join (select distinct swap_id from page where swap_id is not null and ${isNamed}) found on true`.execute(
    queries,
  )
  const ids = rows.flatMap(({ swap_id }) => (swap_id === null ? [] : [swap_id]))
  return { ids, next: rows[0]?.is_full ? rows[0].last : null }
}
