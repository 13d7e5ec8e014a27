/**
 * Running balances of the ledger. Entries are folded into them in the background, so that posting never waits. A
 * balance is the folded sum plus the few unfolded entries, read by one statement.
 */
import { type Address, type Token, tokenKey } from '@causeway/core'
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../db/database.ts'

/** Entries folded by one statement. */
const SLICE = 5_000
/** Entries checked per round, and the usual and maximum distance between the entries of one posting. */
const PROOF_SLICE = 5_000
const POSTING_SPREADS = [100n, 10_000n]
/** A number above any block number. */
const NEVER = 10n ** 30n

/** Folds all entries so far. Two concurrent callers take different entries. */
export async function foldLedger(queries: Queries): Promise<void> {
  for (let folded = SLICE; folded === SLICE; folded = await foldSlice(queries));
  await dropOver(queries)
}

/**
 * Removes zero balances of finished swaps. A row that is being updated is skipped, and a later entry creates the row
 * again.
 */
async function dropOver(queries: Queries): Promise<void> {
  await sql`delete from ledger_balance where ctid = any(array(
    select ctid from ledger_balance where units = 0 and account in ('customer', 'promised')
    order by owner limit ${sql.lit(SLICE)} for update skip locked))`.execute(queries)
}

/** Adds an entry to its balance and marks the entry in one statement, so that each counts exactly once. */
async function foldSlice(queries: Queries): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with taken as (
      update ledger_entry set folded = true
      -- By their ids, in order: the planner must not read the whole history.
      where id = any(array(
        select id from ledger_entry where not folded order by id limit ${sql.lit(SLICE)} for update skip locked))
      returning account, network, token, owner, units
    ), added as (
      insert into ledger_balance as balance (account, network, token, owner, units)
      select account, network, token, owner, sum(units) from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (account, network, token, owner) do update set units = balance.units + excluded.units
    )
    select count(*)::integer as folded from taken`.execute(queries)
  return rows[0]?.folded ?? 0
}

/** The ledger's current balance, as an SQL fragment. */
export function bookedNow(owner: Address, token: Token): RawBuilder<bigint> {
  const ofOwner = sql`account = 'wallet' and network = ${token.network} and token = ${tokenKey(token)} and owner = ${owner}`
  return sql`(coalesce((select units from ledger_balance where ${ofOwner}), 0)
    + coalesce((select sum(units) from ledger_entry where not folded and ${ofOwner}), 0))`
}

/** The ledger's balance of a wallet in a token. */
export async function ledgerUnits(queries: Queries, owner: Address, token: Token): Promise<bigint> {
  const { rows } = await sql<{ units: bigint }>`select ${bookedNow(owner, token)} as units`.execute(queries)
  return rows[0]?.units ?? 0n
}

export interface Expected {
  /** The minimum that the wallet must hold. */
  least: bigint
  /**
   * Deposits up to the block that are not credited yet, or are in doubt after a reorg: the wallet may hold them or not.
   */
  seen: bigint
}

/**
 * A wallet's expected balance at a final block, once everything mined up to it is booked: the current ledger balance,
 * less later credits, plus later debits. Deposits and payouts count at their present block, all else at the block where
 * it was booked. A deposit seen up to `sureTo` counts even if it could not be verified yet: no reorg reaches it, and
 * leaving it out would hide a theft of the same amount.
 */
export async function unitsAt(
  queries: Queries,
  owner: Address,
  token: Token,
  block: bigint,
  sureTo = -1n,
): Promise<Expected> {
  const key = tokenKey(token)
  const { network } = token
  const arrived = sql`from deposit where network = ${network} and to_address = ${owner} and token = ${key}`
  const sold = soldFor(owner, token)
  // Deposits in doubt, which are being verified again (`reverify`): the wallet may lack them without an alarm. When no
  // node locates one (`unlocatable`), operators are alerted, and its missing coins show as a difference.
  const doubted = sql`coalesce((select sum(units) ${arrived} and state = 'confirmed' and not final
    and block_number <= ${block} and exists (select from deposit_look look where look.network = deposit.network
      and look.tx_hash = deposit.tx_hash and class = 'reverify')), 0)`
  const { rows } = await sql<Expected>`
    select ${bookedNow(owner, token)}
      - coalesce((select sum(units) from ledger_entry where account = 'wallet' and block_number is not null
          and network = ${network} and token = ${key} and owner = ${owner} and block_number > ${block}), 0)
      - coalesce((select sum(units) ${arrived} and state = 'confirmed' and block_number > ${block}), 0)
      + coalesce((select sum(units) from payout where state = 'confirmed' and kind not in ('sweep', 'relay', 'admin')
          and network = ${network} and account = ${owner} and token = ${key} and block_number > ${block}), 0)
      - coalesce((select sum(received_units) ${sold} and block_number > ${block}), 0)
      + coalesce((select sum(units) ${arrived} and state = 'seen' and not final and block_number <= ${sureTo}), 0)
      - ${doubted} as least,
      coalesce((select sum(units) ${arrived} and state = 'seen' and not final and block_number <= ${block}
        and block_number > ${sureTo}), 0)
      + ${doubted} as seen`.execute(queries)
  return rows[0] ?? { least: 0n, seen: 0n }
}

/** The same at the newest block. */
export function unitsNow(queries: Queries, owner: Address, token: Token): Promise<Expected> {
  return unitsAt(queries, owner, token, NEVER)
}

/** Confirmed sales whose proceeds the wallet received in this token. */
function soldFor(owner: Address, token: Token): RawBuilder<unknown> {
  return sql`from payout where kind = 'sale' and state = 'confirmed' and network = ${token.network} and account = ${owner}
    and leg ->> 'buys' = ${tokenKey(token)}`
}

/** Whether anything was received by a wallet, or left it, above this block. */
export async function movedSince(queries: Queries, owner: Address, token: Token, block: bigint): Promise<boolean> {
  const key = tokenKey(token)
  const { network } = token
  const { rows } = await sql<{ moved: boolean }>`
    select exists (select from deposit where network = ${network} and to_address = ${owner} and token = ${key}
        and state in ('seen', 'confirmed', 'lost') and block_number > ${block})
      or exists (select from payout where state = 'confirmed' and network = ${network} and account = ${owner}
        and token = ${key} and block_number > ${block})
      or exists (select ${soldFor(owner, token)} and block_number > ${block})
      or exists (select from ledger_entry where account = 'wallet' and block_number is not null and network = ${network}
        and token = ${key} and owner = ${owner} and block_number > ${block}) as moved`.execute(queries)
  return rows[0]?.moved ?? true
}

export interface Holder {
  owner: Address
  /** The balance was read and is not compared yet, so it need not be read again. */
  isPending: boolean
}

/** Deposit addresses that should hold a token, least recently read first. */
export async function nextHolders(queries: Queries, token: Token, except: Address, limit: number): Promise<Holder[]> {
  const { rows } = await sql<Holder>`
    select owner, exists (select from balance_snapshot holding where holding.network = next.network and holding.token = next.token
      and holding.account = next.owner) as "isPending"
    from (
      select network, token, owner from ledger_balance
      where account = 'wallet' and units <> 0 and network = ${token.network} and token = ${tokenKey(token)}
        and owner <> ${except} order by asked_at nulls first, owner limit ${limit}
    ) next`.execute(queries)
  return rows
}

/** Marks these addresses as read. */
export async function setAsked(queries: Queries, token: Token, owners: readonly Address[], at: Date): Promise<void> {
  if (owners.length === 0) return
  await sql`update ledger_balance set asked_at = ${at} where account = 'wallet' and network = ${token.network}
    and token = ${tokenKey(token)} and owner = any(${[...owners]}::text[])`.execute(queries)
}

/**
 * The number of transfers of any token that a wallet received since its balance of this token last matched, up to a
 * block.
 */
export async function receiptsSince(
  queries: Queries,
  token: Token,
  owner: Address,
  upTo: bigint | null,
): Promise<bigint> {
  const { network } = token
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from deposit where network = ${network} and to_address = ${owner}
      and state in ('seen', 'confirmed') and block_number <= ${upTo ?? NEVER}
      and block_number > coalesce((select looked_block from ledger_balance where account = 'wallet'
        and network = ${network} and token = ${tokenKey(token)} and owner = ${owner}), 0)`.execute(queries)
  return rows[0]?.count ?? 0n
}

/**
 * Stores the block at which the balance was last compared with the chain; null means that it must be compared again
 * soon.
 */
export async function setLooked(queries: Queries, token: Token, owner: Address, block: bigint | null): Promise<void> {
  await queries
    .updateTable('ledger_balance')
    .set({ looked_block: block, ...(block === null ? { asked_at: null } : {}) })
    .where('account', '=', 'wallet')
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('owner', '=', owner)
    .execute()
}

/**
 * Whether coins may have come to this wallet by an external sweep that was not noticed yet: an address should hold
 * something and was not read since this block. Any amount counts, because more may have arrived after the sweep. The
 * present wallet may receive from any other, a former one from its own deposit addresses.
 */
export async function hasUnlooked(
  queries: Queries,
  token: Token,
  wallet: Address,
  present: Address,
  block: bigint,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ledger_balance balance where account = 'wallet' and units > 0
      and network = ${token.network} and token = ${tokenKey(token)} and owner <> ${wallet}
      and (looked_block is null or looked_block < ${block})
      and (${wallet === present} or exists (select from deposit_address where network = balance.network
        and address = balance.owner and account = ${wallet}))) as found`.execute(queries)
  return rows[0]?.found ?? true
}

/** Postings of the next slice that do not sum to zero per token. Any result is a serious bookkeeping error. */
export async function provePostings(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{ from: bigint; to: bigint | null }>`
    update ledger_proof set proven_to = coalesce((select max(id) from (select id from ledger_entry
      where id > ledger_proof.proven_to order by id limit ${sql.lit(PROOF_SLICE)}) slice), 0)
    from ledger_proof before returning before.proven_to as from, nullif(ledger_proof.proven_to, 0) as to`.execute(
    queries,
  )
  const [slice] = rows
  if (!slice || slice.to === null) return []
  let suspects = await unbalanced(queries, sql`id > ${slice.from} and id <= ${slice.to}`)
  // A posting at the edge of the slice may be split, so its other entries are read before it is reported.
  for (const spread of POSTING_SPREADS) {
    if (suspects.length === 0) return []
    suspects = await unbalanced(
      queries,
      sql`id > ${slice.from - spread} and id <= ${slice.to + spread} and posting = any(${suspects}::uuid[])`,
    )
  }
  return suspects
}

async function unbalanced(queries: Queries, where: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ posting: string }>`
    select distinct posting from (select posting from ledger_entry where ${where}
      group by posting, network, token having sum(units) <> 0) broken`.execute(queries)
  return rows.map(({ posting }) => posting)
}
