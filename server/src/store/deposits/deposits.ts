/**
 * Deposits as the chain showed them. The place of one is (network, transaction, index), and one row of a place is live: what
 * the chain shows there now. A transaction that landed again may have brought something else; what it was before is kept.
 */
import type { Address, Sighting, Token } from '@causeway/core'
import { tokenKey } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import { roundRobin } from '../db/round-robin.ts'
import type { DepositRow } from '../swaps/swaps.ts'

type Place = Pick<Sighting, 'txHash' | 'index'>

/** What the chain showed last at a place. */
export async function liveDeposit(queries: Queries, network: string, place: Place): Promise<DepositRow | null> {
  const row = await atPlace(queries, network, place).where('replaced', '=', false).executeTakeFirst()
  return row ?? null
}

/** All that the chain has ever shown at a place, what is live there first. */
export function depositsAt(queries: Queries, network: string, place: Place): Promise<DepositRow[]> {
  // Each half by an index of its own.
  return atPlace(queries, network, place)
    .where('replaced', '=', false)
    .unionAll(atPlace(queries, network, place).where('replaced', '=', true))
    .orderBy('replaced')
    .orderBy('seen_at', 'desc')
    .execute()
}

/** What else the chain has shown there before. */
export function formerDeposits(queries: Queries, network: string, place: Place): Promise<DepositRow[]> {
  return atPlace(queries, network, place).where('replaced', '=', true).orderBy('seen_at', 'desc').execute()
}

export function placeOf({ txHash, index }: Place): string {
  return `${txHash} ${index}`
}

/** Those of these places at which the chain has ever shown something, by their names. */
export async function takenPlaces(queries: Queries, network: string, places: readonly Place[]): Promise<Set<string>> {
  const hashes = [...new Set(places.map(({ txHash }) => txHash))]
  // Each half by an index of its own.
  const { rows } = await sql<Place>`
    select tx_hash as "txHash", index from deposit
      where network = ${network} and tx_hash = any(${hashes}::text[]) and not replaced
    union all
    select tx_hash, index from deposit
      where network = ${network} and tx_hash = any(${hashes}::text[]) and replaced`.execute(queries)
  return new Set(rows.map(placeOf))
}

function atPlace(queries: Queries, network: string, { txHash, index }: Place) {
  return queries
    .selectFrom('deposit')
    .selectAll()
    .where('network', '=', network)
    .where('tx_hash', '=', txHash)
    .where('index', '=', index)
}

/** Reads a deposit and keeps others from changing it; its swap, if it has one, is locked before. */
export async function lockDeposit(queries: Queries, id: string): Promise<DepositRow | null> {
  const row = await queries.selectFrom('deposit').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  return row ?? null
}

/** Stores a sighting. Null where its place is taken: somebody else stored it a moment ago. */
export async function insertDeposit(
  queries: Queries,
  network: string,
  sighting: Sighting,
  depth: number,
  seenAt: Date,
): Promise<DepositRow | null> {
  const [inserted] = await insertDeposits(queries, network, [{ sighting, depth }], seenAt)
  return inserted ?? null
}

/** The same of many; of those whose place is taken nothing is answered. `depth`: the confirmations that each wants. */
export async function insertDeposits(
  queries: Queries,
  network: string,
  wanted: readonly { sighting: Sighting; depth: number }[],
  seenAt: Date,
): Promise<DepositRow[]> {
  if (wanted.length === 0) return []
  return queries
    .insertInto('deposit')
    .values(
      wanted.map(({ sighting, depth }) => ({
        network,
        tx_hash: sighting.txHash,
        index: sighting.index,
        block_number: sighting.block?.number ?? null,
        block_hash: sighting.block?.hash ?? null,
        from_address: sighting.refundableSender,
        senders: [...sighting.fundingAddresses],
        alias: sighting.alias ?? null,
        to_address: sighting.to,
        token: tokenKey(sighting.amount.token),
        units: sighting.amount.units,
        reference: sighting.reference,
        swap_id: null,
        state: 'seen' as const,
        confirmations_wanted: depth,
        final_only: sighting.requiresFinality ?? false,
        seen_at: seenAt,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute()
}

/**
 * The same deposit was seen again: it gets the block where it stands now, and, while nothing was credited for it, what it
 * brings now. Who was once among its senders is never forgotten.
 */
export async function refreshDeposit(
  queries: Queries,
  known: DepositRow,
  sighting: Sighting,
  seenAt: Date,
): Promise<DepositRow> {
  const { block, refundableSender: from, amount, alias } = sighting
  const hasMoved = block !== null && block.hash !== known.block_hash
  // A quote is held by money in a block, not by a transaction that may wait in a mempool for the price to move.
  const landsAnew = hasMoved && (known.block_hash === null || known.state === 'gone')
  const isCredited = known.state === 'confirmed' || known.state === 'lost'
  const fresh = {
    ...(hasMoved ? { block_number: block.number, block_hash: block.hash, missing_from: null } : {}),
    ...(landsAnew ? { seen_at: seenAt, block_at: null } : {}),
    ...(isCredited ? {} : { units: amount.units, from_address: from }),
    senders: [...new Set([...known.senders, ...sighting.fundingAddresses])],
    alias: alias ?? known.alias,
  }
  const isNews = (Object.keys(fresh) as (keyof typeof fresh)[]).some((name) => `${fresh[name]}` !== `${known[name]}`)
  if (isNews) await queries.updateTable('deposit').set(fresh).where('id', '=', known.id).execute()
  return { ...known, ...fresh }
}

/** Another deposit stands at its place now, or it does again. */
export async function setReplaced(queries: Queries, depositId: string, replaced: boolean): Promise<void> {
  await queries.updateTable('deposit').set({ replaced }).where('id', '=', depositId).execute()
}

export async function assignDeposit(queries: Queries, depositId: string, swapId: string): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ swap_id: swapId })
    .where('id', '=', depositId)
    .where('swap_id', 'is', null)
    .execute()
}

/**
 * Whether money of the same transaction went already for a deposit that is not where it was: what stands beside it may be the same coins
 * at another place. Not where both stood beside each other before. `shaken`: that is not known yet.
 */
export async function hasSpentSibling(queries: Queries, deposit: DepositRow): Promise<'lost' | 'shaken' | null> {
  const { rows } = await sql<{ isClear: boolean }>`
    select state = 'lost' or shaken_told as "isClear" from deposit
    where network = ${deposit.network} and lower(tx_hash) = lower(${deposit.tx_hash}) and tx_hash = ${deposit.tx_hash}
      and id <> ${deposit.id}
      and (state = 'lost' or (state = 'confirmed' and shaken_at is not null and not final))
      and not replaced_blocks && ${deposit.replaced_blocks}::text[]`.execute(queries)
  if (rows.length === 0) return null
  return rows.some(({ isClear }) => isClear) ? 'lost' : 'shaken'
}

/** Its swap has been told that it is gone: it is nobody's now, for a person to decide, also where one had given it to that swap. */
export async function takeFromSwap(queries: Queries, depositId: string): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ swap_id: null, state: 'seen', resolution: null })
    .where('id', '=', depositId)
    .where('state', '=', 'gone')
    .execute()
}

/** For deposits that belong to no swap: those that do are changed by `advance` only. Null where it changed meanwhile. */
export async function setUnmatchedState(
  queries: Queries,
  depositId: string,
  state: 'seen' | 'confirmed' | 'gone',
  from: DepositRow['state'],
): Promise<DepositRow | null> {
  const changed = await queries
    .updateTable('deposit')
    .set({ state })
    .where('id', '=', depositId)
    .where('swap_id', 'is', null)
    .where('state', '=', from)
    .returningAll()
    .executeTakeFirst()
  return changed ?? null
}

/** What a token's base unit is worth in whatever measure all of them share; null for those that nobody knows the worth of. */
export type Weights = ReadonlyMap<string, bigint | null>

/** Deposits that reached the confirmations they want at this head, what is worth most first: dust never keeps it waiting. */
export async function findConfirmable(
  queries: Queries,
  network: string,
  head: bigint,
  weights: Weights,
  limit: number,
): Promise<DepositRow[]> {
  const known = [...weights].filter(([, weight]) => weight !== null)
  return queries
    .selectFrom('deposit')
    .selectAll()
    .where('network', '=', network)
    .where('final', '=', false)
    .where('state', '=', 'seen')
    .where((eb) => eb(eb('block_number', '+', eb.cast<bigint>('confirmations_wanted', 'numeric')), '<=', head + 1n))
    .orderBy(
      sql`units * (select weight from unnest(${known.map(([token]) => token)}::text[],
        ${known.map(([, weight]) => `${weight}`)}::numeric[]) as known (token, weight) where known.token = deposit.token)`,
      (order) => order.desc().nullsFirst(),
    )
    .orderBy('block_number')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Deposits that vanished after their money was spent. However many there are, each gets its turn. */
export async function findLost(queries: Queries, network: string, limit: number): Promise<DepositRow[]> {
  const { rows } = await roundRobin<DepositRow>(
    sql`deposit where network = ${network} and not final and state = 'lost' and not replaced`,
    limit,
  ).execute(queries)
  return rows
}

/** Money in blocks that a reorg may still take back. */
export interface UnfinalDeposit {
  id: string
  swap: string | null
  txHash: string
  senders: string[]
  token: string
  units: bigint
  state: string
  depth: number
  finalOnly: boolean
}

/** Oldest first. As many as came within the final depth of a network, those included that were lost there and may land again. */
export async function unfinalDeposits(
  queries: Queries,
  network: string,
  finalBelow: bigint,
): Promise<UnfinalDeposit[]> {
  const { rows } = await sql<UnfinalDeposit>`
    select id, swap_id as swap, tx_hash as "txHash", senders, token, units, state, confirmations_wanted as depth,
      final_only as "finalOnly"
    from (
      select * from deposit where network = ${network} and not final and state in ('seen', 'confirmed')
        and block_number is not null
      union all
      select * from deposit where network = ${network} and not final and state = 'lost' and not replaced
        and block_number > ${finalBelow}
    ) unfinal order by block_number, seen_at, index, id`.execute(queries)
  return rows
}

/** How many confirmations each of these must wait for. */
export async function setDepths(queries: Queries, depths: readonly { id: string; depth: number }[]): Promise<void> {
  if (depths.length === 0) return
  await sql`update deposit set confirmations_wanted = judged.depth
    from unnest(${depths.map(({ id }) => id)}::uuid[], ${depths.map(({ depth }) => depth)}::integer[]) as judged (id, depth)
    where deposit.id = judged.id and deposit.state in ('seen', 'lost')`.execute(queries)
}

/** Deposits that no block holds yet. Some wait in a mempool for weeks: where there are many, each gets its turn. */
export async function findWaiting(queries: Queries, network: string, limit: number): Promise<DepositRow[]> {
  const { rows } = await roundRobin<DepositRow>(
    sql`deposit where network = ${network} and not final and state = 'seen' and block_number is null`,
    limit,
  ).execute(queries)
  return rows
}

/** Where deposits stood that vanished after their money was spent: they may be there again any time. So many at most. */
export async function lostDeposits(queries: Queries, token: Token, to: Address, limit: number) {
  return vanished(queries, token, to, 'lost').limit(limit).execute()
}

/** The same of deposits that vanished before anything of them was spent, as long as they are looked up. */
export async function goneDeposits(queries: Queries, token: Token, to: Address, above: bigint, limit: number) {
  return vanished(queries, token, to, 'gone')
    .where('final', '=', sql.lit(false))
    .where((eb) => eb(eb.fn<bigint>('greatest', ['block_number', 'missing_from']), '>', above))
    .limit(limit)
    .execute()
}

/** In words that the indexes know, also where the statement is planned once for all. */
function vanished(queries: Queries, token: Token, to: Address, state: 'lost' | 'gone') {
  return queries
    .selectFrom('deposit')
    .select(['tx_hash', 'index'])
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('to_address', '=', to)
    .where('state', '=', sql.lit(state))
    .where('replaced', '=', sql.lit(false))
    .orderBy('id')
}

/** Transactions of deposits that vanished from a block above this one, or were first missed above it. */
export async function findGone(queries: Queries, network: string, above: bigint, limit: number): Promise<string[]> {
  // In no order: however many there are, each gets its turn.
  const rows = await queries
    .selectFrom('deposit')
    .select('tx_hash')
    .where('network', '=', network)
    .where('final', '=', false)
    .where('state', '=', 'gone')
    .where('replaced', '=', false)
    .where((eb) => eb(eb.fn<bigint>('greatest', ['block_number', 'missing_from']), '>', above))
    .groupBy('tx_hash')
    .orderBy(sql`random()`)
    .limit(limit)
    .execute()
  return rows.map(({ tx_hash }) => tx_hash)
}

/**
 * Settled deposits below this block are beyond the reach of any reorg; but not those that are still to be looked up after
 * one: the block that they name may not be there any more, however many are on top of its number.
 */
export async function finalise(queries: Queries, network: string, block: bigint): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ final: true })
    .where('network', '=', network)
    .where('final', '=', false)
    .where('state', '=', 'confirmed')
    .where('block_number', '<=', block)
    .where('shaken_at', 'is', null)
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

/** Whether a deposit was seen when the price of its swap held no more: then it matters when its block was made. */
export async function wasSeenLate(queries: Queries, depositId: string): Promise<boolean> {
  const row = await queries
    .selectFrom('deposit')
    .innerJoin('swap', 'swap.id', 'deposit.swap_id')
    .select('deposit.id')
    .where('deposit.id', '=', depositId)
    .where('requested_units', 'is not', null)
    .whereRef('seen_at', '>', 'quote_expires_at')
    .executeTakeFirst()
  return row !== undefined
}

export async function setBlockTime(queries: Queries, depositId: string, at: Date): Promise<void> {
  await queries.updateTable('deposit').set({ block_at: at }).where('id', '=', depositId).execute()
}

/** No node knew it when the scan stood at this block. */
export async function setMissing(queries: Queries, depositId: string, head: bigint): Promise<void> {
  await queries.updateTable('deposit').set({ missing_from: head }).where('id', '=', depositId).execute()
}
