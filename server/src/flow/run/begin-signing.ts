/**
 * Before a process signs: it takes the lock that one process has, opens the journal, and compares it with the database. A database
 * or a journal that went back in time stops signing; what was signed right before a crash is stored.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { chainOf } from '../../catalogue/chains.ts'
import { type Config, ConfigError } from '../../config.ts'
import { type Journal, openJournal } from '../../keys/journal/journal.ts'
import { type Entry, isSigned, type Signature, type Vector } from '../../keys/journal/line.ts'
import { behindOf, decideStart, highest } from '../../keys/journal/start.ts'
import { localOrders } from '../../keys/orders/local.ts'
import type { Services } from '../../services.ts'
import { findSlot } from '../../store/journal/adopt.ts'
import {
  hasAttempts,
  insertJournalRow,
  newestAttempt,
  readJournalRow,
  setAdoptedTo,
  setJournalState,
  storedLines,
} from '../../store/journal/journal-row.ts'
import { countersOf, endOtherSigners } from '../../store/journal/writers.ts'
import { adoptSlot } from '../payouts/adopt.ts'

/** Opens the journal of this database and stops signing if the two do not agree. Returns how to close it. */
export async function beginSigning(services: Services): Promise<{ end(): Promise<void> }> {
  const { database, config, signing, log, metrics, now } = services
  const row = await readJournalRow(database)
  const databaseId = row?.database_id ?? randomUUID()
  const places = placesOf(config, databaseId)
  const journal = hasLines(places) ? await open(services, places) : null
  const lines = journal ? signedAfter(journal, Math.max(Number(row?.adopted_to ?? 0n), journal.restoredTo())) : []
  const facts = await readFacts(services, row, journal, lines)
  const decision = decideStart(facts, config.environment !== 'mainnet')
  if (decision.do === 'refuse') {
    await journal?.end()
    throw new ConfigError(decision.reason)
  }
  const opened = journal ?? (await open(services, places, databaseId))
  if (decision.do === 'create' || decision.do === 'insert_row') {
    await insertJournalRow(database, opened.id, opened.database() ?? databaseId)
  }
  signing.database = opened.database() ?? databaseId
  signing.orders = localOrders({ journal: opened, adapterOf: (network) => chainOf(services.chains, network) })
  await endOtherSigners(database, signing.writer)
  if (decision.do === 'stop') {
    signing.stopped = decision.code
    await signing.orders.stop(decision.code, await countersOf(database, Object.keys(opened.mark())))
    await setJournalState(database, decision.code)
    metrics.alerts.inc()
    log.error({ code: decision.code }, 'signing is stopped: the database and the journal do not agree; run "restore"')
  } else {
    await adoptLines(services, lines)
    await setAdoptedTo(database, opened.head().n)
  }
  log.info({ folder: places[0], lines: opened.head().n, at: now() }, 'signing journal opened')
  return { end: () => opened.end() }
}

/** Without a setting each database has a folder of its own. */
function placesOf({ journalFolder, journalCopy, dataFolder }: Config, databaseId: string): string[] {
  const folder = journalFolder ?? path.join(dataFolder, 'journal', databaseId)
  return journalCopy === undefined ? [folder] : [folder, journalCopy]
}

function hasLines(folders: readonly string[]): boolean {
  return folders.some((folder) => existsSync(path.join(folder, '000001.log')) || existsSync(path.join(folder, 'mark')))
}

function open(
  { now, log, metrics }: Services,
  [folder = '', copy]: readonly string[],
  database?: string,
): Promise<Journal> {
  return openJournal({
    ...{ folder, copy: copy ?? null, now, ...(database ? { database } : {}) },
    onBroken(error) {
      metrics.alerts.inc()
      log.error({ err: error }, 'the signing journal cannot be written: nothing is signed until a restart')
    },
  })
}

function signedAfter(journal: Journal, n: number): Entry<Signature>[] {
  return [...journal.after(n)].filter(isSigned)
}

async function readFacts(
  { database }: Services,
  row: Awaited<ReturnType<typeof readJournalRow>>,
  journal: Journal | null,
  lines: readonly Entry<Signature>[],
) {
  const newest = await newestAttempt(database)
  const seen = lines.reduce<Vector>(
    (vector, { content: { writer } }) => highest(vector, { [writer[0]]: [writer[1], 0] }),
    journal?.mark() ?? {},
  )
  const found = await countersOf(database, Object.keys(seen))
  const stored = await storedLines(
    database,
    lines.map(({ n }) => n),
  )
  const missing = lines.filter(({ n }) => !stored.has(n))
  const slots = await Promise.all(missing.map(({ content }) => findSlot(database, content)))
  return {
    row: row && { id: row.id, databaseId: row.database_id, state: row.state },
    hasAttempts: await hasAttempts(database),
    newest: newest && { ...newest, found: (journal && hashOfLine(journal, newest.n)) ?? null },
    journal: journal && {
      ...{ id: journal.id, database: journal.database(), state: journal.state() },
      hasSignatures: journal.hasSignatures(),
    },
    behind: behindOf(seen, found),
    hasUnknownLines: slots.some((slot) => slot === null),
  }
}

function hashOfLine(journal: Journal, n: number): string | null {
  for (const entry of journal.after(n - 1)) return entry.n === n ? entry.hash : null
  return null
}

/** A crash came between the signature and its attempt. */
async function adoptLines(services: Services, lines: readonly Entry<Signature>[]): Promise<void> {
  for (const { content } of lines) {
    const slot = await findSlot(services.database, content)
    if (slot?.state === 'open') await adoptSlot(services, slot)
  }
}
