/** Scan positions: how far each network has been read. */
import type { BlockRef, Cursor } from '@causeway/core'
import type { Database, Queries } from '../db/database.ts'
import { meetHead } from './balance-snapshots.ts'

export interface Position {
  cursor: Cursor
  /**
   * Blocks from this one on were replaced, and their payouts must be rechecked; null if there is nothing to recheck.
   */
  recheckFrom: bigint | null
}

export async function readPosition(
  queries: Queries,
  network: string,
): Promise<(Position & { headNumber: bigint; scannedTo: bigint; at: Date }) | null> {
  const row = await queries
    .selectFrom('chain_cursor')
    .select(['cursor', 'recheck_from', 'head_number', 'scanned_to', 'at'])
    .where('network', '=', network)
    .executeTakeFirst()
  if (!row) return null
  const { cursor, recheck_from: recheckFrom, head_number: headNumber, scanned_to: scannedTo, at } = row
  return { cursor, recheckFrom, headNumber, scannedTo, at }
}

const read = new WeakMap<Database, Set<string>>()

/** Whether a network has ever been scanned, so that no deposit on it is missed. Once true, it stays true. */
export async function hasBeenRead(database: Database, network: string): Promise<boolean> {
  if (isKnownRead(database, network)) return true
  if (!(await readPosition(database, network))) return false
  const known = read.get(database) ?? new Set<string>()
  read.set(database, known.add(network))
  return true
}

/** Like `hasBeenRead`, from memory; false also if the database was not asked yet. */
export function isKnownRead(database: Database, network: string): boolean {
  return read.get(database)?.has(network) ?? false
}

/** Stores the scan position. `recheckFrom`: the first block that was replaced now. */
export async function savePosition(
  queries: Queries,
  network: string,
  position: Position,
  head: BlockRef,
  at: Date,
  scannedTo: bigint = head.number,
): Promise<void> {
  const values = {
    cursor: position.cursor,
    recheck_from: position.recheckFrom,
    head_number: head.number,
    head_hash: head.hash,
    scanned_to: scannedTo,
    at,
  }
  await queries
    .insertInto('chain_cursor')
    .values({ network, ...values })
    .onConflict((conflict) =>
      conflict.column('network').doUpdateSet((eb) => ({
        ...values,
        generation: eb('chain_cursor.generation', '+', position.recheckFrom === null ? 0n : 1n),
        // An earlier reorg may not have been processed yet: only the process that handled it clears it.
        recheck_from: eb.fn<bigint | null>('least', ['chain_cursor.recheck_from', 'excluded.recheck_from']),
      })),
    )
    .execute()
  await meetHead(queries, network, head, position.recheckFrom)
}

/** Clears the recheck after the payouts were rechecked, unless another reorg came meanwhile. */
export async function clearRecheck(queries: Queries, network: string, done: bigint): Promise<void> {
  await queries
    .updateTable('chain_cursor')
    .set({ recheck_from: null })
    .where('network', '=', network)
    .where('recheck_from', '=', done)
    .execute()
}

export async function readHeads(queries: Queries): Promise<Map<string, { number: bigint; at: Date }>> {
  const rows = await queries.selectFrom('chain_cursor').select(['network', 'head_number', 'at']).execute()
  return new Map(rows.map(({ network, head_number, at }) => [network, { number: head_number, at }]))
}
