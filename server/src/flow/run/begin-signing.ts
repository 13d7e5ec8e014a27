/**
 * Before a process signs: takes the lock that only one signing process holds, opens the journal, and compares it with
 * the database. A rolled-back database or journal stops signing. Signatures made right before a crash are stored.
 */
import { randomUUID } from 'node:crypto'
import { chainOf } from '../../catalogue/chains.ts'
import { ConfigError } from '../../config.ts'
import { type Entry, isSigned, type Signature, type Vector } from '../../keys/journal/line.ts'
import { behindOf, decideStart, highest } from '../../keys/journal/start.ts'
import type { JournalStatus, OrderSigner } from '../../keys/orders/orders.ts'
import { orderSource } from '../../keys/orders/source.ts'
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
import { wakeHeld } from '../../store/payouts/held-payouts.ts'
import { adoptSlot } from '../journal/adopt-slot.ts'
import { confirmProcesses, takeBranch } from './confirm-processes.ts'

/** Opens the journal of this database, and stops signing if the two disagree. Returns the function that closes it. */
export async function beginSigning(services: Services): Promise<{ end(): Promise<void> }> {
  const { database, config, signing, log, metrics, now } = services
  const row = await readJournalRow(database)
  const databaseId = row?.database_id ?? randomUUID()
  const source = orderSource(config, databaseId, {
    now,
    adapterOf: (network) => chainOf(services.chains, network),
    onBroken(error) {
      metrics.alerts.inc()
      log.error({ err: error }, 'the signing journal cannot be written: nothing is signed until a restart')
    },
  })
  const existing = await source.open()
  const status = existing ? await existing.status() : null
  const lines =
    existing && status ? await signedAfter(existing, Math.max(Number(row?.adopted_to ?? 0n), status.restoredTo)) : []
  const facts = await readFacts(services, row, existing, status, lines)
  const decision = decideStart(facts, config.environment !== 'mainnet')
  if (decision.do === 'refuse') {
    await existing?.end()
    throw new ConfigError(decision.reason)
  }
  const orders = existing ?? (await source.create(databaseId))
  const opened = await orders.status()
  if (decision.do === 'create' || decision.do === 'insert_row') {
    await insertJournalRow(database, opened.id, opened.database ?? databaseId)
  }
  signing.database = opened.database ?? databaseId
  signing.orders = orders
  signing.workedAt = services.now()
  await endOtherSigners(database, signing.writer)
  if (decision.do === 'stop') {
    signing.stopped = decision.code
    await orders.stop(decision.code, await countersOf(database, Object.keys(opened.mark)))
    await setJournalState(database, decision.code)
    metrics.alerts.inc()
    log.error({ code: decision.code }, 'signing is stopped: the database and the journal do not agree; run "restore"')
  } else {
    await adoptLines(services, lines)
    await setAdoptedTo(database, opened.head.n)
    await confirmProcesses(services)
    await takeBranch(services)
    // The process before this one may have died between the end of a stop and the waking.
    await wakeHeld(database)
  }
  log.info({ journal: source.name, lines: opened.head.n, at: now() }, 'signing journal opened')
  return { end: () => orders.end() }
}

/** Records up to which journal line everything is stored, so that the next start has less to compare. */
export async function advanceAdopted({ database, signing }: Services): Promise<void> {
  const row = await readJournalRow(database)
  if (!signing.orders || !row || signing.stopped !== null) return
  const lines = await signedAfter(signing.orders, Number(row.adopted_to))
  const stored = await storedLines(
    database,
    lines.map(({ n }) => n),
  )
  const missing = lines.findIndex(({ n }) => !stored.has(n))
  const last = (missing < 0 ? lines : lines.slice(0, missing)).at(-1)
  if (last) await setAdoptedTo(database, last.n)
}

async function signedAfter(orders: OrderSigner, n: number): Promise<Entry<Signature>[]> {
  const lines: Entry<Signature>[] = []
  for await (const entry of orders.lines(n)) if (isSigned(entry)) lines.push(entry)
  return lines
}

async function readFacts(
  { database }: Services,
  row: Awaited<ReturnType<typeof readJournalRow>>,
  orders: OrderSigner | null,
  status: JournalStatus | null,
  lines: readonly Entry<Signature>[],
) {
  const newest = await newestAttempt(database)
  const seen = lines.reduce<Vector>(
    (vector, { content: { writer } }) => highest(vector, { [writer[0]]: [writer[1], 0] }),
    status?.mark ?? {},
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
    newest: newest && { ...newest, found: orders && (await hashOfLine(orders, newest.n)) },
    journal: status,
    behind: behindOf(seen, found),
    hasUnknownLines: slots.some((slot) => slot === null),
  }
}

async function hashOfLine(orders: OrderSigner, n: number): Promise<string | null> {
  for await (const entry of orders.lines(n - 1)) return entry.n === n ? entry.hash : null
  return null
}

/** Stores attempts that a crash left only in the journal. */
async function adoptLines(services: Services, lines: readonly Entry<Signature>[]): Promise<void> {
  for (const { content } of lines) {
    const slot = await findSlot(services.database, content)
    if (slot?.state === 'open') await adoptSlot(services, slot)
  }
}
