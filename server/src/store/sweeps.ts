/** What lies on deposit addresses, and which sweep takes it to the treasury. */
import type { SweepSource, Token } from '@causeway/core'
import { tokenKey } from '@causeway/core'
import type { Queries } from './database.ts'
import type { PayoutRow } from './swaps.ts'

export interface Unswept extends SweepSource {
  units: bigint
}

/** Deposit addresses that hold confirmed coins of a token which no sweep has taken yet, oldest first. */
export async function findUnswept(queries: Queries, token: Token, limit: number): Promise<Unswept[]> {
  return queries
    .selectFrom('deposit')
    .innerJoin('deposit_address', (join) =>
      join
        .onRef('deposit_address.network', '=', 'deposit.network')
        .onRef('deposit_address.address', '=', 'deposit.to_address'),
    )
    .select((eb) => [
      'deposit_address.address',
      'deposit_address.index',
      eb.fn.sum<bigint>('deposit.units').as('units'),
    ])
    .where('deposit.network', '=', token.network)
    .where('deposit.token', '=', tokenKey(token))
    .where('deposit.state', '=', 'confirmed')
    .where('deposit.swept_by', 'is', null)
    .groupBy(['deposit_address.address', 'deposit_address.index'])
    .orderBy('deposit_address.index')
    .limit(limit)
    .execute()
}

/** Orders a sweep and marks the deposits that it takes. */
export async function insertSweep(
  queries: Queries,
  sweep: { token: Token; account: string; sources: Unswept[]; now: Date },
): Promise<PayoutRow> {
  const { token, account, sources, now } = sweep
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
  await queries
    .updateTable('deposit')
    .set({ swept_by: payout.id })
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('state', '=', 'confirmed')
    .where('swept_by', 'is', null)
    .where(
      'to_address',
      'in',
      sources.map(({ address }) => address),
    )
    .execute()
  return payout
}

/** The addresses that a sweep empties, with what its deposits had brought there. */
export async function sweptSources(queries: Queries, payoutId: string): Promise<Unswept[]> {
  return queries
    .selectFrom('deposit')
    .innerJoin('deposit_address', (join) =>
      join
        .onRef('deposit_address.network', '=', 'deposit.network')
        .onRef('deposit_address.address', '=', 'deposit.to_address'),
    )
    .select((eb) => [
      'deposit_address.address',
      'deposit_address.index',
      eb.fn.sum<bigint>('deposit.units').as('units'),
    ])
    .where('deposit.swept_by', '=', payoutId)
    .groupBy(['deposit_address.address', 'deposit_address.index'])
    .orderBy('deposit_address.index')
    .execute()
}

/** A sweep that came to nothing, as a whole or for one address: the deposits wait for the next one. */
export async function releaseSources(queries: Queries, payoutId: string, address?: string): Promise<void> {
  let query = queries.updateTable('deposit').set({ swept_by: null }).where('swept_by', '=', payoutId)
  if (address !== undefined) query = query.where('to_address', '=', address)
  await query.execute()
}

export interface LaterDeposit {
  id: string
  units: bigint
}

/** What came to an address and is in no sweep, oldest first. */
export async function laterDeposits(queries: Queries, token: Token, address: string): Promise<LaterDeposit[]> {
  return queries
    .selectFrom('deposit')
    .select(['id', 'units'])
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('to_address', '=', address)
    .where('state', 'in', ['seen', 'confirmed'])
    .where('block_number', 'is not', null)
    .where('swept_by', 'is', null)
    .orderBy('block_number')
    .execute()
}

/** What blocks have brought to an address and the books do not show yet. */
export async function unbookedUnits(queries: Queries, token: Token, address: string): Promise<bigint> {
  const { total } = await queries
    .selectFrom('deposit')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<bigint>('units'), eb.lit(0)).as('total'))
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('to_address', '=', address)
    .where('state', '=', 'seen')
    .where('block_number', 'is not', null)
    .executeTakeFirstOrThrow()
  return BigInt(total)
}

/** Deposits that a sweep took along although it was ordered before they came. */
export async function addSources(queries: Queries, payoutId: string, deposits: LaterDeposit[]): Promise<void> {
  if (deposits.length === 0) return
  await queries
    .updateTable('deposit')
    .set({ swept_by: payoutId })
    .where(
      'id',
      'in',
      deposits.map(({ id }) => id),
    )
    .execute()
}

/** Remembers what a sweep was booked with, so that it can be taken back. */
export async function recordSwept(queries: Queries, payoutId: string, address: string, units: bigint): Promise<void> {
  await queries
    .insertInto('swept_part')
    .values({ payout_id: payoutId, address, units })
    .onConflict((conflict) => conflict.columns(['payout_id', 'address']).doUpdateSet({ units }))
    .execute()
}

export async function sweptParts(queries: Queries, payoutId: string): Promise<{ address: string; units: bigint }[]> {
  return queries
    .selectFrom('swept_part')
    .select(['address', 'units'])
    .where('payout_id', '=', payoutId)
    .orderBy('address')
    .execute()
}
