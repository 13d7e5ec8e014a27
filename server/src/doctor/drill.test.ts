/** The drill restores the newest backup and the journal into a scratch database, and says what it found. */
import { copyFile, mkdtemp, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BackedUp, startBackedUp } from '../../../tests/support/service/backup.ts'
import { type Hand, startHand } from '../../../tests/support/service/manual-driver.ts'
import { insertJournalRow } from '../store/journal/journal-row.ts'
import { lineOf } from './check.ts'
import { type DrillOptions, drill } from './drill.ts'
import { restoreToScratch, type Scratch } from './scratch-database.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 6
const SIGNER = { SIGNER: 'mnemonic', MNEMONIC: 'test test test test test test test test test test test junk' }
let postgres: BackedUp
let hand: Hand
let folder: string
beforeAll(async () => {
  postgres = await startBackedUp()
  hand = await startHand(postgres.url)
  folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-drill-'))
  await insertJournalRow(db(), hand.services.journal.id, '00000000-0000-4000-8000-000000000001')
})
afterAll(async () => {
  await hand.stop()
  await postgres.stop()
})

const db = () => hand.services.database

async function trade(): Promise<void> {
  hand.deposit(await hand.swap(FROM, TO))
  for (const network of [FROM, TO, TO]) {
    hand.chain(network).mine(FINAL)
    await hand.watch(network)
    await hand.runJobs()
  }
}

/** With PostgreSQL's own programs the file itself is restored; otherwise the database was copied. */
async function scratchOf(backup: string, file: string): Promise<Scratch> {
  if (!postgres.by.startsWith('pg_dump')) return { url: await postgres.restore(backup), drop: async () => undefined }
  await copyFile(backup, file)
  return restoreToScratch(postgres.url, file)
}

async function scratchDatabases(): Promise<unknown[]> {
  const { rows } = await sql`select datname from pg_database where datname like 'causeway_drill_%'`.execute(db())
  return rows
}

async function drilled(options: DrillOptions): Promise<string[]> {
  const env = { DATABASE_URL: postgres.url, DATA_FOLDER: folder, BACKUP_FOLDER: folder, ...SIGNER }
  return (await drill(env, options)).map(lineOf)
}

test('the newest backup is restored, and the journal gives back what was paid since', async () => {
  expect(await drilled({})).toEqual([expect.stringContaining('is empty')])
  await trade()
  const backup = await postgres.backup(postgres.url)
  await trade()
  for (const [name, ageMs] of [
    ['older.dump', 3_600_000],
    ['newest.dump', 0],
  ] as const) {
    const at = new Date(Date.now() - ageMs)
    await writeFile(path.join(folder, name), '')
    await utimes(path.join(folder, name), at, at)
  }
  const asked: string[] = []
  const dropped: string[] = []
  const restore: DrillOptions['restore'] = async (_server, file) => {
    asked.push(path.basename(file))
    const { url, drop } = await scratchOf(backup, file)
    return { url, drop: () => drop().then(() => void dropped.push(url)) }
  }
  const before = await db().selectFrom('payout').selectAll().execute()
  const { journal } = hand.services
  const lines = await drilled({ restore, journal: async () => journal })
  expect(asked).toEqual(['newest.dump'])
  expect(dropped).toHaveLength(1)
  expect(await scratchDatabases()).toEqual([])
  expect(lines.filter((line) => !line.startsWith('ok'))).toEqual([])
  expect(lines).toContainEqual(
    expect.stringMatching(/contents: 1 swaps.*newer than the backup: 1 swaps, 1 deposits, 1 payouts/),
  )
  expect(lines).toContainEqual(expect.stringMatching(/journal: 1 signed lines replayed, with 1 payouts/))
  expect(await db().selectFrom('payout').selectAll().execute()).toEqual(before)
})

test('a journal that cannot be read fails the drill, and the scratch database is dropped anyway', async () => {
  const backup = await postgres.backup(postgres.url)
  await writeFile(path.join(folder, 'newest.dump'), '')
  let drops = 0
  const restore: DrillOptions['restore'] = async () => ({
    url: await postgres.restore(backup),
    drop: async () => void drops++,
  })
  const lines = await drilled({ restore, journal: () => Promise.reject(new Error('the disk is gone')) })
  expect(lines).toContainEqual(expect.stringMatching(/^fail {2}journal: the disk is gone/))
  expect(drops).toBe(1)
})

test('a file that is no backup fails, and leaves no database behind', async () => {
  const file = path.join(folder, 'newest.dump')
  await writeFile(file, 'not a backup')
  await expect(restoreToScratch(postgres.url, file)).rejects.toThrow()
  expect((await drilled({})).at(-1)).toMatch(/^fail {2}restore: /)
  expect(await scratchDatabases()).toEqual([])
})
