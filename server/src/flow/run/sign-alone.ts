/**
 * One process signs: it holds a lock of the database's. Another one that could sign waits until the lock is free, so that it can take
 * over when the first is gone.
 */
import { randomUUID } from 'node:crypto'
import type { Services } from '../../services.ts'
import type { Database } from '../../store/db/database.ts'
import { readJournalRow } from '../../store/journal/journal-row.ts'
import { addWriter } from '../../store/journal/writers.ts'
import { sleep } from '../lib/sleep.ts'
import { beginSigning } from './begin-signing.ts'
import { openHeartbeat } from './heartbeat.ts'

const RETRY_MS = 1_000

/** A row of this process in the database. It signs once it has the journal. */
export async function openSigning(database: Database, signs: boolean): Promise<Services['signing']> {
  const writer = randomUUID()
  await addWriter(database, writer, signs)
  const row = await readJournalRow(database)
  const stopped = row && row.state !== 'running' ? row.state : null
  return { orders: null, database: row?.database_id ?? '', writer, seen: 0n, stopped }
}

/** Calls `begin` when this process signs: at once if no other does. Returns what runs until the signal. */
export async function signAlone(
  services: Services,
  signal: AbortSignal,
  begin: () => Promise<void>,
): Promise<{ over: Promise<void>; end(): Promise<void> }> {
  const { config, log } = services
  const life = await openHeartbeat(config.databaseUrl, (error) => {
    // Without its lock another process may sign: this one must not go on as if nothing happened.
    log.fatal({ err: error }, 'the process lost the lock of the signing journal')
    process.exit(1)
  })
  let close = async (): Promise<void> => undefined
  const end = async () => {
    await close()
    await life.end()
  }
  const start = async () => {
    const { end: endJournal } = await beginSigning(services)
    close = endJournal
    await begin()
  }
  try {
    if (await life.tryToSign()) {
      await start()
      return { over: Promise.resolve(), end }
    }
  } catch (error) {
    await end()
    throw error
  }
  log.warn({}, 'another process signs: this one waits until it is gone')
  const wait = async () => {
    while (!signal.aborted) {
      if (await life.tryToSign()) return start()
      await sleep(RETRY_MS, signal)
    }
  }
  return { over: wait(), end }
}
