/** What was found after a restore: transactions of ours that the books did not know, and the payouts they may have made. */
import { type Movement, type Token, tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type RestoredRow = Selectable<Schema['restored_movement']>

/** What left by this transaction, in base units above zero, by token. */
export function leavingBy({ changes }: Movement): { token: Token; units: bigint }[] {
  const sums = new Map<string, { token: Token; units: bigint }>()
  for (const { token, units } of changes) {
    if (units >= 0n) continue
    const key = tokenKey(token)
    sums.set(key, { token, units: (sums.get(key)?.units ?? 0n) - units })
  }
  return [...sums.values()]
}

/** Null where it was stored before. */
export async function insertRestored(queries: Queries, row: Omit<RestoredRow, 'id'>): Promise<RestoredRow | null> {
  const inserted = await queries
    .insertInto('restored_movement')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return inserted ?? null
}

export async function listRestored(queries: Queries, limit: number): Promise<RestoredRow[]> {
  return restoredBy(queries, limit).where('reviewed_at', 'is', null).execute()
}

/** All that paid somebody, on the list or not, recognised or not: what a payout in doubt may have been made by. */
export async function listMovements(queries: Queries, limit: number): Promise<RestoredRow[]> {
  return restoredBy(queries, limit).where('is_fee', '=', false).execute()
}

/** Those of which something is not recognised, on the list or not. */
export async function listUnexplained(queries: Queries, limit: number): Promise<RestoredRow[]> {
  return restoredBy(queries, limit).whereRef('explained_units', '<', 'units').execute()
}

/**
 * The transactions that payouts do not explain to the unit, of these tokens, or of any where none are named. What is said to
 * have made more than it sent was for other amounts, and may have paid something else besides.
 */
export async function unexplainedBy(
  queries: Queries,
  sides: readonly (readonly [network: string, token: string])[] | null,
): Promise<{ network: string; token: string; tx_hash: string }[]> {
  const isWanted = sides
    ? sql<boolean>`(network, token) in (select * from unnest(${sides.map(([network]) => network)}::text[],
        ${sides.map(([, token]) => token)}::text[]))`
    : sql<boolean>`true`
  return queries
    .selectFrom('restored_movement')
    .select(['network', 'token', 'tx_hash'])
    .whereRef('explained_units', '<>', 'units')
    .where(isWanted)
    .orderBy('network')
    .orderBy('block_number')
    .execute()
}

function restoredBy(queries: Queries, limit: number) {
  return queries.selectFrom('restored_movement').selectAll().orderBy('network').orderBy('block_number').limit(limit)
}

/** The rows of a transaction, in whatever case its hash is written, locked until the end of the transaction. */
export async function lockRestored(queries: Queries, txHash: string): Promise<RestoredRow[]> {
  return queries
    .selectFrom('restored_movement')
    .selectAll()
    .where(sql<boolean>`lower(tx_hash) = lower(${txHash})`)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export async function explainRestored(queries: Queries, id: string, units: bigint): Promise<void> {
  await queries
    .updateTable('restored_movement')
    .set((eb) => ({ explained_units: eb('explained_units', '+', units) }))
    .where('id', '=', id)
    .execute()
}

export async function reviewRestored(queries: Queries, ids: readonly string[], by: string, at: Date): Promise<void> {
  if (ids.length === 0) return
  await queries
    .updateTable('restored_movement')
    .set({ reviewed_at: at, reviewed_by: by })
    .where('id', 'in', ids)
    .where('reviewed_at', 'is', null)
    .execute()
}

/** It explains less than was said: a person looks at it again. */
export async function listAgain(queries: Queries, id: string): Promise<void> {
  await queries
    .updateTable('restored_movement')
    .set({ reviewed_at: null, reviewed_by: null })
    .where('id', '=', id)
    .execute()
}

/**
 * An operator said that the database was restored. Until a network is read, whatever came there may have been paid before,
 * also where it is no longer listed; and no word counts that lets something go and was given in a time which may be the
 * forgotten one. What is said to be made stays made. `ordinalsTo`: swaps up to this ordinal are older than that.
 */
export async function beginRestoration(
  queries: Queries,
  networks: readonly string[],
  { at, ordinalsTo }: { at: Date; ordinalsTo: bigint },
): Promise<void> {
  await sql`insert into restoration (network, until_block, at, unread, ordinals_to)
    select network, 0, ${at}, true, ${ordinalsTo}
    from (select unnest(${[...networks]}::text[]) as network union select network from chain_cursor) known
    on conflict (network) do update set at = excluded.at, unread = true, ordinals_to = excluded.ordinals_to`.execute(
    queries,
  )
  await sql`delete from unpaid_payout using payout
    where payout.id = unpaid_payout.payout_id and (payout.state = 'open' or made_in is not null)`.execute(queries)
}

/** Networks that nobody has read since: whatever came there may have been paid before. */
export async function unreadNetworks(queries: Queries): Promise<string[]> {
  const rows = await queries
    .selectFrom('restoration')
    .select('network')
    .where('unread', '=', true)
    .orderBy('network')
    .execute()
  return rows.map(({ network }) => network)
}

/** The network was read. What is older stays so, whatever a node says later. */
export async function saveRestoration(
  queries: Queries,
  network: string,
  { untilBlock, at, settlesAt }: { untilBlock: bigint; at: Date; settlesAt: Date | null },
): Promise<void> {
  await sql`insert into restoration (network, until_block, at, settles_at)
    values (${network}, ${untilBlock}, ${at}, ${settlesAt})
    on conflict (network) do update set until_block = greatest(restoration.until_block, excluded.until_block),
      at = excluded.at, unread = false, settles_at = excluded.settles_at`.execute(queries)
}

/** The latest moment at which what was forgotten may still land on any of these networks, or on any at all; null where nothing can. */
export async function settlesAt(queries: Queries, networks: readonly string[] | null): Promise<Date | null> {
  const all = queries.selectFrom('restoration').select((eb) => eb.fn.max('settles_at').as('at'))
  const row = await (networks ? all.where('network', 'in', [...networks]) : all).executeTakeFirst()
  return row?.at ?? null
}

/** A deposit address was emptied by a sweep that was perhaps forgotten; where nothing was ever restored this is nothing. */
export async function countEmptied(queries: Queries, network: string): Promise<void> {
  await queries
    .updateTable('restoration')
    .set((eb) => ({ emptied: eb('emptied', '+', 1) }))
    .where('network', '=', network)
    .execute()
}

/** Addresses of which nobody has booked yet what emptying them cost. */
export async function emptiedAddresses(queries: Queries, network: string): Promise<bigint> {
  const row = await queries
    .selectFrom('restoration')
    .select('emptied')
    .where('network', '=', network)
    .executeTakeFirst()
  return BigInt(row?.emptied ?? 0)
}

export async function clearEmptied(queries: Queries, network: string): Promise<void> {
  await queries
    .updateTable('restoration')
    .set({ emptied: 0 })
    .where('network', '=', network)
    .where('emptied', '>', 0)
    .execute()
}

/** When an operator last said that the database was restored. */
export async function lastRestoration(queries: Queries): Promise<Date | null> {
  const { at } = await queries
    .selectFrom('restoration')
    .select((eb) => eb.fn.max('at').as('at'))
    .executeTakeFirstOrThrow()
  return at
}

/**
 * Payouts that may have been made already, in the time that the books do not know. A payout comes from that time unless all
 * that it is paid for came to us later; amounts prove nothing, since the same deposit may be priced anew or refunded now. It
 * waits for a word about itself where anything left that the books did not know on the networks of its swap, however late it
 * is ordered, whatever was said of the transactions, and whatever other payouts they made: one may have paid several. And it
 * waits until those blocks are final. A deposit of no swap may have been paid on any network. What is said to be made waits
 * until it counts so. A deposit that a reorg took in that time may land anew long after it: of a swap that is older than the
 * restore, and of a deposit that names no later swap or came to such an address, everything waits, where something of its tokens
 * left that no payout explains.
 */
export async function doubtfulPayouts(queries: Queries, payoutIds: readonly string[], now: Date): Promise<Set<string>> {
  if (payoutIds.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    with asked as (
      select payout.id, payout.network, payout.token, swap_id, deposit_id, source_network, source_token,
        destination_network, destination_token, made_in, coalesce(swap.ordinal, (select min(earner.ordinal)
          from reward join swap earner on earner.id = reward.swap_id where reward.payout_id = payout.id)) as ordinal
      from payout left join swap on swap.id = payout.swap_id
      where payout.id = any(${[...payoutIds]}::uuid[])
      and payout.kind not in ('sweep', 'relay', 'admin')
      and not exists (select 1 from unpaid_payout where payout_id = payout.id)
      and exists (select 1 from restoration)),
    source as (
      select asked.id, asked.deposit_id as source_id from asked where asked.deposit_id is not null
      union select asked.id, deposit.id from asked join deposit on deposit.swap_id = asked.swap_id
      union select asked.id, deposit.id from asked
      join reward on reward.payout_id = asked.id join deposit on deposit.swap_id = reward.swap_id),
    cause as (
      select source.id, network, block_number, to_address, reference, deposit.swap_id is null or resolution is not null as decided
      from source join deposit on deposit.id = source_id),
    older as (
      select asked.id from asked join restoration on ordinal <= ordinals_to
      -- Beside what came to a swap by its address anybody may have written a number.
      union select cause.id from cause join restoration on reference is not null and not exists (
        select 1 from swap where swap.reference = cause.reference and swap.ordinal > ordinals_to) where decided
      union select cause.id from cause join deposit_address on deposit_address.network = cause.network
        and address = to_address and purpose = 'restored')
    select id from asked where made_in is not null or exists (
      select 1 from cause join restoration on restoration.network = cause.network
      where cause.id = asked.id
      and (unread or block_number is null or block_number <= until_block))
    and (
      exists (
        select 1 from restored_movement movement
        where movement.network in (asked.network, source_network, destination_network)
        or (swap_id is null and deposit_id is not null))
      or exists (
        select 1 from restoration left join chain_cursor on chain_cursor.network = restoration.network
        where (restoration.network in (asked.network, source_network, destination_network)
          or (swap_id is null and deposit_id is not null))
        and (unread or head_number <= until_block or settles_at > ${now})))
    or id in (select id from older) and exists (
      select 1 from restored_movement movement
      where explained_units <> units and ((swap_id is null and deposit_id is not null)
        or (movement.network, movement.token) in (
          (asked.network, asked.token), (source_network, source_token), (destination_network, destination_token))))`.execute(
    queries,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Open payouts that stand, or stood, in a slot which that transaction used up. */
export async function payoutsOfSlot(queries: Queries, { network, account, slot }: RestoredRow): Promise<string[]> {
  const rows = await queries
    .selectFrom('slot_payout')
    .innerJoin('slot', 'slot.id', 'slot_payout.slot_id')
    .innerJoin('payout', 'payout.id', 'slot_payout.payout_id')
    .select('payout.id')
    .distinct()
    .where('slot.network', '=', network)
    .where('slot.account', '=', account)
    .where(sql<boolean>`slot.parts && ${slot}::text[]`)
    .where('payout.state', '=', 'open')
    .execute()
  return rows.map(({ id }) => id)
}

export async function openPayoutIds(queries: Queries, networks: readonly string[]): Promise<string[]> {
  const rows = await queries
    .selectFrom('payout')
    .select('id')
    .where('state', '=', 'open')
    .where('network', 'in', networks)
    .execute()
  return rows.map(({ id }) => id)
}

/** The ordinal of the newest swap, also of one that is being stored now. */
export async function newestOrdinal(queries: Queries): Promise<bigint> {
  const { rows } = await sql<{ newest: bigint }>`
    select case when is_called then last_value else last_value - 1 end as newest from swap_ordinal_seq`.execute(queries)
  return rows[0]?.newest ?? 0n
}
