/**
 * An operator's answer names the hold that was shown and covers nothing else, on the command line and at the console.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { openConsole, post, type Seat, type TestConsole } from '../../../../tests/support/service/console.ts'
import { holdIdOf, holdOf, releaseWords, screenerBy } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { pay } from '../../flow/payouts/pay.ts'
import { haltWallet, listHalts } from '../../store/limits/halts.ts'
import { clearLimit, setLimit } from '../../store/limits/safeguards.ts'
import { readPayout } from '../../store/payouts/payouts.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const DEEP = 7
const DUAL_CONTROL_USD = '40'
let database: TestDatabase
let hand: Hand
let desk: TestConsole
const seats: Record<string, Seat> = {}
const listed = new Set<string>()
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url, { FOUR_EYES_USD: DUAL_CONTROL_USD })
  desk = openConsole(hand.services, (ms) => hand.passTime(ms))
  for (const name of ['ada', 'eve']) {
    await desk.person(name, 'admin')
    seats[name] = await desk.seat(name)
  }
  Object.assign(hand.services, { screener: screenerBy((address) => (listed.has(address) ? 'sanctioned' : null)) })
})
afterAll(async () => {
  await desk.server.close()
  await hand.stop()
  await database.stop()
})
beforeEach(() => setLimit(db(), 'approval_above', 'service', 1n))
afterEach(async () => {
  listed.clear()
  await clearLimit(db(), 'approval_above', 'service')
})

const db = () => hand.services.database
const run = (...words: string[]) => admin(hand.services, ...words)
const act = (noun: string, verb: string, values: Record<string, string>, by = 'ada') =>
  post('/act', { noun, verb, values, names: [], reason: `${by} says so` }, seats[by])

/** A payout above the threshold, as an operator is shown it. */
async function shown(amount: string): Promise<{ id: string; hold: string }> {
  const swap = await hand.swap(FROM, TO, { amount })
  hand.deposit(swap)
  hand.chain(FROM).mine(DEEP)
  await hand.watch(FROM)
  await hand.runJobs()
  const rows = db().selectFrom('payout').select('id').where('swap_id', '=', swap.view.swap.id)
  const { id } = await rows.executeTakeFirstOrThrow()
  expect(await holdOf(db(), id)).toMatchObject({ code: 'approval_needed' })
  return { id, hold: await holdIdOf(db(), id) }
}

/** While the operator thinks, the recipient is listed and the payout is checked again. */
async function becomesScreened(id: string): Promise<void> {
  const { to_address: recipient = '' } = (await readPayout(db(), id)) ?? {}
  listed.add(recipient)
  await pay(hand.services, id)
  expect(await holdOf(db(), id)).toMatchObject({ code: 'screened' })
}

async function expectUnanswered(id: string): Promise<void> {
  await hand.runJobs()
  expect(await readPayout(db(), id)).toMatchObject({ state: 'open', started: false, rejected_at: null })
  const decisions = db().selectFrom('decision').innerJoin('hold', 'hold.id', 'decision.hold_id')
  expect(await decisions.select('decision.id').where('hold.payout_id', '=', id).execute()).toEqual([])
}

test('command line: an answer to a replaced hold is refused in one line that names the new one', async () => {
  const { id, hold } = await shown('30')
  await becomesScreened(id)
  const now = await holdIdOf(db(), id)
  for (const verb of ['approve', 'reject']) {
    const answer = run('payout', verb, '--id', id, '--hold', hold)
    const way = `payout ${verb} --id ${id} --hold ${now}`
    await expect(answer).rejects.toThrow(
      new RegExp(`^the hold ${hold} is not open: open is ${now}: .*screened.*; .*${way}$`),
    )
  }
  await expectUnanswered(id)
})

test('command line: without an id nothing is guessed, and the line says what to run', async () => {
  const { id, hold } = await shown('30')
  for (const verb of ['approve', 'reject']) {
    const answer = run('payout', verb, '--id', id)
    await expect(answer).rejects.toThrow(`--hold is needed: open is ${hold}: it needs an approval`)
    await expect(answer).rejects.toThrow(`to answer that: npm run admin -- payout ${verb} --id ${id} --hold ${hold}`)
  }
  await expectUnanswered(id)
  expect(await run('payout', 'approve', '--id', id, '--hold', hold)).toContain('payout approved')
  await hand.runJobs()
  expect(await readPayout(db(), id)).toMatchObject({ started: true })
  await expect(run('payout', 'reject', '--id', id, '--hold', hold)).rejects.toThrow(
    `the hold ${hold} is not open: nothing holds the payout ${id} now`,
  )
})

test('command line: the hold of another payout answers nothing', async () => {
  const [one, other] = [await shown('30'), await shown('30')]
  await expect(run('payout', 'approve', '--id', one.id, '--hold', other.hold)).rejects.toThrow('is not open')
  await expectUnanswered(one.id)
})

test('an approval removes the objection that was shown and no other', async () => {
  await clearLimit(db(), 'approval_above', 'service')
  const swap = await hand.swap(FROM, TO, { amount: '30' })
  listed.add(swap.view.swap.destinationAddress)
  hand.deposit(swap)
  hand.chain(FROM).mine(DEEP)
  await hand.watch(FROM)
  await hand.runJobs()
  const rows = db().selectFrom('payout').select('id').where('swap_id', '=', swap.view.swap.id)
  const { id } = await rows.executeTakeFirstOrThrow()
  await run('payout', 'approve', '--id', id, '--hold', await holdIdOf(db(), id))
  await setLimit(db(), 'approval_above', 'service', 1n)
  await hand.runJobs()
  expect(await readPayout(db(), id)).toMatchObject({ started: false })
  expect(await holdOf(db(), id)).toMatchObject({ code: 'approval_needed' })
})

test('console: an answer to a hold that was replaced meanwhile is refused', async () => {
  const { id, hold } = await shown('30')
  await becomesScreened(id)
  for (const verb of ['approve', 'reject']) {
    expect(await desk.refused(act('payout', verb, { id, hold }))).toEqual([400, 'NOT_VALID'])
    expect(await desk.refused(act('payout', verb, { id }))).toEqual([400, 'NOT_VALID'])
  }
  await expectUnanswered(id)
})

test('dual control: the second person approves exactly the hold that the first one was shown', async () => {
  const { id, hold } = await shown('60')
  expect(await desk.refused(act('payout', 'approve', { id })), 'a request names the hold').toEqual([400, 'NOT_VALID'])
  const { asked } = await desk.told(act('payout', 'approve', { id, hold }))
  await becomesScreened(id)
  expect(await desk.refused(act('request', 'confirm', { id: asked }, 'eve'))).toEqual([400, 'NOT_VALID'])
  await expectUnanswered(id)
})

test('dual control: the decision keeps the request that was confirmed', async () => {
  const { id, hold } = await shown('60')
  const { asked } = await desk.told(act('payout', 'approve', { id, hold }))
  await desk.told(act('request', 'confirm', { id: asked }, 'eve'))
  const [decision] = await db().selectFrom('decision').selectAll().where('hold_id', '=', hold).execute()
  expect(decision).toMatchObject({ answer: 'approve', by: 'console eve', request_id: asked })
})

test('a release names every cause: one that was added meanwhile keeps the wallet halted', async () => {
  const place = { network: TO, account: chainOf(hand.services.chains, TO).treasury }
  await haltWallet(db(), place, { code: 'operator', note: 'a look' }, hand.services.now())
  const words = await releaseWords(db(), TO, place.account)
  const hold = words.at(-1) ?? ''
  const without = run('wallet', 'release', '--network', TO, '--wallet', place.account)
  await expect(without).rejects.toThrow(new RegExp(`--hold is needed: open is ${hold}: a look; .* --hold ${hold}$`))
  await run('wallet', 'halt', '--network', TO, '--wallet', place.account, '--reason', 'its key has leaked')
  await expect(run('wallet', 'release', ...words)).rejects.toThrow(/is not what the wallet is halted for now: .*leaked/)
  const asked = { network: TO, wallet: place.account, hold }
  expect(await desk.refused(act('wallet', 'release', asked))).toEqual([400, 'NOT_VALID'])
  expect((await listHalts(db()))[0]?.causes).toHaveLength(2)
  await run('wallet', 'release', ...(await releaseWords(db(), TO, place.account)))
  expect(await listHalts(db())).toEqual([])
})

test('decisions are append-only', async () => {
  await expect(db().updateTable('decision').set({ by: 'mallory' }).execute()).rejects.toThrow('append-only')
  await expect(db().deleteFrom('decision').execute()).rejects.toThrow('append-only')
})
