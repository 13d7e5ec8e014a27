/** Swaps as rows and as the aggregate that `advance` works on. A swap is always read with its deposits and payouts. */
import type { Address, Catalogue, Deposit, Payout, PayoutLeg, Quote, Swap } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { PayoutTable, StoredLeg, SwapTable } from '../db/schema.ts'
import type { DepositTable } from '../db/schema-deposit.ts'
import { parseQuote, parseUserExchange, quoteParts } from './stored-quote.ts'

export type SwapRow = Selectable<SwapTable>
export type DepositRow = Selectable<DepositTable>
export type PayoutRow = Selectable<PayoutTable>

/** A swap with its deposits and payouts. */
export interface SwapRecord {
  row: SwapRow
  deposits: DepositRow[]
  payouts: PayoutRow[]
}

export async function readSwap(queries: Queries, id: string): Promise<SwapRecord | null> {
  const row = await queries.selectFrom('swap').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? withParts(queries, row) : null
}

/** Reads and locks a swap: other changes to the swap wait for the end of the transaction. */
export async function lockSwap(queries: Queries, id: string): Promise<SwapRecord | null> {
  const row = await queries.selectFrom('swap').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  return row ? withParts(queries, row) : null
}

/**
 * Locks swaps before any row that refers to them is written, always in the same order. Such a row takes a shared lock
 * on its swap, and two transactions that upgrade that lock later would deadlock.
 */
export async function lockSwapRows(queries: Queries, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await queries
    .selectFrom('swap')
    .select('id')
    .where(sql<boolean>`id = any(${[...new Set(ids)]}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
}

async function withParts(queries: Queries, row: SwapRow): Promise<SwapRecord> {
  const deposits = await queries
    .selectFrom('deposit')
    .selectAll()
    .where('swap_id', '=', row.id)
    .orderBy('seen_at')
    // Deposits of one scan have the same time, so the block decides their order.
    .orderBy('block_number')
    .orderBy('tx_hash')
    .orderBy('index')
    .execute()
  const payouts = await queries
    .selectFrom('payout')
    .selectAll()
    .where('swap_id', '=', row.id)
    .orderBy('number')
    .execute()
  return { row, deposits, payouts }
}

/**
 * The place of a deposit. `madeUpTo`: only swaps created up to this head of the network can own the deposit; null for
 * any.
 */
interface Arrival {
  network: string
  token: string
  receiver: string
  madeUpTo: bigint | null
}

/** SQL: a swap created after the deposit was mined cannot own it. Old swaps have no recorded head and pass. */
function isNotYounger({ madeUpTo }: Arrival) {
  return sql<boolean>`coalesce(made_at_head <= ${madeUpTo}, true)`
}

/**
 * The swap with this reference, if it expects this token at this address and, unless `sender` is undefined, from that
 * sender.
 */
export async function findByReference(
  queries: Queries,
  wanted: Arrival & { reference: bigint; sender: Address | null | undefined },
): Promise<string | null> {
  const { sender } = wanted
  const row = await queries
    .selectFrom('swap')
    .select('id')
    .where('reference', '=', wanted.reference)
    .where('source_network', '=', wanted.network)
    .where('source_token', '=', wanted.token)
    .where('receiver', '=', wanted.receiver)
    .where('uses_deposit_address', '=', false)
    .where('archived_at', 'is', null)
    .where(isNotYounger(wanted))
    .$if(sender !== undefined, (query) => query.where('source_address', '=', sender ?? null))
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * The swap of a deposit at a shared address. Among waiting swaps: one with this amount, preferably without a deposit;
 * else the newest. If none waits, the newest swap.
 */
export async function findByDepositAddress(
  queries: Queries,
  wanted: Arrival & { units: bigint },
): Promise<string | null> {
  const row = await queries
    .selectFrom('swap')
    .select('id')
    .where('source_network', '=', wanted.network)
    .where('receiver', '=', wanted.receiver)
    .where('source_token', '=', wanted.token)
    .where('uses_deposit_address', '=', true)
    .where('archived_at', 'is', null)
    .where(isNotYounger(wanted))
    .orderBy(
      sql`case when status <> 'user_transfer_pending' then 3 when requested_units is distinct from ${wanted.units} then 2
        when exists (select from deposit where swap_id = swap.id and state <> 'gone') then 1 else 0 end`,
    )
    .orderBy('ordinal', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Claims swaps that are due by time: closed windows, and deposits with a due decision. They are not returned again
 * before `nextAt` unless something happens to them, so failing swaps do not starve the others.
 */
export async function claimDueSwaps(
  queries: Queries,
  { now, nextAt, limit }: { now: Date; nextAt: Date; limit: number },
): Promise<string[]> {
  // Two subqueries with an index each. A swap that is locked now is left for the next round.
  const { rows } = await sql<{ id: string }>`
    with due as (
      select id from swap where due_at <= ${now} order by due_at limit ${limit} for update skip locked
    ), overdue as (
      select id from swap where status = 'user_transfer_pending' and expires_at <= ${now} and due_at is null
      order by expires_at limit ${limit} for update skip locked
    )
    update swap set due_at = ${nextAt} where id = any(array(select id from due union select id from overdue))
    returning id`.execute(queries)
  return rows.map(({ id }) => id)
}

/** The sale of the deposits that counts; null if there is none. */
export function saleIn(record: SwapRecord | null): PayoutRow | null {
  return record?.payouts.find(({ kind, state }) => kind === 'sale' && state === 'confirmed') ?? null
}

export function toSwap({ row, deposits, payouts }: SwapRecord, catalogue: Catalogue): Swap {
  const destination = catalogue.token(row.destination_network, row.destination_token)
  return {
    id: row.id,
    source: catalogue.token(row.source_network, row.source_token),
    destination,
    refuel: row.refuel ? catalogue.network(row.destination_network).nativeToken : null,
    status: row.status,
    failReason: row.fail_reason,
    destinationAddress: row.destination_address,
    sourceAddress: row.source_address,
    refundAddress: row.refund_address,
    usesDepositAddress: row.uses_deposit_address,
    usesDepository: row.uses_depository,
    usesGasless: row.uses_gasless,
    ...(row.user_exchange && { userExchange: parseUserExchange(row.user_exchange, catalogue) }),
    requestedUnits: row.requested_units,
    slippage: row.slippage,
    quote: parseQuote(row.quote, catalogue),
    originalQuote: parseQuote(row.agreed_quote, catalogue),
    quoteExpiresAt: row.quote_expires_at,
    repriceSince: row.degraded_at,
    expiresAt: row.expires_at,
    closedAt: row.closed_at,
    deposits: deposits.map(toDeposit),
    payouts: payouts.map((payout) => toPayout(payout, catalogue)),
  }
}

export function toDeposit(row: DepositRow): Deposit {
  return {
    id: row.id,
    units: row.units,
    from: row.from_address,
    to: row.to_address,
    seenAt: row.seen_at,
    cameAt: cameAt(row),
    confirmedAt: row.confirmed_at,
    state: row.state,
    outputUnits: row.output_units,
    refundUnits: row.refund_units,
    refundAddress: row.refund_address,
  }
}

/**
 * When the deposit was paid: its block's timestamp, but never later than the first sighting, because timestamps may be
 * wrong.
 */
function cameAt({ block_at: blockAt, seen_at: seenAt }: DepositRow): Date {
  return blockAt !== null && blockAt < seenAt ? blockAt : seenAt
}

function toPayout(row: PayoutRow, catalogue: Catalogue): Payout {
  return {
    kind: row.kind,
    depositId: row.deposit_id,
    token: catalogue.token(row.network, row.token),
    units: row.units,
    feeUnits: row.kept_units,
    to: row.to_address,
    state: row.state,
    // A payout that was confirmed once may have been made: only an operator decides otherwise.
    started: row.started || row.held_by === 'undone',
    refused: row.refused,
    rejected: row.rejected_at !== null,
    isRefusalCleared: row.refusal_cleared_at !== null,
    ...(row.leg && { leg: toLeg(row, row.leg, catalogue) }),
    // The row keeps the amount of a landing that a reorg undid, in case an operator finds that it was made.
    ...(row.state === 'confirmed' && row.received_units !== null && { receivedUnits: row.received_units }),
  }
}

export function toLeg({ network }: Pick<PayoutRow, 'network'>, stored: StoredLeg, catalogue: Catalogue): PayoutLeg {
  const { provider, buys, minUnits, route } = stored
  return { provider, buys: catalogue.token(network, buys), minUnits: BigInt(minUnits), route }
}

export function quoteText(quote: Quote | null): string | null {
  return quote && JSON.stringify(quoteParts(quote))
}

/** The gas surcharge for a swap's recipient. */
export async function readEffort(queries: Queries, swapId: string): Promise<bigint> {
  const row = await queries
    .selectFrom('swap')
    .select('recipient_effort')
    .where('id', '=', swapId)
    .executeTakeFirstOrThrow()
  return row.recipient_effort
}
