import { mkdir, mkdtemp, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database/database.ts'
import { type Check, lineOf } from './check.ts'
import { examine } from './doctor.ts'
import { judgeFree } from './machine.ts'

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await startDatabase()
  folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-doctor-'))
  await mkdir(path.join(folder, 'networks'))
})
afterAll(() => database.stop())

const SIGNER = { SIGNER: 'mnemonic', MNEMONIC: 'test test test test test test test test test test test junk' }
const settings = (more: Record<string, string> = {}) => ({
  DATABASE_URL: database.url,
  NETWORKS: path.join(folder, 'networks'),
  DATA_FOLDER: folder,
  ...SIGNER,
  ...more,
})
const named = (checks: Check[], name: string) => checks.find((check) => check.name === name)

test('every problem of the settings is a line, with what to do', async () => {
  const checks = await examine({ MIN_SWAP_USD: 'x', NETWORKS: '/nowhere' })
  expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual(checks.map(() => 'settings fail'))
  expect(checks.map(lineOf)).toContain('fail  settings: DATABASE_URL: is needed. See docs/operate/configure.md')
})

test('a database that does not answer is one line, and its password is not in it', async () => {
  const checks = await examine(settings({ DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/books' }))
  expect(named(checks, 'database')).toMatchObject({ state: 'fail' })
  expect(JSON.stringify(checks)).not.toContain('secret')
})

test('a database of a newer version fails; an empty one is only migrated later', async () => {
  expect(named(await examine(settings()), 'migrations')).toMatchObject({ state: 'ok', detail: 'all have run' })
  const empty = await examine(settings({ DATABASE_URL: await database.createEmpty() }))
  expect(named(empty, 'migrations')?.detail).toMatch(/^\d+ run at the next start$/)
  expect(named(empty, 'rights')?.state).toBe('ok')
})

test('the age of the newest file in BACKUP_FOLDER is the age of the last backup', async () => {
  const backups = path.join(folder, 'backups')
  await mkdir(backups)
  const now = new Date('2030-01-02T12:00:00Z')
  const told = async () => named(await examine(settings({ BACKUP_FOLDER: backups }), { now: () => now }), 'backup')
  expect(await told()).toMatchObject({ state: 'fail', detail: 'there is none' })
  const write = async (name: string, hours: number) => {
    await writeFile(path.join(backups, name), '')
    const at = new Date(now.getTime() - hours * 3_600_000)
    await utimes(path.join(backups, name), at, at)
  }
  await write('old.dump', 50)
  expect(await told()).toMatchObject({ state: 'fail', detail: 'the last one is 50 h old' })
  await write('new.dump', 3)
  expect(await told()).toMatchObject({ state: 'ok', detail: 'the last one is 3 h old' })
})

test('a disk fails before the journal cannot be written', () => {
  expect([50e6, 500e6, 50e9].map((free) => judgeFree('disk', free).state)).toEqual(['fail', 'warn', 'ok'])
})
