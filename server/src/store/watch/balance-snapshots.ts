/**
 * Balances of wallets at a block, stored until the block is final. Then the ledger is compared with them to the unit.
 */
import { type Address, type Token, tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type BalanceSnapshot = Selectable<Schema['balance_snapshot']>

/** The id of the newest slot when the balance was read. Later slots cannot be part of the node's answer. */
export async function lastSlot(queries: Queries): Promise<bigint> {
  const { last } = await queries
    .selectFrom('slot')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirstOrThrow()
  return last === null ? 0n : BigInt(last)
}

export interface NewBalanceSnapshot {
  account: Address
  token: Token
  units: bigint
}

export async function insertBalanceSnapshots(
  queries: Queries,
  seen: { network: string; block: { number: bigint; hash: string | null }; slotsTo: bigint; at: Date },
  holdings: readonly NewBalanceSnapshot[],
): Promise<void> {
  if (holdings.length === 0) return
  const { network, block, slotsTo, at } = seen
  const head = await queries
    .selectFrom('chain_cursor')
    .select(['head_number', 'head_hash'])
    .where('network', '=', network)
    .executeTakeFirst()
  const verified = head?.head_number === block.number && head.head_hash === block.hash
  await queries
    .insertInto('balance_snapshot')
    .values(
      holdings.map(({ account, token, units }) => ({
        network,
        account,
        token: tokenKey(token),
        block_number: block.number,
        block_hash: block.hash,
        verified,
        units,
        slots_to: slotsTo,
        at,
      })),
    )
    .execute()
}

/**
 * Verifies balances at a block that the scan has reached: a balance at that block belongs to our chain. A balance at
 * another block of the same height, or at a replaced block, does not.
 */
export async function meetHead(
  queries: Queries,
  network: string,
  head: { number: bigint; hash: string },
  replacedFrom: bigint | null,
): Promise<void> {
  await sql`
    with strayed as (
      delete from balance_snapshot where network = ${network} and (block_number >= ${replacedFrom}::numeric
        or (block_number = ${head.number} and block_hash <> ${head.hash}))
    )
    update balance_snapshot set verified = true
    where network = ${network} and block_number = ${head.number} and block_hash = ${head.hash} and not verified`.execute(
    queries,
  )
}

/** Balances of blocks up to this one, oldest first. */
export async function confirmableSnapshots(
  queries: Queries,
  token: Token,
  upTo: bigint,
  limit: number,
): Promise<BalanceSnapshot[]> {
  return queries
    .selectFrom('balance_snapshot')
    .selectAll()
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('block_number', '<=', upTo)
    .orderBy('block_number')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function dropBalanceSnapshot(queries: Queries, id: bigint): Promise<void> {
  await queries.deleteFrom('balance_snapshot').where('id', '=', id).execute()
}

/** Deletes balances at blocks below this one: they could not be compared in time. */
export async function dropOldBalanceSnapshots(queries: Queries, network: string, below: bigint): Promise<void> {
  await queries
    .deleteFrom('balance_snapshot')
    .where('network', '=', network)
    .where('block_number', '<', below)
    .execute()
}

export interface OpenTransfer {
  /** The block in which the slot's payout was confirmed; null if it was not. */
  block: bigint | null
  parts: string[]
  hashes: string[]
}

/** Open slots of an account allocated up to this one, with all their attempts. */
export async function openTransfers(
  queries: Queries,
  network: string,
  account: Address,
  slotsTo: bigint,
): Promise<OpenTransfer[]> {
  const { rows } = await sql<OpenTransfer>`
    select slot.parts,
      (select min(payout.block_number) from slot_payout join payout on payout.id = slot_payout.payout_id
        where slot_payout.slot_id = slot.id and slot_payout.live and payout.state = 'confirmed') as block,
      coalesce((select array_agg(hash order by number) from attempt where slot_id = slot.id), '{}') as hashes
    from slot where slot.network = ${network} and slot.account = ${account} and slot.state = 'open'
      and slot.id <= ${slotsTo} order by slot.id`.execute(queries)
  return rows
}

/**
 * Whether an open sweep takes from this address, be it another token: the address may pay the fee. Or one that a restore
 * replayed may: it names its deposits only once booked.
 */
export async function isBeingSwept(queries: Queries, network: string, address: Address): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from deposit join payout on payout.id = deposit.swept_by
      where deposit.network = ${network} and deposit.to_address = ${address} and payout.state = 'open')
      or exists (select from payout join recorded_payout on payout_id = payout.id where recorded_payout.kind = 'sweep'
        and payout.network = ${network} and payout.state = 'open') as found`.execute(queries)
  return rows[0]?.found ?? true
}
