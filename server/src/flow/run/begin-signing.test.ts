/** The checks at a start: a journal in files, over a database that is put back, copied or new. */
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { readJournal } from '../../keys/journal/read.ts'
import { requireReady } from '../../offer/readiness.ts'
import { openDatabase } from '../../store/db/database.ts'
import { readJournalRow } from '../../store/journal/journal-row.ts'
import { addWriter, liveCounters, writersWithoutBranch } from '../../store/journal/writers.ts'
import { createAddressBranch } from '../../store/watch/address-branch.ts'
import { advanceAdopted, beginSigning } from './begin-signing.ts'
import { beat } from './counters.ts'

const [FROM, TO] = ['ALPHA', 'BETA'] as const
let databases: TestDatabase
let url: string
let folder: string
let hand: Hand
let running: { end(): Promise<void> } | null

beforeEach(async () => {
  databases = await startDatabase()
  url = databases.url
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'causeway-begin-')), 'journal')
  hand = await startHand(url, { JOURNAL_FOLDER: folder })
  running = await beginSigning(hand.services)
})
afterEach(async () => {
  await running?.end()
  await hand.stop()
  await databases.stop()
})

/** Another process over this database and the journal in the folder. */
async function restart(at: string = url): Promise<void> {
  await running?.end()
  running = null
  await hand.stop()
  hand = await startHand(at, { JOURNAL_FOLDER: folder }, { onOldChains: true })
  running = await beginSigning(hand.services)
}

/** A swap whose payout is signed and sent. */
async function payOne(): Promise<void> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  for (let round = 0; round < 2; round++) {
    hand.chain(FROM).mine(7)
    await hand.watch(FROM)
    await hand.runJobs()
  }
  const { database } = hand.services
  const attempts = await database.selectFrom('attempt').select('journal_n').execute()
  expect(attempts.length).toBeGreaterThan(0)
  expect(attempts.every(({ journal_n }) => journal_n !== null)).toBe(true)
}

const stopped = () => hand.services.signing.stopped

test('a restart over the same database and journal goes on', async () => {
  await payOne()
  await restart()
  expect(stopped()).toBeNull()
  await beat(hand.services, () => undefined)
  expect(stopped()).toBeNull()
})

test('a database that was put back stops signing, and stays stopped over a restart', async () => {
  const backup = await databases.copy(url)
  await payOne()
  await restart(backup)
  expect(stopped()).toBe('rolled_back')
  await restart(backup)
  expect(stopped()).toBe('rolled_back')
})

test('payouts that were held while signing was stopped are paid at the first beat after it goes on', async () => {
  hand.deposit(await hand.swap(FROM, TO))
  hand.services.signing.stopped = 'rolled_back'
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  await hand.runJobs()
  const payouts = () => hand.services.database.selectFrom('payout').select(['held_by', 'started']).execute()
  expect(await payouts()).toEqual([{ held_by: 'rule', started: false }])
  await beat(hand.services, () => undefined)
  await hand.runJobs()
  expect(await payouts()).toEqual([{ held_by: null, started: true }])
})

test('they are paid at the next beat, if the database fails in the moment when signing goes on', async () => {
  hand.deposit(await hand.swap(FROM, TO))
  hand.services.signing.stopped = 'rolled_back'
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  await hand.runJobs()
  const payouts = () => hand.services.database.selectFrom('payout').select(['held_by', 'started']).execute()
  const rename = (from: string, to: string) =>
    sql`alter function graphile_worker.${sql.ref(from)} rename to ${sql.ref(to)}`.execute(hand.services.database)
  await rename('add_job', 'no_job')
  await expect(beat(hand.services, () => undefined)).rejects.toThrow('add_job')
  await rename('no_job', 'add_job')
  await beat(hand.services, () => undefined)
  await hand.runJobs()
  expect(await payouts()).toEqual([{ held_by: null, started: true }])
})

test('a process that starts wakes held payouts: the one before it may have died before it did', async () => {
  hand.deposit(await hand.swap(FROM, TO))
  hand.services.signing.stopped = 'rolled_back'
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  await hand.runJobs()
  await restart()
  expect(stopped()).toBeNull()
  await hand.runJobs()
  const { database } = hand.services
  expect(await database.selectFrom('payout').select(['held_by', 'started']).execute()).toEqual([
    { held_by: null, started: true },
  ])
})

test('a gap in which nothing was signed is noticed by the counters', async () => {
  const backup = await databases.copy(url)
  await beat(hand.services, () => undefined)
  await restart(backup)
  expect(stopped()).toBe('rolled_back')
})

test('a counter that did not rise is a rollback: equal is not enough', async () => {
  await beat(hand.services, () => undefined)
  hand.services.signing.seen += 1n
  await beat(hand.services, () => undefined)
  expect(stopped()).toBe('rolled_back')
})

test('an operator command that the database has lost stops signing', async () => {
  await beat(hand.services, () => undefined)
  const backup = await databases.copy(url)
  await admin(hand.services, 'switch', 'pause', '--scope', 'service', '--what', 'both', '--reason', 'drill')
  const seen = await liveCounters(hand.services.database)
  const mine = hand.services.signing.writer
  // Only the commands' counter is ahead of the backup.
  const before = (await hand.services.signing.orders?.status())?.mark ?? {}
  await hand.services.signing.orders?.saveMark({ ...seen, [mine]: before[mine] ?? [0, 0] })
  await restart(backup)
  expect(stopped()).toBe('rolled_back')
})

test('a process accepts no swap until the signing process has given it a branch of its own', async () => {
  const { services } = hand
  const { database, addressBranch } = services
  const own = addressBranch.branch
  const writer = randomUUID()
  await addWriter(database, writer, false)
  const signing = { ...services.signing, orders: null, writer, seen: 0n }
  const api = { ...services, signing, addressBranch: createAddressBranch() }
  await beat(api, () => undefined)
  expect(api.addressBranch.branch).toBeNull()
  expect(() => requireReady(api, FROM)).toThrow('waits for its signing process')
  // Another journal gave out the number of this second, to the driver of this test: the next beat gives another.
  for (let beats = 0; beats < 2; beats++) await beat(services, () => undefined)
  await beat(api, () => undefined)
  expect(api.addressBranch.branch).toBeGreaterThan(own ?? 0)
  expect(api.addressBranch.branch).toBe((await services.signing.orders?.status())?.lastBranch)
  await requireReady(api, FROM)
})

test('a stopped signing process gives no branches', async () => {
  const backup = await databases.copy(url)
  await payOne()
  await restart(backup)
  const { database } = hand.services
  const writer = randomUUID()
  await addWriter(database, writer, false)
  await beat(hand.services, () => undefined)
  expect(await writersWithoutBranch(database)).toContain(writer)
})

test('what is stored is noted, up to the first line that is not', async () => {
  await payOne()
  const { database } = hand.services
  const adopted = async () => (await readJournalRow(database))?.adopted_to ?? 0n
  const before = await adopted()
  await advanceAdopted(hand.services)
  expect(await adopted()).toBeGreaterThan(before)
  const newest = await database
    .selectFrom('attempt')
    .select('journal_n')
    .orderBy('journal_n', 'desc')
    .executeTakeFirst()
  expect(await adopted()).toBe(newest?.journal_n)
})

test('a journal that is older than the database stops signing', async () => {
  const older = `${folder}-older`
  cpSync(folder, older, { recursive: true, filter: (source) => !source.endsWith('lock') })
  await payOne()
  await running?.end()
  running = null
  rmSync(folder, { recursive: true })
  cpSync(older, folder, { recursive: true })
  await restart()
  expect(stopped()).toBe('journal_behind')
})

test('without its journal a database is not signed for', async () => {
  await payOne()
  await running?.end()
  running = null
  rmSync(folder, { recursive: true })
  await expect(restart()).rejects.toThrow('the signing journal is missing')
})

test('another database is not signed for with this journal', async () => {
  await payOne()
  await expect(restart(await databases.createDatabase())).rejects.toThrow('belongs to another database')
})

test.each([
  ['before its first line', ''],
  ['in its first line', '{"n":1,"prev":'],
])('a journal whose first start crashed %s is made again, and signed with', async (_, torn) => {
  await running?.end()
  running = null
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  writeFileSync(path.join(folder, '000001.log'), torn)
  await restart(await databases.createDatabase())
  expect(stopped()).toBeNull()
  await payOne()
  await restart(hand.services.config.databaseUrl)
  expect(stopped()).toBeNull()
})

test('what was signed right before a crash is stored, and sent as it was signed', async () => {
  const { signing } = hand.services
  const sign = signing.orders?.sign
  if (!signing.orders || !sign) throw new Error('it does not sign')
  const { orders } = signing
  // The process ends when the line is written.
  const isSigned = new Promise<void>((resolve) => {
    orders.sign = async (request) => {
      await sign(request)
      resolve()
      return new Promise(() => undefined)
    }
  })
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  void hand.runJobs()
  await isSigned
  expect(await hand.services.database.selectFrom('attempt').select('number').execute()).toEqual([])
  await restart()
  expect(stopped()).toBeNull()
  expect(await hand.services.database.selectFrom('attempt').select(['number', 'sent_at']).execute()).toEqual([
    { number: 0, sent_at: null },
  ])
})

test('a backup from between "restore --resume" and its execution does not resume signing again', async () => {
  const older = await databases.copy(url)
  await payOne()
  await restart(older)
  expect(stopped()).toBe('rolled_back')
  const run = (...words: string[]) => admin({ ...hand.services, journal: readJournal([folder]) }, ...words)
  await run('restore', '--apply', '--watch', '0')
  await run('restore', '--resume')
  // The operator makes a backup at once, as one should after a restore.
  const backup = await databases.copy(older)
  await beat(hand.services, () => undefined)
  expect(stopped()).toBeNull()
  await payOne()

  await restart(backup)
  expect(stopped()).toBe('rolled_back')
  for (let beats = 0; beats < 2; beats++) await beat(hand.services, () => undefined)
  expect(stopped(), 'nobody has resumed this one').toBe('rolled_back')
  await run('restore', '--apply', '--watch', '0')
  await run('restore', '--resume')
  await beat(hand.services, () => undefined)
  expect(stopped()).toBeNull()
})

test.each([
  ['signing', true],
  ['api', false],
])('a %s process whose database is put back under it restarts, and goes on after the resume', async (_, signs) => {
  const backup = await databases.copy(url)
  await payOne()
  for (let beats = 0; beats < 5; beats++) await beat(hand.services, () => undefined)
  const { signing } = hand.services
  const database = openDatabase(backup)
  // The same process, with its memory, on a database that "pg_restore --clean" has put back.
  const survivor = { ...hand.services, database, signing: signs ? signing : { ...signing, orders: null } }
  let ends = 0
  await beat(survivor, () => ends++)
  expect([survivor.signing.stopped, (await readJournalRow(database))?.state]).toEqual(['rolled_back', 'rolled_back'])
  // Its counter is behind for good, and its memory is that of the lost database.
  expect(ends).toBe(1)
  await database.destroy()

  await restart(backup)
  expect(stopped()).toBe('rolled_back')
  const run = (...words: string[]) => admin({ ...hand.services, journal: readJournal([folder]) }, ...words)
  await run('restore', '--apply', '--watch', '0')
  await run('restore', '--resume')
  await beat(hand.services, () => expect.unreachable('it has a counter of its own'))
  expect(stopped()).toBeNull()
})
