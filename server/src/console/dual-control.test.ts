/**
 * Dual control: a command that loosens a limit or gives much away is requested by one person and carried out once, when
 * another confirms it.
 */

import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../tests/support/database/database.ts'
import {
  get,
  openConsole,
  PASSWORD,
  post,
  type Seat,
  type TestConsole,
} from '../../../tests/support/service/console.ts'
import { holdIdOf } from '../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../tests/support/service/manual-driver.ts'
import { runCommand } from '../admin/cli/run.ts'
import { fingerprintOf } from '../admin/context/identity.ts'
import { haltWallet, listHalts, setHaltDifference } from '../store/limits/halts.ts'
import { listLimits, listSwitches, setLimit, setSwitch } from '../store/limits/safeguards.ts'
import { listAudit } from '../store/operators/audit.ts'
import { listOperators } from '../store/operators/operators.ts'
import { insertRequest, settleRequest } from '../store/operators/requests.ts'
import { readPayout } from '../store/payouts/payouts.ts'

const TIER = 2
const THIEF = generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString()
const PEOPLE: Record<string, string> = { ada: 'admin', eve: 'admin', olaf: 'operator', sue: 'support' }

let database: TestDatabase
let hand: Hand
let desk: TestConsole
const seats: Record<string, Seat> = {}

beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url, { FOUR_EYES_USD: '40' })
  desk = openConsole(hand.services, (ms) => hand.passTime(ms))
  for (const [name, role] of Object.entries(PEOPLE)) await desk.person(name, role)
  for (const name of Object.keys(PEOPLE)) seats[name] = await desk.seat(name)
  // Both admins vouch for the others, as if they had added them together.
  for (const { name, public_key: key } of await listOperators(hand.services.database)) {
    const values = { fingerprint: fingerprintOf(key ?? '') }
    for (const by of ['ada', 'eve'])
      if (PEOPLE[name] !== 'admin') await desk.told(act(by, 'operator', 'vouch', values, [name]))
  }
})
afterAll(async () => {
  await desk.server.close()
  await hand.stop()
  await database.stop()
})
const act = (who: string, noun: string, verb: string, values: Record<string, string>, names: string[] = []) =>
  post('/act', { noun, verb, values, names, reason: `${who} says so` }, seats[who])
const confirm = (who: string, id: string) => act(who, 'request', 'confirm', { id })
const listed = async () => (await desk.told(get('/look/request/list', seats.sue))).tables[0]?.rows ?? []

async function asked(who: string, noun: string, verb: string, values: Record<string, string>): Promise<string> {
  const { asked: id } = await desk.told(act(who, noun, verb, values))
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  return id
}

async function pause(reason = 'a look'): Promise<void> {
  await setSwitch(hand.services.database, { scope: 'network:ALPHA', stops_swaps: true, stops_payouts: true, reason })
}
const paused = async () => (await listSwitches(hand.services.database)).map(({ scope }) => scope)

/** A payout of this many dollars that waits for an approval, and its hold. */
async function held(amount: string): Promise<{ id: string; hold: string }> {
  const { services } = hand
  await setLimit(services.database, 'approval_above', 'service', 1n)
  const swap = await hand.swap('ALPHA', 'BETA', { amount })
  hand.deposit(swap)
  hand.chain('ALPHA').mine(TIER)
  await hand.watch('ALPHA')
  await hand.runJobs()
  const rows = services.database.selectFrom('payout').select('id').where('swap_id', '=', swap.view.swap.id)
  const { id } = await rows.executeTakeFirstOrThrow()
  return { id, hold: await holdIdOf(services.database, id) }
}
const approved = async (id: string) => {
  const decisions = hand.services.database.selectFrom('decision').innerJoin('hold', 'hold.id', 'decision.hold_id')
  const rows = await decisions.select('decision.by').where('hold.payout_id', '=', id).execute()
  return rows[0]?.by ?? null
}

test('a loosening command needs two people, and the log names both', async () => {
  await pause()
  const id = await asked('ada', 'switch', 'resume', { scope: 'network:ALPHA' })
  expect(await paused()).toEqual(['network:ALPHA'])
  expect((await desk.told(get('/overview', seats.sue))).waiting).toMatchObject([{ kind: 'request', id }])
  expect(await listed()).toMatchObject([
    [id, 'switch resume', 'scope network:ALPHA', 'paused: a look', '', 'ada says so', 'ada', {}],
  ])
  expect(await desk.refused(confirm('ada', id))).toEqual([400, 'NOT_VALID'])
  expect(await desk.refused(confirm('sue', id))).toEqual([403, 'ROLE'])
  expect(await desk.refused(confirm('olaf', id))).toEqual([400, 'NOT_VALID'])
  expect(await paused()).toEqual(['network:ALPHA'])
  await desk.told(confirm('eve', id))
  expect(await paused()).toEqual([])
  expect(await listed()).toEqual([])
  const [resumed] = await listAudit(hand.services.database, 1)
  expect(resumed).toMatchObject({ actor: 'console eve', action: 'resumed' })
  expect(resumed?.data).toMatchObject({ scope: 'network:ALPHA', askedBy: 'ada', reason: 'ada says so' })
})

test('a request with a key and a confirmation by password are one person, and the database enforces it', async () => {
  await pause()
  const id = await asked('ada', 'switch', 'resume', { scope: 'network:ALPHA' })
  const { database: db, now } = hand.services
  const words = ['request', 'confirm', '--id', id]
  const own = runCommand({ database: db, actor: 'ada', role: 'admin', now, fourEyesUsd: 40, print: () => 0 }, words)
  await expect(own).rejects.toThrow('another person')
  const request = { command: 'x', words: [], seen: '', usd: null, reason: null, asked_by: 'ada', asked_at: now() }
  const made = await insertRequest(db, request)
  await expect(settleRequest(db, made, { outcome: 'confirmed', by: 'ada', at: now() })).rejects.toThrow('by_another')
  expect(await settleRequest(db, made, { outcome: 'refused', by: 'ada', at: now() })).toBe(true)
  await desk.told(confirm('eve', id))
})

test('a request is done once, however many confirm it at once', async () => {
  await pause()
  const id = await asked('olaf', 'payout', 'approve', await held('60'))
  const answers = await Promise.all(['ada', 'eve', 'ada'].map((who) => desk.server.inject(confirm(who, id))))
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400, 400])
  await desk.told(
    act('ada', 'request', 'refuse', { id: await asked('ada', 'switch', 'resume', { scope: 'network:ALPHA' }) }),
  )
  expect(await paused()).toEqual(['network:ALPHA'])
})

test('a request is refused if its object has changed since', async () => {
  await pause()
  const { database: db, now } = hand.services
  const resume = await asked('ada', 'switch', 'resume', { scope: 'network:ALPHA' })
  await pause('something worse')
  expect(await desk.refused(confirm('eve', resume))).toEqual([400, 'NOT_VALID'])
  expect(await paused()).toEqual(['network:ALPHA'])
  const wallet = { network: 'BETA', wallet: 'sim1wallet' }
  const halted = { network: 'BETA', account: 'sim1wallet' }
  await haltWallet(db, halted, { code: 'operator', note: 'a look' }, now())
  const hold = async () => (await listHalts(db)).flatMap(({ causes }) => causes.map(({ id }) => id)).join(',')
  const release = await asked('ada', 'wallet', 'release', { ...wallet, hold: await hold() })
  await setHaltDifference(db, { network: 'BETA', account: 'sim1wallet', token: 'native', units: 5n, at: now() })
  expect(await desk.refused(confirm('eve', release))).toEqual([400, 'NOT_VALID'])
  expect(await listHalts(db)).toHaveLength(1)
  await desk.told(
    confirm('eve', await asked('ada', 'wallet', 'release', { ...wallet, hold: await hold(), accept: '5' })),
  )
  expect(await listHalts(db)).toEqual([])
})

test('a payout above the threshold is approved by two people, one below it by one', async () => {
  const [large, small] = [await held('50'), await held('30')]
  await desk.told(act('olaf', 'payout', 'approve', small))
  expect(await approved(small.id)).toBe('console olaf')
  const id = await asked('olaf', 'payout', 'approve', large)
  expect(await approved(large.id)).toBeNull()
  // The confirmer sees how much goes where.
  const to = (await readPayout(hand.services.database, large.id))?.to_address
  const [row] = (await listed()).filter(([own]: string[]) => own === id)
  expect(row[3]).toMatch(new RegExp(`^49\\.\\d+ USDC \\(\\$49\\.\\d+\\) on BETA to ${to}: `))
  await desk.told(confirm('ada', id))
  expect(await approved(large.id)).toBe('console ada')
})

test('without a known price two people are needed', async () => {
  const { id, hold } = await held('30')
  const { database: db, now } = hand.services
  const onCommandLine = { database: db, actor: 'olaf', role: 'operator' as const, now, fourEyesUsd: 40, print: () => 0 }
  await runCommand(onCommandLine, ['payout', 'approve', '--id', id, '--hold', hold])
  expect(await approved(id)).toBeNull()
})

test('one person may stop things and tighten limits', async () => {
  const { database: db } = hand.services
  const limit = (usd: string) => act('ada', 'limit', 'set', { kind: 'swap_max', scope: 'network:beta', usd })
  const limits = async () => (await listLimits(db)).filter(({ kind }) => kind === 'swap_max').map(({ usd }) => usd)
  for (const usd of ['100', '90']) expect((await desk.told(limit(usd))).asked).toBeNull()
  expect((await desk.told(limit('91'))).asked).not.toBeNull()
  expect(await limits()).toEqual([90n * 10n ** 18n])
  // The hourly limit has a default.
  const outflow = { kind: 'hourly_outflow', scope: 'network:BETA', usd: '1' }
  expect((await desk.told(act('ada', 'limit', 'set', outflow))).asked).not.toBeNull()
  const stop = { scope: 'network:BETA', what: 'both' }
  expect((await desk.told(act('olaf', 'switch', 'pause', stop))).asked).toBeNull()
})

test('one of two admins can neither remove the other nor add a third', async () => {
  const alone = [
    act('ada', 'operator', 'remove', {}, ['eve']),
    act('ada', 'operator', 'role', { role: 'viewer' }, ['eve']),
    act('ada', 'operator', 'role', { role: 'admin' }, ['olaf']),
    act('ada', 'operator', 'add', { role: 'viewer', key: THIEF }, ['thief']),
  ]
  for (const request of alone) expect((await desk.told(request)).asked).not.toBeNull()
  await desk.told(get('/overview', seats.eve))
})

test('support proposes where a refund goes; an operator confirms it', async () => {
  const { view } = await hand.swap('ALPHA', 'BETA')
  const values = { id: view.swap.id, to: accountFrom('somewhere').address }
  const id = await asked('sue', 'swap', 'refund', values)
  expect(await desk.refused(act('sue', 'payout', 'approve', { id: values.id }))).toEqual([403, 'ROLE'])
  // Nothing is owed for it: the confirmation reports that, through the same function.
  expect(await desk.refused(confirm('olaf', id))).toEqual([400, 'NOT_VALID'])
})

test('a confirmation needs a recent password', async () => {
  await pause()
  const id = await asked('ada', 'switch', 'resume', { scope: 'network:ALPHA' })
  hand.passTime(6 * 60_000)
  expect(await desk.refused(confirm('eve', id))).toEqual([401, 'STALE'])
  await desk.told(post('/prove', { password: PASSWORD, code: desk.codeOf('eve') }, seats.eve))
  await desk.told(confirm('eve', id))
})

test('a removed operator can request nothing, and a request of yesterday has expired', async () => {
  await desk.person('leaver', 'operator')
  seats.ada = await desk.seat('ada')
  seats.leaver = await desk.seat('leaver')
  const id = await asked('leaver', 'payout', 'approve', await held('50'))
  await desk.told(act('ada', 'operator', 'remove', {}, ['leaver']))
  expect(await desk.refused(confirm('eve', id))).toEqual([400, 'NOT_VALID'])
  seats.olaf = await desk.seat('olaf')
  const old = await asked('olaf', 'payout', 'approve', await held('50'))
  hand.passTime(24 * 3_600_000)
  seats.eve = await desk.seat('eve')
  expect(await desk.refused(confirm('eve', old))).toEqual([400, 'NOT_VALID'])
  expect((await desk.told(get('/look/request/list', seats.eve))).tables).toEqual([])
})
