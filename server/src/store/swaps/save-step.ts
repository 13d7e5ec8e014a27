/**
 * Stores a step of `advance`: the swap, the use of its deposits, new and closed payouts, postings and the event, in the
 * caller's transaction, and announces the change. Returns the ordered payouts, so that the caller can add their jobs.
 */
import { randomUUID } from 'node:crypto'
import {
  Bug,
  type Coin,
  type Payout,
  type PayoutLeg,
  type Posting,
  paidUnits,
  RetryLater,
  type Step,
  type Swap,
  type SwapEvent,
  tokenKey,
} from '@causeway/core'
import type { Queries } from '../db/database.ts'
import type { StoredLeg } from '../db/schema.ts'
import { swapChanged } from './announce.ts'
import { type PayoutRow, quoteText, type SwapRecord } from './swaps.ts'

/** The paying wallet of a network. */
export type AccountOf = (network: string) => string

export async function saveStep(
  queries: Queries,
  record: SwapRecord,
  before: Swap,
  step: Step,
  event: SwapEvent,
  accountOf: AccountOf,
  now: Date,
): Promise<PayoutRow[]> {
  const { swap } = step
  await abandonPayouts(queries, record, swap)
  await clearRefusals(queries, record, swap, now)
  await queries
    .with('history', (also) =>
      also
        .insertInto('swap_event')
        .values({ swap_id: swap.id, type: event.type, status: swap.status, data: eventText(event), at: now }),
    )
    .updateTable('swap')
    .set({
      status: swap.status,
      fail_reason: swap.failReason,
      settlement: settlementOf(swap),
      quote: quoteText(swap.quote),
      agreed_quote: quoteText(swap.originalQuote),
      due_at: step.dueAt,
      degraded_at: swap.repriceSince,
      closed_at: swap.closedAt,
      completion_seconds: secondsTaken(swap),
    })
    .where('id', '=', swap.id)
    .returning(swapChanged)
    .execute()
  for (const deposit of swap.deposits) {
    const old = before.deposits.find(({ id }) => id === deposit.id)
    if (
      old &&
      !Object.keys(deposit).some((name) => old[name as keyof typeof old] !== deposit[name as keyof typeof old])
    )
      continue
    await queries
      .updateTable('deposit')
      .set({
        state: deposit.state,
        units: deposit.units,
        output_units: deposit.outputUnits,
        refund_units: deposit.refundUnits,
        refund_address: deposit.refundAddress,
        ...(deposit.state === 'confirmed' && old?.state !== 'confirmed' ? { confirmed_at: now } : {}),
      })
      .where('id', '=', deposit.id)
      .execute()
  }
  const ordered = await insertPayouts(queries, record, swap, accountOf, now)
  await confirmPayouts(queries, record, swap, now)
  await reopenPayouts(queries, record, swap)
  await insertPostings(queries, step.postings, swap.id)
  return ordered
}

/**
 * Whether the swap delivers or refunds: an active output or refund decides it, and the payout's foreign key enforces
 * it.
 */
function settlementOf(swap: Swap): 'output' | 'refund' | null {
  const standing = swap.payouts.filter(({ state }) => state !== 'abandoned')
  if (standing.some(({ kind }) => kind === 'output')) return 'output'
  return standing.some(({ kind }) => kind === 'refund') ? 'refund' : null
}

/** The swap's duration, shown with quotes; null until an output was delivered. */
function secondsTaken({ status, closedAt, deposits }: Swap): number | null {
  if (status !== 'completed' || closedAt === null || deposits.length === 0) return null
  return (closedAt.getTime() - Math.min(...deposits.map(({ seenAt }) => seenAt.getTime()))) / 1000
}

/** Payout rows and the swap's payouts have the same order: the n-th row is the n-th payout. */
function pairs(record: SwapRecord, swap: Swap): [PayoutRow, Payout][] {
  return record.payouts.map((row, position) => {
    const payout = swap.payouts[position]
    if (payout?.kind !== row.kind || payout.depositId !== row.deposit_id)
      throw new Bug('payouts changed their order', { swap: swap.id })
    return [row, payout]
  })
}

async function abandonPayouts(queries: Queries, record: SwapRecord, swap: Swap): Promise<void> {
  for (const [row, payout] of pairs(record, swap)) {
    if (payout.state !== 'abandoned' || row.state === 'abandoned') continue
    const struck = await queries
      .updateTable('payout')
      .set({ state: 'abandoned', refused: payout.refused })
      .where('id', '=', row.id)
      .where('started', '=', false)
      .returning('id')
      .execute()
    if (struck.length === 0) throw new RetryLater('a payout was started, or marked as made, while it was to be voided')
  }
}

/** Clears the refusal of payouts whose refund address was set again. */
async function clearRefusals(queries: Queries, record: SwapRecord, swap: Swap, now: Date): Promise<void> {
  const cleared = pairs(record, swap).flatMap(([row, payout]) =>
    payout.isRefusalCleared && row.refusal_cleared_at === null ? [row.id] : [],
  )
  if (cleared.length === 0) return
  await queries.updateTable('payout').set({ refusal_cleared_at: now }).where('id', 'in', cleared).execute()
}

async function confirmPayouts(queries: Queries, record: SwapRecord, swap: Swap, now: Date): Promise<void> {
  for (const [row, payout] of pairs(record, swap)) {
    if (payout.state !== 'confirmed') continue
    const { receivedUnits = row.received_units } = payout
    if (row.state === 'confirmed' && receivedUnits === row.received_units) continue
    await queries
      .updateTable('payout')
      .set({ state: 'confirmed', confirmed_at: row.confirmed_at ?? now, received_units: receivedUnits })
      .where('id', '=', row.id)
      .execute()
  }
}

/** Reopens confirmed payouts that a reorg removed. */
async function reopenPayouts(queries: Queries, record: SwapRecord, swap: Swap): Promise<void> {
  for (const [row, payout] of pairs(record, swap)) {
    if (payout.state !== 'open' || row.state !== 'confirmed') continue
    await queries
      .updateTable('payout')
      .set({ state: 'open', confirmed_at: null, tx_hash: null, block_number: null })
      .where('id', '=', row.id)
      .execute()
  }
}

async function insertPayouts(
  queries: Queries,
  record: SwapRecord,
  swap: Swap,
  accountOf: AccountOf,
  now: Date,
): Promise<PayoutRow[]> {
  const rows: PayoutRow[] = []
  const first = record.payouts.length
  for (const [position, payout] of swap.payouts.slice(first).entries()) {
    const place = {
      ...{ swap_id: swap.id, number: first + position, kind: payout.kind, deposit_id: payout.depositId },
      sequence: payout.kind === 'return' ? nextSequence(record, swap, payout.depositId, rows) : 0,
      kept_units: payout.feeUnits,
    }
    if (payout.recordedAs !== undefined) {
      rows.push(await takeRecorded(queries, payout.recordedAs, place))
      continue
    }
    const row = await queries
      .insertInto('payout')
      .values({
        ...place,
        network: payout.token.network,
        account: accountOf(payout.token.network),
        token: tokenKey(payout.token),
        units: payout.units,
        to_address: payout.to,
        leg: payout.leg ? legText(payout.leg, payout.kind === 'sale' ? swap : null) : null,
        state: payout.state,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    rows.push(row)
  }
  return rows
}

/** `swap`: the swap of a sale, whose output is reserved while the sale is open. */
function legText({ provider, buys, minUnits, route }: PayoutLeg, swap: Swap | null): string {
  const leg: StoredLeg = { provider, buys: tokenKey(buys), minUnits: `${minUnits}`, route }
  if (!swap?.quote) return JSON.stringify(leg)
  const paid = swap.quote.legs?.purchase?.sells ?? swap.destination
  const reserves = { network: paid.network, token: tokenKey(paid), units: `${paidUnits(swap.quote)}` }
  return JSON.stringify({ ...leg, reserves })
}

/** Turns a recorded payout (restored from the journal) into a payout of the swap. */
async function takeRecorded(
  queries: Queries,
  id: string,
  place: Pick<PayoutRow, 'swap_id' | 'number' | 'kind' | 'deposit_id' | 'sequence' | 'kept_units'>,
): Promise<PayoutRow> {
  const row = await queries
    .updateTable('payout')
    .set(place)
    .where('id', '=', id)
    .where('kind', '=', 'recorded')
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new RetryLater('a recorded payout changed while its swap took it')
  return row
}

/**
 * The sequence number of the next return of a deposit. Returns follow one another: the unique index rejects an order
 * based on an older state.
 */
function nextSequence(record: SwapRecord, swap: Swap, depositId: string | null, ordered: readonly PayoutRow[]): number {
  const taken = pairs(record, swap)
    .filter(
      ([{ kind, deposit_id }, { state }]) => kind === 'return' && deposit_id === depositId && state !== 'abandoned',
    )
    .map(([{ sequence }]) => sequence)
  const now = ordered.filter(({ kind, deposit_id }) => kind === 'return' && deposit_id === depositId)
  return Math.max(-1, ...taken, ...now.map(({ sequence }) => sequence)) + 1
}

/**
 * Stores a posting. `block`: the block of a posting without a deposit or payout, such as a fee or a sweep, which is
 * booked when final.
 */
export async function insertPosting(
  queries: Queries,
  posting: Posting<Coin>,
  swapId: string | null,
  block: bigint | null = null,
): Promise<void> {
  await insertPostings(queries, [posting], swapId, block)
}

async function insertPostings(
  queries: Queries,
  postings: readonly Posting<Coin>[],
  swapId: string | null,
  block: bigint | null = null,
): Promise<void> {
  const rows = postings.flatMap(({ reason, entries }) => {
    const posting = randomUUID()
    return entries.map(({ account, owner, token, units }) => ({
      posting,
      reason,
      swap_id: swapId,
      account,
      owner,
      network: token.network,
      token: tokenKey(token),
      units,
      block_number: block,
    }))
  })
  if (rows.length > 0) await queries.insertInto('ledger_entry').values(rows).execute()
}

function eventText(event: SwapEvent): string {
  return JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}
