/** Holds of payouts: one row per code and parameters, closed when its cause ends; answers belong to the row. */
import type { PayoutHold, Token } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sampleNetwork, tokenOf } from '../../../../tests/support/chains/samples.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { insertReturn } from '../deposits/unmatched.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import {
  closeHolds,
  holdPayout,
  insertDecision,
  listHeld,
  readApproved,
  readOpenHold,
  readShownHolds,
  resetClock,
  waitingAlike,
} from './holds.ts'
import { closeWithoutSwap, readPayout } from './payouts.ts'
import { countPaid, holdReorged, payAgain, readReorged, takeAsMade } from './reorged-payouts.ts'

const NATIVE = { symbol: 'SIM', contract: null, decimals: 18 }
const TOKEN: Token = tokenOf(sampleNetwork([NATIVE], { name: 'ALPHA', type: 'starkex' }), 'SIM')
const ACCOUNT = 'sim1wallet'
const NOW = new Date('2030-01-01T00:00:00Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)

const SCREENED: PayoutHold = { code: 'screened', address: 'sim1to', listing: 'sanctioned' }
const NEEDED: PayoutHold = { code: 'approval_needed' }
const NODE: PayoutHold = { code: 'trouble', error: 'RetryLater' }
const SHORT: PayoutHold = { code: 'trouble', error: 'TreasuryShort' }

let own: TestDatabase
let database: Database
beforeAll(async () => {
  own = await startDatabase()
})
afterAll(() => own.stop())
beforeEach(async () => {
  await database?.destroy()
  database = openDatabase(await own.createDatabase())
})
afterAll(() => database.destroy())

let made = 0
async function order(): Promise<PayoutRow> {
  const deposit = await database
    .insertInto('deposit')
    .values({
      ...{ network: 'ALPHA', tx_hash: `tx ${++made}`, index: 0, block_number: 1n, block_hash: 'x' },
      ...{ from_address: null, to_address: ACCOUNT, token: 'native', units: 1n, reference: null },
      ...{ swap_id: null, state: 'confirmed', confirmations_wanted: 1 },
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return insertReturn(database, {
    deposit,
    token: TOKEN,
    account: ACCOUNT,
    to: 'sim1to',
    units: 1n,
    keptUnits: 0n,
    now: NOW,
  })
}
const rows = (id: string) =>
  database.selectFrom('hold').selectAll().where('payout_id', '=', id).orderBy('sequence').execute()

test('the same hold keeps its id, whatever the error says; another one replaces it', async () => {
  const { id } = await order()
  await holdPayout(database, id, { hold: NODE, detail: 'node A is down', now: NOW })
  const first = await readOpenHold(database, id)
  await holdPayout(database, id, { hold: NODE, detail: 'node B is down', now: later(5) })
  expect(await readOpenHold(database, id)).toEqual({ ...first, detail: 'node B is down' })
  await holdPayout(database, id, { hold: SCREENED, now: later(10) })
  expect((await readOpenHold(database, id))?.hold).toEqual(SCREENED)
  expect((await rows(id)).map(({ closed_at }) => closed_at)).toEqual([later(10), null])
})

test('an objection that returns is a new hold', async () => {
  const { id } = await order()
  await holdPayout(database, id, { hold: NEEDED, now: NOW })
  const first = await readOpenHold(database, id)
  await holdPayout(database, id, { hold: SCREENED, now: later(1) })
  await holdPayout(database, id, { hold: NEEDED, now: later(2) })
  const again = await readOpenHold(database, id)
  expect(again?.hold).toEqual(NEEDED)
  expect(again?.id).not.toBe(first?.id)
})

test('the give-up clock runs through any trouble, and stops while a rule holds or nothing can be checked', async () => {
  const { id } = await order()
  const lasted = async (hold: PayoutHold, ms: number) =>
    (await holdPayout(database, id, { hold, now: later(ms) })).troubleMs
  expect(await lasted(NODE, 0)).toBe(0)
  expect(await lasted(SHORT, 5)).toBe(5)
  expect(await lasted(NEEDED, 10)).toBe(10)
  expect(await lasted(NODE, 15)).toBe(10)
  expect(await lasted({ code: 'trouble', error: 'NotLooked' }, 20)).toBe(15)
  expect(await lasted(NODE, 90)).toBe(15)
  await resetClock(database, [id])
  expect(await lasted(NODE, 95), 'after progress').toBe(0)
})

test('whatever clears the hold of a payout, or closes the payout, closes the row', async () => {
  const [freed, abandoned] = [await order(), await order()]
  for (const { id } of [freed, abandoned]) await holdPayout(database, id, { hold: NEEDED, now: NOW })
  await database.updateTable('payout').set({ held_by: null }).where('id', '=', freed.id).execute()
  await closeWithoutSwap(database, abandoned.id, 'abandoned', NOW)
  for (const { id } of [freed, abandoned]) expect(await readOpenHold(database, id)).toBeNull()
  // Lists still show why the payout was given up.
  const shown = await readShownHolds(database, [freed, { ...abandoned, state: 'abandoned' }])
  expect([...shown.keys()]).toEqual([abandoned.id])
})

test('a reorged payout waits for its own answer, whatever else holds it', async () => {
  const payout = await order()
  const evidence = { usedBy: 'another', block: { number: 7n, hash: 'x' }, reason: 'nonce 3 was used' }
  await holdReorged(database, { ...payout, tx_hash: 'former', block_number: 1n }, evidence, NOW)
  const reorged = await readOpenHold(database, payout.id)
  expect(reorged?.hold).toEqual({ code: 'payout_reorged', txHash: 'former', block: '1', evidence: 'nonce 3 was used' })
  await holdPayout(database, payout.id, { hold: { code: 'restore_doubt' }, now: later(5) })
  expect(await readOpenHold(database, payout.id)).toEqual(reorged)
  expect((await listHeld(database, 10)).map(({ hold }) => hold?.id)).toEqual([reorged?.id])
  expect((await readPayout(database, payout.id))?.held_by, 'whatever else is asked').toBe('undone')
  const decision = { by: 'ada', at: later(6) }
  expect(await payAgain(database, payout.id, decision)).toMatchObject({ held_by: null })
  expect(await readOpenHold(database, payout.id)).toBeNull()
  expect(await readReorged(database, payout.id)).toEqual({ id: reorged?.id, isAnswered: true, wasPaid: false })
  expect(await payAgain(database, payout.id, decision), 'answered already').toBeNull()
})

test('a reorged payout has no slot and stays open until it is answered, and the last answer counts', async () => {
  const payout = await order()
  const { id } = payout
  const evidence = { usedBy: null, block: { number: 7n, hash: 'x' }, reason: 'nonce 3 was used' }
  await holdReorged(database, { ...payout, tx_hash: 'former', block_number: 8n }, evidence, NOW)
  const change = database.updateTable('payout').where('id', '=', id)
  await expect(change.set({ started: true }).execute()).rejects.toThrow('payout_reorged_waits')
  await expect(change.set({ state: 'abandoned' }).execute()).rejects.toThrow('payout_reorged_waits')
  expect(await takeAsMade(database, id), 'nobody decided').toBeNull()
  await payAgain(database, id, { by: 'ada', at: NOW })
  expect(await takeAsMade(database, id), 'it is to be paid again').toBeNull()
  await countPaid(database, id, { by: 'bob', at: later(1) })
  await expect(change.set({ started: true }).execute()).rejects.toThrow('payout_reorged_waits')
  expect(await payAgain(database, id, { by: 'ada', at: later(2) }), 'decided').toBeNull()
  expect(await takeAsMade(database, id)).toMatchObject({ tx_hash: 'former', block_number: 8n, held_by: null })
  expect(await takeAsMade(database, id), 'once').toBeNull()
})

test('payouts wait alike by code and parameters, not by the text of their errors', async () => {
  const [one, same, other, ruled] = [await order(), await order(), await order(), await order()]
  await holdPayout(database, one.id, { hold: SHORT, detail: 'the treasury holds 1 of 2', now: NOW })
  await holdPayout(database, same.id, { hold: SHORT, detail: 'the treasury holds 3 of 4', now: NOW })
  await holdPayout(database, other.id, { hold: NODE, detail: 'the treasury holds 1 of 2', now: NOW })
  await holdPayout(database, ruled.id, { hold: NEEDED, now: NOW })
  expect(await waitingAlike(database, one, SHORT, 10)).toEqual([same.id])
})

test('an answered hold stays open beside the next question, until its objection ends', async () => {
  const payout = await order()
  const { id } = payout
  const approved = async () => ((await readApproved(database, [payout])).get(id) ?? []).map(({ hold }) => hold)
  await holdPayout(database, id, { hold: SCREENED, now: NOW })
  const holdId = (await readOpenHold(database, id))?.id ?? ''
  await insertDecision(database, { on: { holdId }, answer: 'approve', by: 'ada', at: NOW })
  await holdPayout(database, id, { hold: NEEDED, now: later(1) })
  expect(await approved()).toEqual([SCREENED])
  expect((await readOpenHold(database, id))?.hold).toEqual(NEEDED)
  await closeHolds(database, [holdId], later(2))
  expect(await approved()).toEqual([])
  expect((await readPayout(database, id))?.held_by).toBe('rule')
})
