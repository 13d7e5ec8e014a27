/** Withdrawals: the list of addresses, the units that may be withdrawn, and their payouts. */
import { type Token, tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { ledgerUnits } from '../ledger/balances.ts'
import { reservedSince } from '../payouts/liquidity-reservations.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

export type WithdrawalAddress = Selectable<Schema['withdrawal_address']>

/** The listed addresses of one network or of all. */
export async function listWithdrawalAddresses(queries: Queries, network?: string): Promise<WithdrawalAddress[]> {
  const all = queries.selectFrom('withdrawal_address').selectAll().where('removed_at', 'is', null)
  const wanted = network === undefined ? all : all.where('network', '=', network)
  return wanted.orderBy('network').orderBy('added_at').execute()
}

/** Reads a listed address, and keeps it listed until the end of the transaction. Null if it is not listed. */
export async function lockListed(
  queries: Queries,
  network: string,
  address: string,
): Promise<WithdrawalAddress | null> {
  const row = await queries
    .selectFrom('withdrawal_address')
    .selectAll()
    .where('network', '=', network)
    .where('address', '=', address)
    .where('removed_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  return row ?? null
}

/** Lists an address. False if it is listed already. */
export async function addWithdrawalAddress(
  queries: Queries,
  values: Pick<WithdrawalAddress, 'network' | 'address' | 'note' | 'added_by' | 'added_at'>,
): Promise<boolean> {
  const rows = await queries
    .insertInto('withdrawal_address')
    .values(values)
    .onConflict((conflict) => conflict.columns(['network', 'address']).where('removed_at', 'is', null).doNothing())
    .returning('id')
    .execute()
  return rows.length === 1
}

/** Takes an address off the list. Returns its open withdrawals, which must be told; null if it was not listed. */
export async function removeWithdrawalAddress(
  queries: Queries,
  { network, address, by, at }: { network: string; address: string; by: string; at: Date },
): Promise<PayoutRow[] | null> {
  const row = await queries
    .updateTable('withdrawal_address')
    .set({ removed_by: by, removed_at: at })
    .where('network', '=', network)
    .where('address', '=', address)
    .where('removed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row ? openTo(queries, row.id) : null
}

/** The open withdrawals to a listed address. */
export async function openTo(queries: Queries, withdrawalId: string): Promise<PayoutRow[]> {
  return queries
    .selectFrom('payout')
    .selectAll()
    .where('kind', '=', 'withdrawal')
    .where('state', '=', 'open')
    .where('withdrawal_id', '=', withdrawalId)
    .execute()
}

/**
 * Which of these payouts are withdrawals that must not be paid: the address is no longer listed, or has become the paying
 * wallet itself, after a change of keys.
 */
export async function unlistedWithdrawals(queries: Queries, payouts: readonly PayoutRow[]): Promise<Set<string>> {
  const wanted = payouts.filter(({ kind }) => kind === 'withdrawal')
  if (wanted.length === 0) return new Set()
  const ids = wanted.flatMap(({ withdrawal_id }) => withdrawal_id ?? [])
  const rows = await queries
    .selectFrom('withdrawal_address')
    .select('id')
    .where('id', 'in', ids)
    .where('removed_at', 'is', null)
    .execute()
  const listed = new Set(rows.map(({ id }) => id))
  const isWrong = ({ withdrawal_id, to_address, account }: PayoutRow) =>
    !listed.has(withdrawal_id ?? '') || to_address === account
  return new Set(wanted.filter(isWrong).map(({ id }) => id))
}

export interface Withdrawable {
  /** Neither reserved nor owed; negative if more is owed than the wallet holds. */
  free: bigint
  /** Reserved for open payouts. */
  reserved: bigint
  /** Deposits that are neither delivered nor refunded, unmatched deposits, and rewards that are earned and not ordered. */
  owed: bigint
}

/**
 * The units of a token that belong to the operator alone. The lower one of chain and ledger counts: the chain's balance may
 * have deposits that are not credited yet. The caller has locked the token (`lockInventory`).
 */
export async function withdrawable(
  queries: Queries,
  token: Token,
  wallet: { account: string; balance: { units: bigint; at: Date } },
): Promise<Withdrawable> {
  const booked = await ledgerUnits(queries, wallet.account, token)
  const reserved = await reservedSince(queries, token, wallet.balance.at)
  const owed = await owedUnits(queries, token)
  const held = booked < wallet.balance.units ? booked : wallet.balance.units
  return { free: held - reserved - owed, reserved, owed }
}

async function owedUnits(queries: Queries, token: Token): Promise<bigint> {
  const wanted = sql`network = ${token.network} and token = ${tokenKey(token)}`
  const { rows } = await sql<{ units: bigint }>`
    select coalesce(sum(units), 0)::numeric(78, 0) as units from (
      select -units as units from ledger_balance where account in ('customer', 'unmatched') and ${wanted}
      union all select -units from ledger_entry where not folded and account in ('customer', 'unmatched') and ${wanted}
      union all select earned_units - ordered_units from campaign where ${wanted}
    ) owed`.execute(queries)
  return BigInt(rows[0]?.units ?? 0)
}

/** The number of open payouts of a network: each needs gas. */
export async function countOpenPayouts(queries: Queries, network: string): Promise<bigint> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from payout where network = ${network} and state = 'open'`.execute(queries)
  return BigInt(rows[0]?.count ?? 0)
}

export async function insertWithdrawal(
  queries: Queries,
  order: { listed: WithdrawalAddress; token: Token; units: bigint; account: string; now: Date },
): Promise<PayoutRow> {
  const { listed, token, units, account, now } = order
  return queries
    .insertInto('payout')
    .values({
      ...{ swap_id: null, number: 0, kind: 'withdrawal', deposit_id: null, state: 'open', created_at: now },
      ...{ network: token.network, account, token: tokenKey(token), units },
      ...{ to_address: listed.address, withdrawal_id: listed.id },
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}
