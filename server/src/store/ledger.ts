/** The books, read: what a wallet should hold, what is in motion, and whether every posting balances. */
import { type Address, type Token, tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from './database.ts'
import type { Schema } from './schema.ts'

/** What the books say a wallet holds of a token. */
export async function ledgerUnits(queries: Queries, owner: Address, token: Token): Promise<bigint> {
  const { units } = await queries
    .selectFrom('ledger_entry')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<bigint>('units'), eb.lit(0)).as('units'))
    .where('account', '=', 'wallet')
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow()
  return BigInt(units)
}

/** Deposit addresses that should hold something of a token. */
export async function ledgerHolders(
  queries: Queries,
  token: Token,
  except: Address,
  limit: number,
): Promise<{ owner: Address; units: bigint }[]> {
  return queries
    .selectFrom('ledger_entry')
    .select((eb) => ['owner', eb.fn.sum<bigint>('units').as('units')])
    .where('account', '=', 'wallet')
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('owner', '!=', except)
    .groupBy('owner')
    .having((eb) => eb.fn.sum('units'), '!=', 0)
    .orderBy('owner')
    .limit(limit)
    .execute()
}

/** Whether coins of a wallet are in motion: then its balance and the books may differ for a while. */
export async function isInMotion(queries: Queries, token: Token, owner: Address): Promise<boolean> {
  const seen = await queries
    .selectFrom('deposit')
    .select('id')
    .where('network', '=', token.network)
    .where('to_address', '=', owner)
    .where('token', '=', tokenKey(token))
    .where('state', '=', 'seen')
    .where('final', '=', false)
    .where('block_number', 'is not', null)
    .limit(1)
    .execute()
  if (seen.length > 0) return true
  const open = await queries
    .selectFrom('slot')
    .select('id')
    .where('network', '=', token.network)
    .where('state', '=', 'open')
    .limit(1)
    .execute()
  return open.length > 0
}

/**
 * What can be missing from a wallet in motion although the books are right: payouts that landed and do not count yet,
 * fees that are booked when final, and deposits that count already and that a reorg may take back. `feeForEach` is what a
 * payout may cost at most; null where fees are paid in another token.
 */
export async function unsettledUnits(
  queries: Queries,
  token: Token,
  owner: Address,
  feeForEach: bigint | null,
): Promise<bigint> {
  const counted = await queries
    .selectFrom('deposit')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<bigint>('units'), eb.lit(0)).as('units'))
    .where('network', '=', token.network)
    .where('to_address', '=', owner)
    .where('token', '=', tokenKey(token))
    .where('state', '=', 'confirmed')
    .where('final', '=', false)
    .executeTakeFirstOrThrow()
  const leaving = await queries
    .selectFrom('slot')
    .innerJoin('slot_payout', 'slot_payout.slot_id', 'slot.id')
    .innerJoin('payout', 'payout.id', 'slot_payout.payout_id')
    .select(['payout.token', 'payout.units', 'payout.state', 'payout.fee_units'])
    .select((eb) =>
      eb
        .selectFrom('deposit')
        .select((of) => of.fn.countAll<bigint>().as('sources'))
        .whereRef('swept_by', '=', 'payout.id')
        .as('sources'),
    )
    .where('slot.network', '=', token.network)
    .where('slot.account', '=', owner)
    .where('slot.state', '=', 'open')
    .where('slot_payout.live', '=', true)
    .execute()
  let units = BigInt(counted.units)
  for (const payout of leaving) {
    if (payout.state === 'open' && payout.token === tokenKey(token)) units += payout.units
    // What landed may yet be displaced by a dearer attempt.
    if (feeForEach !== null) units += (payout.fee_units ?? 0n) + feeForEach * (1n + (payout.sources ?? 0n))
  }
  return units
}

export interface Finding {
  chainUnits: bigint
  ledgerUnits: bigint
  opened: boolean
  /** In motion, and less was there than all that may have left explains. */
  short: boolean
  /** Where the scan stood when this difference was first found. */
  sinceBlock: bigint | null
}

/** What the last reconciliation of a wallet and token found. */
export async function lastFinding(queries: Queries, owner: Address, token: Token): Promise<Finding | null> {
  const row = await queries
    .selectFrom('reconciliation')
    .select([
      'chain_units as chainUnits',
      'ledger_units as ledgerUnits',
      'opened',
      'short',
      'since_block as sinceBlock',
    ])
    .where('network', '=', token.network)
    .where('account', '=', owner)
    .where('token', '=', tokenKey(token))
    .executeTakeFirst()
  return row ?? null
}

/** Until the end of the transaction nobody else acts on what was found of this wallet and token. */
export async function lockFinding(queries: Queries, owner: Address, token: Token): Promise<void> {
  await queries
    .selectFrom('reconciliation')
    .select('opened')
    .where('network', '=', token.network)
    .where('account', '=', owner)
    .where('token', '=', tokenKey(token))
    .forUpdate()
    .execute()
}

export async function saveFinding(
  queries: Queries,
  owner: Address,
  token: Token,
  finding: Finding,
  at: Date,
): Promise<void> {
  const { chainUnits, ledgerUnits, opened, short, sinceBlock } = finding
  const values = { chain_units: chainUnits, ledger_units: ledgerUnits, opened, short, since_block: sinceBlock, at }
  await queries
    .insertInto('reconciliation')
    .values({ network: token.network, account: owner, token: tokenKey(token), ...values })
    .onConflict((conflict) => conflict.columns(['network', 'account', 'token']).doUpdateSet(values))
    .execute()
}

export async function listFindings(queries: Queries): Promise<Selectable<Schema['reconciliation']>[]> {
  return queries.selectFrom('reconciliation').selectAll().orderBy('network').orderBy('account').execute()
}

/** Forgets what was found, so that the next reconciliation takes the wallet as it is: the operator accepts a difference. */
export async function forgetFindings(queries: Queries, network: string, owner: Address): Promise<void> {
  await queries.deleteFrom('reconciliation').where('network', '=', network).where('account', '=', owner).execute()
}

/** Postings that do not sum to zero in each token. There are none, or something is badly wrong. */
export async function unbalancedPostings(queries: Queries, limit: number): Promise<string[]> {
  const { rows } = await sql<{ posting: string }>`
    select posting from ledger_entry group by posting, network, token having sum(units) <> 0 limit ${limit}`.execute(
    queries,
  )
  return rows.map(({ posting }) => posting)
}
