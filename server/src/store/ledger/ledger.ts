/** Findings of the reconciliation: the chain's balance, the ledger's balance, and the explanation of a difference. */
import { type Address, type Token, tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

/**
 * The maximum that can be missing from a busy wallet although the ledger is right: payouts that were mined and are not
 * confirmed, fees that are booked when final, and credited deposits that a reorg may remove, except alerted ones. Fees
 * are as high as the signed bytes allow, or `unknownFee` if that is unknown; null if they are paid in another token.
 */
export async function unsettledUnits(
  queries: Queries,
  token: Token,
  owner: Address,
  unknownFee: bigint | null,
): Promise<bigint> {
  // The condition is written exactly as in the index, so that a prepared statement uses it.
  const counted = await sql<{ units: bigint }>`
    select coalesce(sum(units), 0) as units from deposit where network = ${token.network} and to_address = ${owner}
      and token = ${tokenKey(token)} and state = 'confirmed' and not final
      and not exists (select from deposit_look look where look.network = deposit.network
        and look.tx_hash = deposit.tx_hash and class = 'unlocatable')`.execute(queries)
  const leaving = await queries
    .selectFrom('slot')
    .innerJoin('slot_payout', 'slot_payout.slot_id', 'slot.id')
    .innerJoin('payout', 'payout.id', 'slot_payout.payout_id')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<bigint>('payout.units'), eb.lit(0)).as('units'))
    .where('slot.network', '=', token.network)
    .where('slot.account', '=', owner)
    .where('slot.state', '=', 'open')
    .where('slot_payout.live', '=', true)
    .where('payout.state', '=', 'open')
    .where('payout.token', '=', tokenKey(token))
    .executeTakeFirstOrThrow()
  const units = BigInt(counted.rows[0]?.units ?? 0) + BigInt(leaving.units)
  return unknownFee === null ? units : units + (await feesOnTheWay(queries, token.network, owner, unknownFee))
}

/**
 * Signed fees that are not settled, at the highest of each slot: a mined attempt may still be replaced by a higher-fee
 * one.
 */
async function feesOnTheWay(queries: Queries, network: string, account: Address, unknownFee: bigint): Promise<bigint> {
  const { rows } = await sql<{ ceiling: bigint | null; moves: number }>`
    select case when count(attempt.number) = count(attempt.fee_ceiling) then max(attempt.fee_ceiling) end as ceiling,
      greatest((select count(*) from slot_payout left join deposit on deposit.swept_by = slot_payout.payout_id
        where slot_payout.slot_id = slot.id and slot_payout.live), 1)::integer as moves
    from slot join attempt on attempt.slot_id = slot.id
    where slot.network = ${network} and slot.account = ${account} and slot.state = 'open' group by slot.id`.execute(
    queries,
  )
  return rows.reduce((sum, { ceiling, moves }) => sum + (ceiling ?? unknownFee * BigInt(moves)), 0n)
}

export type Finding = Selectable<Schema['reconciliation']>

/** The latest finding for a wallet and token; null if there is none. */
export async function lastFinding(queries: Queries, owner: Address, token: Token): Promise<Finding | null> {
  const row = await findingsOf(queries, owner, token).executeTakeFirst()
  return row ?? null
}

/** Like `lastFinding`, locked until the end of the transaction. */
export async function lockFinding(queries: Queries, owner: Address, token: Token): Promise<Finding | null> {
  const row = await findingsOf(queries, owner, token).forUpdate().executeTakeFirst()
  return row ?? null
}

function findingsOf(queries: Queries, owner: Address, token: Token) {
  return queries
    .selectFrom('reconciliation')
    .selectAll()
    .where('network', '=', token.network)
    .where('account', '=', owner)
    .where('token', '=', tokenKey(token))
}

/** Stores a node's balance with its block and time, together with the ledger's balance at the same moment. */
export async function saveSeen(
  queries: Queries,
  owner: Address,
  token: Token,
  seen: { chainUnits: bigint; ledgerUnits: bigint; block: bigint | null; at: Date },
): Promise<void> {
  const { chainUnits, ledgerUnits, block, at } = seen
  const values = { chain_units: chainUnits, ledger_units: ledgerUnits, block_number: block, seen_at: at, at }
  await queries
    .insertInto('reconciliation')
    .values({ network: token.network, account: owner, token: tokenKey(token), opened: false, ...values })
    .onConflict((conflict) => conflict.columns(['network', 'account', 'token']).doUpdateSet(values))
    .execute()
}

/** Stores the results of comparing that balance. */
export async function saveFinding(
  queries: Queries,
  owner: Address,
  token: Token,
  values: Partial<
    Pick<
      Finding,
      | 'opened'
      | 'short'
      | 'found_units'
      | 'found_block'
      | 'found_verified'
      | 'surplus_units'
      | 'since_block'
      | 'since_at'
    >
  >,
): Promise<void> {
  await queries
    .updateTable('reconciliation')
    .set(values)
    .where('network', '=', token.network)
    .where('account', '=', owner)
    .where('token', '=', tokenKey(token))
    .execute()
}

export async function dropFinding(queries: Queries, owner: Address, token: Token): Promise<void> {
  await queries
    .deleteFrom('reconciliation')
    .where('network', '=', token.network)
    .where('account', '=', owner)
    .where('token', '=', tokenKey(token))
    .execute()
}

/** Deposit addresses with an unsettled finding. They are checked again soon. */
export async function differingAddresses(queries: Queries, token: Token, except: Address, most: number) {
  const rows = await queries
    .selectFrom('reconciliation')
    .select('account')
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('account', '<>', except)
    // A balance that was read and is not compared yet need not be read again.
    .where(
      sql<boolean>`not exists (select from balance_snapshot holding where holding.network = reconciliation.network
        and holding.token = reconciliation.token and holding.account = reconciliation.account)`,
    )
    .orderBy('seen_at')
    .limit(most)
    .execute()
  return rows.map(({ account }) => account)
}

export async function listFindings(queries: Queries): Promise<Finding[]> {
  return queries.selectFrom('reconciliation').selectAll().orderBy('network').orderBy('account').execute()
}

/** An operator has checked the wallet: earlier findings no longer count as a first check. The ledger stays open. */
export async function calmFindings(queries: Queries, network: string, owner: Address): Promise<void> {
  await queries
    .updateTable('reconciliation')
    .set({ short: false, found_units: null, found_block: null })
    .where('network', '=', network)
    .where('account', '=', owner)
    .execute()
}

/** All postings of the whole history that do not sum to zero per token. */
export async function unbalancedPostings(queries: Queries, limit: number): Promise<string[]> {
  const { rows } = await sql<{ posting: string }>`
    select posting from ledger_entry group by posting, network, token having sum(units) <> 0 limit ${limit}`.execute(
    queries,
  )
  return rows.map(({ posting }) => posting)
}
