/** Payout rows: reads one, finds waiting ones, and rejects one. */
import { type PayoutHold, type Token, tokenKey } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import { roundRobin } from '../db/round-robin.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import { closeReorged } from './reorged-payouts.ts'
import { cancelsOf } from './slots.ts'

/**
 * Reads and locks a payout until the end of the transaction, so that no slot is allocated and no other decision is made
 * meanwhile.
 */
export async function lockPayout(queries: Queries, id: string): Promise<PayoutRow | null> {
  const row = await queries.selectFrom('payout').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  return row ?? null
}

export async function readPayout(queries: Queries, id: string): Promise<PayoutRow | null> {
  const row = await queries.selectFrom('payout').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Whether an operator rejected these payouts, and the open hold of those that a reorg removed, answered or not. */
export async function readVerdicts(
  queries: Queries,
  payouts: readonly PayoutRow[],
): Promise<Map<string, { isRejected: boolean; reorged: PayoutHold | null }>> {
  const { rows } = await sql<{ id: string; isRejected: boolean; reorged: PayoutHold | null }>`
    select payout.id, rejected_at is not null as "isRejected",
      case when hold.id is not null then params || '{"code":"payout_reorged"}' end as reorged
    from payout left join hold on hold.payout_id = payout.id and hold.code = 'payout_reorged' and hold.closed_at is null
    where payout.id = any(${payouts.map(({ id }) => id)}::uuid[])`.execute(queries)
  return new Map(rows.map(({ id, isRejected, reorged }) => [id, { isRejected, reorged }]))
}

/** The route of a payout's swap. */
export interface Origin {
  source: [network: string, token: string]
  destination: [network: string, token: string]
  quote: Record<string, string> | null
}

/** The route per payout; payouts without a swap have none. */
export async function readOrigins(queries: Queries, payouts: readonly PayoutRow[]): Promise<Map<string, Origin>> {
  const swapIds = [...new Set(payouts.flatMap(({ swap_id }) => swap_id ?? []))]
  if (swapIds.length === 0) return new Map()
  const swaps = await queries
    .selectFrom('swap')
    .select(['id', 'source_network', 'source_token', 'destination_network', 'destination_token', 'quote'])
    .where('id', 'in', swapIds)
    .execute()
  const origins = new Map<string | null, Origin>(
    swaps.map((swap) => [
      swap.id,
      {
        source: [swap.source_network, swap.source_token],
        destination: [swap.destination_network, swap.destination_token],
        quote: swap.quote,
      },
    ]),
  )
  return new Map(
    payouts.flatMap(({ id, swap_id }) => {
      const origin = swap_id === null ? undefined : origins.get(swap_id)
      return origin ? [[id, origin] as const] : []
    }),
  )
}

/** The transaction of a payout, and its share of the fee. */
export interface Landing {
  hash: string
  block: bigint
  feeUnits: bigint
  /** The output of an exchange; absent for a transfer. */
  receivedUnits?: bigint | null
}

/** Stores the transaction that paid the payout. */
export async function recordLanding(queries: Queries, id: string, landing: Landing): Promise<void> {
  await queries
    .updateTable('payout')
    .set({
      ...{ tx_hash: landing.hash, block_number: landing.block, fee_units: landing.feeUnits },
      received_units: landing.receivedUnits ?? null,
    })
    .where('id', '=', id)
    .execute()
}

/**
 * Closes a payout that belongs to no swap, such as a sweep; `advance` closes the others. False if it is closed already,
 * or if it is to be abandoned and has been started: a process that was paused must not undo later work.
 */
export async function closeWithoutSwap(
  queries: Queries,
  id: string,
  state: 'confirmed' | 'abandoned',
  now: Date,
): Promise<boolean> {
  const closed = await queries
    .updateTable('payout')
    .set({ state, confirmed_at: state === 'confirmed' ? now : null })
    .where('id', '=', id)
    .where('swap_id', 'is', null)
    .where('state', '=', 'open')
    .$if(state === 'abandoned', (query) => query.where('started', '=', false))
    .returning('id')
    .execute()
  return closed.length === 1
}

/**
 * Open payouts whose job may be lost: ordered before this time and not sent. Payouts held by a rule or an operator have
 * no job. If there are many, each gets its turn, so that failing payouts do not hide lost ones.
 */
export async function forgottenPayouts(queries: Queries, before: Date, limit: number): Promise<PayoutRow[]> {
  const { rows } = await roundRobin<PayoutRow>(
    sql`payout where state = 'open' and (held_by is null or held_by = 'trouble') and (sent_at is null or not started)
      and created_at < ${before}`,
    limit,
  ).execute(queries)
  return rows.sort((a, b) => a.created_at.getTime() - b.created_at.getTime())
}

/** Other payouts of the same wallet that are not started, oldest first, without those held by a rule or an operator. */
export async function waitingBeside(queries: Queries, payout: PayoutRow, limit: number): Promise<PayoutRow[]> {
  return queries
    .selectFrom('payout')
    .selectAll()
    .where('network', '=', payout.network)
    .where('account', '=', payout.account)
    .where('state', '=', 'open')
    .where('started', '=', false)
    .where('kind', 'in', ['output', 'refuel', 'refund', 'return', 'reward', 'withdrawal'])
    .where((eb) => eb.or([eb('held_by', 'is', null), eb('held_by', '=', 'trouble')]))
    .where('id', '!=', payout.id)
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

/** Payouts of these properties, the newest first. */
export async function listPayouts(
  queries: Queries,
  wanted: Partial<Pick<PayoutRow, 'kind' | 'network' | 'state'>>,
  limit: number,
): Promise<PayoutRow[]> {
  let query = queries.selectFrom('payout').selectAll()
  if (wanted.kind) query = query.where('kind', '=', wanted.kind)
  if (wanted.network) query = query.where('network', '=', wanted.network)
  if (wanted.state) query = query.where('state', '=', wanted.state)
  return query.orderBy('created_at', 'desc').orderBy('id').limit(limit).execute()
}

/** Outflow of one token from a wallet, and the number of payouts in any token, because each costs gas. */
export interface Leaving {
  /** Units of payouts that are started and not confirmed: they may have left the wallet or not. */
  underWay: bigint
  payoutsUnderWay: bigint
  /** Units of payouts confirmed since then. */
  paid: bigint
  payoutsPaid: bigint
}

export async function leavingSince(queries: Queries, token: Token, account: string, since: Date): Promise<Leaving> {
  const wallet = sql`network = ${token.network} and account = ${account}`
  const isOfToken = sql`token = ${tokenKey(token)} and kind not in ('sweep', 'relay', 'admin')`
  // One statement, so that a payout that is confirmed at this moment is in exactly one of the two sums.
  const { rows } = await sql<Leaving>`
    select coalesce(sum(units) filter (where state = 'open' and ${isOfToken}), 0) as "underWay",
      count(*) filter (where state = 'open') as "payoutsUnderWay",
      coalesce(sum(units) filter (where state = 'confirmed' and ${isOfToken}), 0) as paid,
      count(*) filter (where state = 'confirmed') as "payoutsPaid"
    from (
      select state, units, token, kind from payout where ${wallet} and state = 'open' and started
      union all select state, units, token, kind from payout
        where ${wallet} and state = 'confirmed' and confirmed_at > ${since}
    ) leaving`.execute(queries)
  const [row] = rows
  return {
    underWay: BigInt(row?.underWay ?? 0),
    payoutsUnderWay: BigInt(row?.payoutsUnderWay ?? 0),
    paid: BigInt(row?.paid ?? 0),
    payoutsPaid: BigInt(row?.payoutsPaid ?? 0),
  }
}

/**
 * Rejects a payout. Null if it may be in flight and its slot is not being cancelled, or if a reorg removed it and an
 * operator has to decide whether it was made. Sweeps are not rejected.
 */
export async function rejectPayout(queries: Queries, id: string, at: Date): Promise<PayoutRow | null> {
  const cancelledSlot = queries
    .selectFrom('slot')
    .innerJoin('slot_payout', 'slot_payout.slot_id', 'slot.id')
    .select('slot.id')
    .where('slot_payout.payout_id', '=', id)
    .where('slot_payout.live', '=', true)
    .where(({ exists }) => exists(cancelsOf(queries)))
  const row = await queries
    .updateTable('payout')
    .set({ rejected_at: at })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('kind', '!=', 'sweep')
    .where(sql<boolean>`held_by is distinct from 'undone'`)
    .where((eb) => eb.or([eb('started', '=', false), eb.exists(cancelledSlot)]))
    .returningAll()
    .executeTakeFirst()
  if (row) await closeReorged(queries, [id])
  return row ?? null
}

/** Recipients with at least `most` failed payouts of a token since then. */
export async function failingRecipients(
  queries: Queries,
  { network, token }: { network: string; token: string },
  addresses: readonly string[],
  { since, most }: { since: Date; most: number },
): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('payout')
    .select('to_address')
    .where('network', '=', network)
    .where('to_address', 'in', addresses)
    .where('token', '=', token)
    .where('failed_at', '>', since)
    .groupBy('to_address')
    .having((eb) => eb.fn.countAll(), '>=', most)
    .execute()
  return new Set(rows.map(({ to_address }) => to_address))
}

/** The number of started payouts of a token per address; addresses without one are omitted. */
export async function openToRecipients(
  queries: Queries,
  { network, token }: { network: string; token: string },
  addresses: readonly string[],
): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom('payout')
    .select(({ fn }) => ['to_address', fn.countAll<number>().as('open')])
    .where('network', '=', network)
    .where('to_address', 'in', addresses)
    .where('token', '=', token)
    .where('state', '=', 'open')
    .where('started', '=', true)
    .groupBy('to_address')
    .execute()
  return new Map(rows.map(({ to_address, open }) => [to_address, Number(open)]))
}
