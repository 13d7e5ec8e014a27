/** Deposits as the chain showed them. Identity is (network, transaction, index): a second sighting updates the first. */
import type { Address, Sighting, Token } from '@causeway/core'
import { tokenKey } from '@causeway/core'
import type { Queries } from './database.ts'
import type { DepositRow } from './swaps.ts'

/** Stores a sighting. Tells whether it is new; a known one gets the block where it stands now. */
export async function recordSighting(
  queries: Queries,
  network: string,
  sighting: Sighting,
  confirmationsWanted: number,
  seenAt: Date,
): Promise<{ deposit: DepositRow; isNew: boolean }> {
  const inserted = await queries
    .insertInto('deposit')
    .values({
      network,
      tx_hash: sighting.txHash,
      index: sighting.index,
      block_number: sighting.block?.number ?? null,
      block_hash: sighting.block?.hash ?? null,
      from_address: sighting.from,
      to_address: sighting.to,
      token: tokenKey(sighting.amount.token),
      units: sighting.amount.units,
      reference: sighting.reference,
      swap_id: null,
      state: 'seen',
      confirmations_wanted: confirmationsWanted,
      seen_at: seenAt,
    })
    .onConflict((conflict) => conflict.columns(['network', 'tx_hash', 'index']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (inserted) return { deposit: inserted, isNew: true }
  const known = await queries
    .selectFrom('deposit')
    .selectAll()
    .where('network', '=', network)
    .where('tx_hash', '=', sighting.txHash)
    .where('index', '=', sighting.index)
    .executeTakeFirstOrThrow()
  const { block } = sighting
  if (!block || block.hash === known.block_hash) return { deposit: known, isNew: false }
  // A quote is held by money in a block, not by a transaction that may wait in a mempool for the price to move.
  const landsAnew = known.block_hash === null || known.state === 'gone'
  const place = {
    block_number: block.number,
    block_hash: block.hash,
    missing_from: null,
    ...(landsAnew ? { seen_at: seenAt } : {}),
  }
  await queries.updateTable('deposit').set(place).where('id', '=', known.id).execute()
  const deposit = { ...known, ...place }
  return { deposit, isNew: false }
}

export async function assignDeposit(queries: Queries, depositId: string, swapId: string): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ swap_id: swapId })
    .where('id', '=', depositId)
    .where('swap_id', 'is', null)
    .execute()
}

/** For deposits that belong to no swap: those that do are changed by `advance` only. False where it changed meanwhile. */
export async function setUnmatchedState(
  queries: Queries,
  depositId: string,
  state: string,
  from: string,
): Promise<boolean> {
  const changed = await queries
    .updateTable('deposit')
    .set({ state })
    .where('id', '=', depositId)
    .where('swap_id', 'is', null)
    .where('state', '=', from)
    .returning('id')
    .execute()
  return changed.length === 1
}

/** Deposits that reached the confirmations they want at this head. */
export async function findRipe(queries: Queries, network: string, head: bigint, limit: number): Promise<DepositRow[]> {
  return queries
    .selectFrom('deposit')
    .selectAll()
    .where('network', '=', network)
    .where('final', '=', false)
    .where('state', 'in', ['seen', 'lost'])
    .where((eb) => eb(eb('block_number', '+', eb.cast<bigint>('confirmations_wanted', 'numeric')), '<=', head + 1n))
    .orderBy('block_number')
    .limit(limit)
    .execute()
}

/** Deposits that no block holds yet. */
export async function findWaiting(queries: Queries, network: string, limit: number): Promise<DepositRow[]> {
  return queries
    .selectFrom('deposit')
    .selectAll()
    .where('network', '=', network)
    .where('final', '=', false)
    .where('state', '=', 'seen')
    .where('block_number', 'is', null)
    .orderBy('seen_at')
    .limit(limit)
    .execute()
}

/** Transactions of deposits that vanished after their money was spent: they may be on chain again any time. */
export async function lostDeposits(queries: Queries, token: Token, to: Address): Promise<string[]> {
  const rows = await queries
    .selectFrom('deposit')
    .select('tx_hash')
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('to_address', '=', to)
    .where('state', '=', 'lost')
    .execute()
  return rows.map(({ tx_hash }) => tx_hash)
}

/** Transactions of deposits that vanished from a block above this one, or were first missed above it. */
export async function findGone(queries: Queries, network: string, above: bigint, limit: number): Promise<string[]> {
  const rows = await queries
    .selectFrom('deposit')
    .select('tx_hash')
    .distinct()
    .where('network', '=', network)
    .where('final', '=', false)
    .where('state', '=', 'gone')
    .where((eb) => eb(eb.fn<bigint>('greatest', ['block_number', 'missing_from']), '>', above))
    .orderBy('tx_hash')
    .limit(limit)
    .execute()
  return rows.map(({ tx_hash }) => tx_hash)
}

/** Deposits whose block was replaced. */
export async function findFrom(queries: Queries, network: string, block: bigint): Promise<DepositRow[]> {
  return queries
    .selectFrom('deposit')
    .selectAll()
    .where('network', '=', network)
    .where('final', '=', false)
    .where('state', 'in', ['seen', 'confirmed'])
    .where('block_number', '>=', block)
    .execute()
}

/** Settled deposits below this block are beyond the reach of any reorg. */
export async function finalise(queries: Queries, network: string, block: bigint): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ final: true })
    .where('network', '=', network)
    .where('final', '=', false)
    .where('state', '=', 'confirmed')
    .where('block_number', '<=', block)
    .execute()
}

export async function setBlock(
  queries: Queries,
  depositId: string,
  block: { number: bigint; hash: string },
): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ block_number: block.number, block_hash: block.hash, missing_from: null })
    .where('id', '=', depositId)
    .execute()
}

/** No node knew it when the scan stood at this block. */
export async function setMissing(queries: Queries, depositId: string, head: bigint): Promise<void> {
  await queries.updateTable('deposit').set({ missing_from: head }).where('id', '=', depositId).execute()
}
