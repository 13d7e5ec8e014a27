/**
 * Only one process signs: the one that holds an advisory lock. Other processes that could sign wait for the lock, and
 * take over when the first is gone.
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

/** Creates this process's writer row in the database. The process signs once it has opened the journal. */
export async function openSigning(
  database: Database,
  as: { signs: boolean; hasKeys: boolean },
): Promise<Services['signing']> {
  const writer = randomUUID()
  await addWriter(database, writer, as.signs, as.hasKeys)
  const row = await readJournalRow(database)
  const stopped = row && row.state !== 'running' ? row.state : null
  return { orders: null, database: row?.database_id ?? '', writer, seen: 0n, stopped, workedAt: null }
}

/**
 * Calls `begin` when this process becomes the signing one: at once if no other is. Returns the promise that runs until
 * the signal.
 */
export async function signAlone(
  services: Services,
  signal: AbortSignal,
  begin: () => Promise<void>,
): Promise<{ over: Promise<void>; end(): Promise<void> }> {
  const { config, log } = services
  const life = await openHeartbeat(config.databaseUrl, (error) => {
    // Without the lock another process may sign, so this process must stop.
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
