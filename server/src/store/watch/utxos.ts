/** The UTXO set: our coins of a network, as of a scanned block. */
import type { Address, BlockRef, Utxo, UtxoChanges, UtxoPosition, UtxoSet } from '@causeway/core'
import { sql } from 'kysely'
import type { Database, Queries } from '../db/database.ts'
import { ownedAddresses } from './addresses.ts'

/** The UTXO set in the form that a family uses. */
export function utxoSet(database: Database, network: string): UtxoSet {
  return {
    position: () => readPosition(database, network),
    unspent: (owners) => unspentUtxos(database, network, owners),
    among: (parts) => utxosAmong(database, network, parts),
    owned: async (addresses) => new Set(await ownedAddresses(database, network, addresses)),
    async addresses() {
      const rows = await database
        .selectFrom('deposit_address')
        .select('address')
        .where('network', '=', network)
        .execute()
      return rows.map(({ address }) => address)
    },
  }
}

async function readPosition(queries: Queries, network: string): Promise<UtxoPosition> {
  const row = await queries.selectFrom('utxo_set').selectAll().where('network', '=', network).executeTakeFirst()
  const { edition = 0n, since = 0n, block_number: number = null, block_hash: hash = null } = row ?? {}
  return { edition, since, block: number === null || hash === null ? null : { number, hash } }
}

/** Reads block and UTXOs in one statement, so that the set does not advance in between. */
export async function unspentUtxos(
  queries: Queries,
  network: string,
  owners: readonly Address[],
): Promise<{ block: BlockRef; coins: Utxo[] } | null> {
  const rows = await queries
    .selectFrom('utxo_set as book')
    .leftJoin('utxo', (join) =>
      join
        .onRef('utxo.network', '=', 'book.network')
        .on(sql<boolean>`utxo.owner = any(${[...owners]}::text[])`)
        .on('utxo.spent_height', 'is', null),
    )
    .select(['block_number', 'block_hash', 'outpoint as part', 'owner', 'units', 'created_height', 'is_coinbase'])
    .where('book.network', '=', network)
    .execute()
  const { block_number: number = null, block_hash: hash = null } = rows[0] ?? {}
  if (number === null || hash === null) return null
  const coins = rows.flatMap(({ part, owner, units, created_height: madeAt, is_coinbase: isCoinbase }) =>
    part === null || owner === null || units === null || madeAt === null
      ? []
      : [{ part, owner, units, madeAt, isCoinbase: isCoinbase === true }],
  )
  return { block: { number, hash }, coins }
}

export async function utxosAmong(queries: Queries, network: string, parts: readonly string[]): Promise<Set<string>> {
  if (parts.length === 0) return new Set()
  const rows = await queries
    .selectFrom('utxo')
    .select('outpoint as part')
    .where('network', '=', network)
    .where(sql<boolean>`outpoint = any(${[...parts]}::text[])`)
    .execute()
  return new Set(rows.map(({ part }) => part))
}

/**
 * Stores changes of the UTXO set, in the transaction that stores the cursor. Changes that do not follow the stored
 * state are ignored: the set is then behind the cursor, and the family reads it again.
 */
export async function saveUtxos(queries: Queries, network: string, changes: UtxoChanges): Promise<void> {
  if (!(await moveOn(queries, network, changes))) return
  const { after, backTo, made, spent, forgetBefore } = changes
  if (after === null) await queries.deleteFrom('utxo').where('network', '=', network).execute()
  if (backTo !== null) await takeBack(queries, network, backTo)
  if (made.length > 0) {
    await sql`
      insert into utxo (network, outpoint, owner, units, created_height, is_coinbase)
      select ${network}, outpoint, owner, units, created_height, is_coinbase from unnest(
        ${made.map(({ part }) => part)}::text[], ${made.map(({ owner }) => owner)}::text[],
        ${made.map(({ units }) => units.toString())}::numeric[], ${made.map(({ madeAt }) => madeAt.toString())}::bigint[],
        ${made.map(({ isCoinbase }) => isCoinbase)}::boolean[]) as made (outpoint, owner, units, created_height, is_coinbase)
      on conflict (network, outpoint) do update set created_height = excluded.created_height, spent_height = null`.execute(
      queries,
    )
  }
  if (spent.length > 0) {
    await sql`
      update utxo set spent_height = spent.height
      from unnest(${spent.map(({ part }) => part)}::text[], ${spent.map(({ at }) => at.toString())}::bigint[]) as spent (outpoint, height)
      where utxo.network = ${network} and utxo.outpoint = spent.outpoint`.execute(queries)
  }
  await forgetUtxos(queries, network, forgetBefore)
}

/** Advances the set's block. False if the set is not at the block where these changes begin. */
async function moveOn(queries: Queries, network: string, changes: UtxoChanges): Promise<boolean> {
  const { edition, after, block } = changes
  const place = { block_number: block.number, block_hash: block.hash }
  if (after === null) {
    const begun = await queries
      .insertInto('utxo_set')
      .values({ network, edition, since: block.number, ...place })
      .onConflict((conflict) =>
        conflict
          .column('network')
          .doUpdateSet({ since: block.number, ...place })
          .where('utxo_set.edition', '=', edition),
      )
      .returning('network')
      .executeTakeFirst()
    return begun !== undefined
  }
  const moved = await queries
    .updateTable('utxo_set')
    .set(place)
    .where('network', '=', network)
    .where('edition', '=', edition)
    .where('block_hash', '=', after)
    .returning('network')
    .executeTakeFirst()
  return moved !== undefined
}

async function takeBack(queries: Queries, network: string, to: bigint): Promise<void> {
  await queries.deleteFrom('utxo').where('network', '=', network).where('created_height', '>', to).execute()
  await queries
    .updateTable('utxo')
    .set({ spent_height: null })
    .where('network', '=', network)
    .where('spent_height', '>', to)
    .execute()
}

export async function forgetUtxos(queries: Queries, network: string, before: bigint): Promise<void> {
  await queries.deleteFrom('utxo').where('network', '=', network).where('spent_height', '<', before).execute()
}

/** Marks the UTXO set for a new read, because new addresses of ours may already hold coins. */
export async function rebuildUtxos(queries: Queries, network: string): Promise<void> {
  await queries
    .insertInto('utxo_set')
    .values({ network, edition: 1n, since: 0n, block_number: null, block_hash: null })
    .onConflict((conflict) =>
      conflict.column('network').doUpdateSet((eb) => ({
        edition: eb('utxo_set.edition', '+', 1n),
        block_number: null,
        block_hash: null,
      })),
    )
    .execute()
}
