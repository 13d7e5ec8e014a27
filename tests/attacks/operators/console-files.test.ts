/**
 * Files of the server: an admin at the console has a seat, not the machine. With two people for whatever gives much away, one of them alone must
 * not destroy the signing journal, its copy or the keystore. And no command asks for less when it is spelled otherwise.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAudit } from '../../../server/src/store/operators/audit.ts'
import { rememberDualControl } from '../../../server/src/store/operators/operators.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'
import { openConsole, post, type TestConsole } from '../../support/service/console.ts'

const PRECIOUS = 'a signed transaction, and nowhere else'
/** Longer than a password counts as recently given. */
const LONG_MS = 10 * 60_000

let api: TestApi
let desk: TestConsole
let later = 0
const pass = (ms: number) => {
  later += ms
}
beforeAll(async () => {
  api = await startApi({ FOUR_EYES_USD: '10' }, () => new Date(Date.now() + later))
  desk = openConsole(api.services, pass)
  for (const name of ['mallory', 'bob']) await desk.person(name, 'admin')
  await rememberDualControl(api.services.database, 10)
})
afterAll(async () => {
  await desk.server.close()
  await api.stop()
})

function journalOf(name: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'causeway-journal-')), name)
  writeFileSync(file, PRECIOUS)
  return file
}

const actions = async () => (await listAudit(api.services.database, 100)).map(({ action }) => action)

test('one admin at the console overwrites no file of the server', async () => {
  const file = journalOf('0000000001.jsonl')
  const seat = await desk.seat('mallory')
  const before = await actions()
  const answer = await desk.server.inject(
    post('/act', { noun: 'restore', verb: 'export', names: [file], reason: 'a look' }, seat),
  )
  const noted = (await actions()).length - before.length
  expect({ status: answer.statusCode, noted, content: readFileSync(file, 'utf8') }).toMatchObject({ content: PRECIOUS })
})

test('a verb that is written as a name is refused, so that no command needs less than its rule says', async () => {
  const file = journalOf('keystore.json')
  const seat = await desk.seat('mallory')
  pass(LONG_MS)
  const spelled = { noun: 'restore', verb: 'export', names: [file], reason: 'a look' }
  expect(await desk.refused(post('/act', spelled, seat))).toEqual([401, 'STALE'])
  const other = { ...spelled, verb: '', names: ['export', file] }
  const answer = await desk.server.inject(post('/act', other, seat))
  expect([answer.statusCode, readFileSync(file, 'utf8')]).toEqual([400, PRECIOUS])
})
