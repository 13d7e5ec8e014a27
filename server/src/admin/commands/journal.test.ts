/** The operator's commands for the signing journal: over a database that has signed, with files that are old, damaged or lost. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { beginSigning } from '../../flow/run/begin-signing.ts'
import type { Services } from '../../services.ts'

const [FROM, TO] = ['ALPHA', 'BETA'] as const
let databases: TestDatabase
let folder: string
let copy: string
let hand: Hand
let running: { end(): Promise<void> } | null

beforeEach(async () => {
  databases = await startDatabase()
  const place = mkdtempSync(path.join(tmpdir(), 'causeway-commands-'))
  folder = path.join(place, 'journal')
  copy = path.join(place, 'copy')
  hand = await startHand(databases.url, { JOURNAL_FOLDER: folder, JOURNAL_COPY: copy })
  running = await beginSigning(hand.services)
})
afterEach(async () => {
  await running?.end()
  await hand.stop()
  await databases.stop()
})
const run = (...words: string[]) => admin(hand.services, 'journal', ...words)

async function payOne(): Promise<void> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  for (let round = 0; round < 2; round++) {
    hand.chain(FROM).mine(7)
    await hand.watch(FROM)
    await hand.runJobs()
  }
  expect(await hand.services.database.selectFrom('attempt').select('number').execute()).not.toEqual([])
}

/** The database as the release before the journal left it. */
async function forgetJournal(): Promise<void> {
  await running?.end()
  running = null
  for (const one of [folder, copy]) rmSync(one, { recursive: true })
  await hand.services.database.deleteFrom('journal').execute()
  await hand.services.database.updateTable('attempt').set({ journal_n: null, journal_hash: null }).execute()
}

/** A start with real money. */
function onMainnet(): Promise<{ end(): Promise<void> }> {
  const services: Services = { ...hand.services, config: { ...hand.services.config, environment: 'mainnet' } }
  return beginSigning(services)
}

test('a database that has signed before the journal starts on mainnet after "journal init", once', async () => {
  await payOne()
  await forgetJournal()
  await expect(onMainnet()).rejects.toThrow('run "journal init" once')
  expect(await run('init')).toContain('the service can start')
  const audit = await hand.services.database.selectFrom('audit_log').select('action').execute()
  expect(audit.map(({ action }) => action)).toContain('journal made')
  running = await onMainnet()
  expect(hand.services.signing.stopped).toBeNull()
  await payOne()
  await expect(run('init')).rejects.toThrow('this database has a journal')
})

test('a crash between the new journal and its row is repaired by "journal init"', async () => {
  await payOne()
  await forgetJournal()
  await run('init')
  await hand.services.database.deleteFrom('journal').execute()
  await run('init')
  running = await onMainnet()
  expect(hand.services.signing.stopped).toBeNull()
})

test('"journal init" makes no journal for a database that went back to the time before its journal', async () => {
  await payOne()
  await running?.end()
  running = null
  await hand.services.database.deleteFrom('journal').execute()
  await expect(run('init')).rejects.toThrow('went back in time')
})

test('"journal init" is not for a database that never signed, nor for one that lost its journal', async () => {
  await forgetJournal()
  await expect(run('init')).rejects.toThrow('its first start makes the journal')
  running = await beginSigning(hand.services)
  await payOne()
  await running.end()
  running = null
  for (const one of [folder, copy]) rmSync(one, { recursive: true })
  await expect(run('init')).rejects.toThrow('this database has a journal')
})

test('"journal status" shows the journal while it is used, and compares it with its copy and the database', async () => {
  await payOne()
  const { id } = (await hand.services.signing.orders?.status()) ?? { id: '' }
  const text = await run('status')
  expect(text).toContain(`journal   ${id}`)
  expect(text).toContain('state     running')
  expect(text).toMatch(/copy .*: equal/)
  expect(text).toMatch(/database .*: running/)
})

test('a damaged line is named by "journal status" and replaced by "journal repair"', async () => {
  await payOne()
  await expect(run('repair')).rejects.toThrow('already')
  await running?.end()
  running = null
  const file = path.join(folder, '000001.log')
  const bytes = readFileSync(file)
  const changed = Buffer.from(bytes)
  changed[200] = (changed[200] ?? 0) ^ 1
  writeFileSync(file, changed)
  await expect(run('status')).rejects.toThrow(`damaged at line 1 of ${file}`)
  expect(await run('repair')).toContain(`${file} was damaged`)
  expect(readFileSync(file)).toEqual(bytes)
  expect(await run('repair')).toBe('nothing is damaged')
  running = await beginSigning(hand.services)
  expect(hand.services.signing.stopped).toBeNull()
})

test('"journal prune" keeps what is younger than JOURNAL_KEEP_DAYS, and never while the journal is used', async () => {
  await payOne()
  await expect(run('prune')).rejects.toThrow('already')
  await running?.end()
  running = null
  const kept = `${folder}-kept`
  cpSync(folder, kept, { recursive: true })
  expect(await run('prune')).toContain('nothing is removed')
  expect(readFileSync(path.join(folder, '000001.log'))).toEqual(readFileSync(path.join(kept, '000001.log')))
})
