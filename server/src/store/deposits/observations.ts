/**
 * Node reports about deposits, the blocks they name, and the transactions to inspect. Written by `recordObservations`
 * only. The rules are in `core/src/deposit`.
 */
import type {
  BlockRecord,
  BlockRef,
  BlockState,
  DepositTransfer,
  KnownDeposit,
  Look,
  LookClass,
  Observation,
  Observer,
  ScanClock,
} from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import { roundRobin } from '../db/round-robin.ts'
import type { DepositRow } from '../swaps/swaps.ts'

/** Transactions per statement, limited because the number of parameters is bounded. */
const BATCH = 500

/**
 * Locks the observations of a network or of one transaction. A scan excludes every other writer of its network; an
 * inspection or a hint excludes only writers of the same transaction.
 */
export async function lockSubjects(queries: Queries, network: string, txHash: string | null): Promise<void> {
  if (txHash === null)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`deposits ${network}`}, 0))`.execute(queries)
  else
    await sql`select pg_advisory_xact_lock_shared(hashtextextended(${`deposits ${network}`}, 0)),
      pg_advisory_xact_lock(hashtextextended(${`deposit ${network} ${txHash}`}, 0))`.execute(queries)
}

/** The scan's clock (its position and head). Read it before a node is asked, so that a late answer is recognised. */
export async function readClock(queries: Queries, network: string): Promise<ScanClock> {
  const row = await queries
    .selectFrom('chain_cursor')
    .select(['generation', 'scanned_to'])
    .where('network', '=', network)
    .executeTakeFirst()
  return { generation: row?.generation ?? 0n, head: row?.scanned_to ?? 0n }
}

type NamedBlock = BlockRef & BlockRecord

/** Everything that is stored about some transactions. */
export interface Subjects {
  deposits: DepositRow[]
  observations: { txHash: string; observation: Observation }[]
  blocks: ReadonlyMap<string, NamedBlock>
  looks: { txHash: string; class: LookClass }[]
}

/** `also`: blocks that new observations name. The caller has locked the deposits' swaps. */
export async function readSubjects(
  queries: Queries,
  network: string,
  txHashes: readonly string[],
  also: readonly string[],
): Promise<Subjects> {
  const mine = sql`network = ${network} and tx_hash = any(${txHashes}::text[])`
  // Two subqueries, because each uses its own index.
  const { rows: deposits } = await sql<DepositRow>`select * from deposit where id = any(array(
    select id from deposit where ${mine} and not replaced union all select id from deposit where ${mine} and replaced))
    order by seen_at desc, id for update`.execute(queries)
  const { rows } = await sql<ObservationRow>`select * from deposit_observation where ${mine}`.execute(queries)
  const { rows: looks } = await sql<{ txHash: string; class: LookClass }>`
    select tx_hash as "txHash", class from deposit_look where ${mine}`.execute(queries)
  const hashes = [...rows.map((row) => row.block_hash), ...deposits.map((row) => row.block_hash), ...also]
  const { rows: blocks } = await sql<NamedBlock>`select hash, number, state, generation, since from deposit_block
    where network = ${network} and hash = any(${[...new Set(hashes.filter((hash) => hash !== null))]}::text[])`.execute(
    queries,
  )
  return {
    deposits,
    observations: rows.map((row) => ({ txHash: row.tx_hash, observation: toObservation(row) })),
    blocks: new Map(blocks.map((block) => [block.hash, block])),
    looks,
  }
}

/** The swaps of these transactions' deposits. Lock them before the deposits. */
export async function swapsOf(queries: Queries, network: string, txHashes: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select distinct swap_id as id from deposit
    where network = ${network} and tx_hash = any(${txHashes}::text[]) and not replaced and swap_id is not null
    union select swap_id from deposit
    where network = ${network} and tx_hash = any(${txHashes}::text[]) and replaced and swap_id is not null`.execute(
    queries,
  )
  return rows.map(({ id }) => id)
}

interface ObservationRow {
  tx_hash: string
  generation: bigint
  head: bigint
  by: Observer
  kind: 'seen' | 'absent'
  block_number: bigint | null
  block_hash: string | null
  confirmations: number
  transfers: (Omit<DepositTransfer, 'units' | 'reference'> & { units: string; reference: string | null })[]
}

function toObservation(row: ObservationRow): Observation {
  const { by, generation, head, block_number: number, block_hash: hash, confirmations } = row
  const clock = { generation, head }
  if (row.kind === 'absent') return { kind: 'absent', by, clock }
  const transfers = row.transfers.map(({ units, reference, ...rest }) => ({
    ...rest,
    units: BigInt(units),
    reference: reference === null ? null : BigInt(reference),
  }))
  const block = number === null || hash === null ? null : { number, hash }
  return { kind: 'seen', by, clock, block, confirmations, transfers }
}

export function toKnownDeposit(row: DepositRow): KnownDeposit {
  const { block_number: number, block_hash: hash } = row
  return {
    id: row.id,
    transfer: {
      ...{ index: row.index, token: row.token, to: row.to_address, from: row.from_address, senders: row.senders },
      ...{
        units: row.units,
        reference: row.reference,
        alias: row.alias,
        doubt: null,
        requiresFinality: row.final_only,
      },
    },
    block: number === null || hash === null ? null : { number, hash },
    ...{ state: row.state, spentUnits: row.output_units + row.refund_units, swapId: row.swap_id },
    ...{ isSuperseded: row.replaced, isFinal: row.final, required: row.confirmations_wanted },
  }
}

export async function insertObservations(
  queries: Queries,
  network: string,
  reports: readonly { txHash: string; observation: Observation }[],
  at: Date,
): Promise<void> {
  const values = reports.map(({ txHash, observation: { kind, by, clock, ...seen } }) => ({
    ...{ network, tx_hash: txHash, kind, by, generation: clock.generation, head: clock.head, at },
    block_number: 'block' in seen ? (seen.block?.number ?? null) : null,
    block_hash: 'block' in seen ? (seen.block?.hash ?? null) : null,
    confirmations: 'block' in seen ? seen.confirmations : 0,
    transfers: toJson('block' in seen ? seen.transfers : []),
  }))
  for (let start = 0; start < values.length; start += BATCH) {
    await queries
      .insertInto('deposit_observation')
      .values(values.slice(start, start + BATCH))
      .execute()
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each))
}

/** Replaces the scheduled inspections of these transactions. */
export async function saveLooks(
  queries: Queries,
  network: string,
  txHashes: readonly string[],
  looks: readonly ({ txHash: string } & Look)[],
): Promise<void> {
  await sql`with wanted as (
      select * from unnest(${looks.map(({ txHash }) => txHash)}::text[], ${looks.map((look) => look.class)}::text[],
        ${looks.map(({ due }) => `${due}`)}::numeric[], ${looks.map(({ since }) => `${since}`)}::numeric[])
        as wanted (tx_hash, class, due, since)
    ), settled as (
      delete from deposit_look using unnest(${txHashes}::text[]) as subject (hash)
      where network = ${network} and tx_hash = subject.hash
        and not exists (select from wanted where wanted.tx_hash = deposit_look.tx_hash and wanted.class = deposit_look.class)
    )
    insert into deposit_look (network, tx_hash, class, due, since) select ${network}, * from wanted
    on conflict (network, tx_hash, class) do update set due = excluded.due, since = excluded.since
    where (deposit_look.due, deposit_look.since) is distinct from (excluded.due, excluded.since)`.execute(queries)
}

/** Sets the state of these blocks as of this scan clock. */
export async function saveBlocks(
  queries: Queries,
  network: string,
  blocks: readonly (BlockRef & { state: BlockState })[],
  { generation, head }: ScanClock,
): Promise<void> {
  if (blocks.length === 0) return
  const named = [...new Map(blocks.map((block) => [block.hash, block])).values()]
  await sql`insert into deposit_block (network, hash, number, state, generation, since)
    select ${network}, named.hash, named.number, named.state, ${generation}, ${head}
    from unnest(${named.map(({ hash }) => hash)}::text[], ${named.map(({ number }) => `${number}`)}::numeric[],
      ${named.map(({ state }) => state)}::text[]) as named (hash, number, state)
    on conflict (network, hash) do update set state = excluded.state, generation = excluded.generation, since = excluded.since
    where deposit_block.state <> excluded.state`.execute(queries)
}

/** Marks blocks from here on as orphaned or unverified. Returns the transactions with deposits in them. */
export async function changeBlocksFrom(
  queries: Queries,
  network: string,
  from: bigint,
  state: 'orphaned' | 'unverified',
  { generation, head }: ScanClock,
): Promise<string[]> {
  const isAffected = sql`network = ${network} and not final and not replaced and block_number >= ${from}`
  // Two subqueries, because each uses its own index.
  const { rows } = await sql<{ tx_hash: string; block_hash: string; block_number: bigint }>`
    select tx_hash, block_hash, block_number from deposit where ${isAffected} and state in ('seen', 'confirmed')
    union all select tx_hash, block_hash, block_number from deposit where ${isAffected} and state = 'lost'`.execute(
    queries,
  )
  await sql`insert into deposit_block (network, hash, number, state, generation, since)
    select distinct on (hash) ${network}, hash, number, 'canonical', 0, 0
    from unnest(${rows.map((row) => row.block_hash)}::text[], ${rows.map((row) => `${row.block_number}`)}::numeric[])
      as named (hash, number) on conflict do nothing`.execute(queries)
  await sql`update deposit_block set state = ${state}, generation = ${generation}, since = ${head}
    where network = ${network} and number >= ${from}
      and (state = 'canonical' or (state = 'unverified' and ${state} = 'orphaned'))`.execute(queries)
  return [...new Set(rows.map(({ tx_hash }) => tx_hash))]
}

/** Transactions that must be inspected now. If there are more than `limit`, each gets its turn. */
export async function findLooks(queries: Queries, network: string, name: LookClass, limit: number): Promise<string[]> {
  const { rows } = await roundRobin<{ tx_hash: string }>(
    sql`deposit_look where network = ${network} and class = ${name}`,
    limit,
  ).execute(queries)
  return rows.map(({ tx_hash }) => tx_hash)
}

/** Transactions that have waited for reverification since this scan position or earlier. */
export async function findUnanswered(queries: Queries, network: string, since: bigint): Promise<string[]> {
  const { rows } = await sql<{ tx_hash: string }>`select tx_hash from deposit_look
    where network = ${network} and class = 'reverify' and since <= ${since}`.execute(queries)
  return rows.map(({ tx_hash }) => tx_hash)
}

/**
 * Whether any deposit of a network waits for reverification after a reorg, except those that an operator was alerted
 * about.
 */
export async function hasReverifying(queries: Queries, network: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from deposit_look
    where network = ${network} and class = 'reverify') as found`.execute(queries)
  return rows[0]?.found ?? true
}

/**
 * Marks credited deposits below this block as final, unless they wait for reverification: their block may not exist any
 * more. Then deletes observations of transactions that cannot change any more.
 */
export async function finalise(
  queries: Queries,
  network: string,
  { finalTo, lookedUpTo }: { finalTo: bigint; lookedUpTo: bigint },
): Promise<void> {
  const { rows: final } = await sql<{ tx_hash: string }>`update deposit set final = true
    where network = ${network} and not final and state = 'confirmed' and block_number <= ${finalTo}
      and not exists (select from deposit_look look where look.network = deposit.network
        and look.tx_hash = deposit.tx_hash and class in ('reverify', 'unlocatable'))
    returning tx_hash`.execute(queries)
  const { rows: given } = await sql<{ tx_hash: string }>`delete from deposit_look
    where network = ${network} and class = 'orphaned' and since <= ${lookedUpTo} returning tx_hash`.execute(queries)
  await forgetObservations(
    queries,
    network,
    [...final, ...given].map((row) => row.tx_hash),
  )
  await sql`delete from deposit_block where network = ${network} and number <= ${lookedUpTo}
    and not exists (select from deposit_observation seen
      where seen.network = deposit_block.network and block_hash = hash)`.execute(queries)
}

async function forgetObservations(queries: Queries, network: string, txHashes: readonly string[]): Promise<void> {
  if (txHashes.length === 0) return
  await sql`delete from deposit_observation seen where network = ${network} and tx_hash = any(${txHashes}::text[])
    and not exists (select from deposit_look look where look.network = seen.network and look.tx_hash = seen.tx_hash)
    and not exists (select from deposit where deposit.network = seen.network and deposit.tx_hash = seen.tx_hash
      and not final and not replaced and state = 'confirmed')`.execute(queries)
}
