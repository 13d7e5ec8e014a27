/** The rules of a payout are checked after the wallet's history was read: a pause, limit or rejection set meanwhile holds it. */
import { type ChainAdapter, RetryLater } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { holdOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { clearLimit, clearSwitch, setLimit, setSwitch } from '../../store/limits/safeguards.ts'
import { rejectPayout } from '../../store/payouts/payouts.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from './pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
/** A wallet's history is read again after this time. */
const LOOK_MS = 60_001

let database: TestDatabase
let hand: Hand
let healthy: ChainAdapter
let events: string[]
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})
beforeEach(() => {
  healthy = { ...adapter() }
  events = []
  Object.assign(adapter(), {
    prepare: async (...asked: Parameters<ChainAdapter['prepare']>) => {
      events.push('prepared')
      return healthy.prepare(...asked)
    },
    sign: async (...asked: Parameters<ChainAdapter['sign']>) => {
      events.push('signed')
      return healthy.sign(...asked)
    },
  })
})
afterEach(async () => {
  Object.assign(adapter(), healthy)
  await hand.services.database
    .updateTable('hold')
    .set({ closed_at: hand.services.now() })
    .where('account', 'is not', null)
    .execute()
  await clearSwitch(hand.services.database, 'service')
  await clearLimit(hand.services.database, 'hourly_outflow', `network:${TO}`)
  hand.passTime(LOOK_MS)
  await hand.runJobs()
})

const adapter = (): ChainAdapter => chainOf(hand.services.chains, TO)

async function owed(count = 1): Promise<CreatedSwap[]> {
  const swaps: CreatedSwap[] = []
  for (let made = 0; made < count; made++) swaps.push(await hand.swap(FROM, TO))
  for (const swap of swaps) hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  return swaps
}

async function outputOf(swap: CreatedSwap | undefined) {
  return hand.services.database
    .selectFrom('payout')
    .selectAll()
    .where('swap_id', '=', swap?.view.swap.id ?? '')
    .where('kind', '=', 'output')
    .executeTakeFirstOrThrow()
}

/** Calls `happens` while the payout's job reads the wallet's history. */
function duringHistoryCheck(happens: () => unknown): void {
  hand.passTime(LOOK_MS)
  let isDone = false
  Object.assign(adapter(), {
    balances: async (...asked: Parameters<ChainAdapter['balances']>) => {
      if (!isDone) await happens()
      isDone = true
      return healthy.balances(...asked)
    },
  })
}

/** Why the swap's output is held; it must not be started. */
async function heldFor(swap: CreatedSwap | undefined) {
  const { id, started } = await outputOf(swap)
  expect(started).toBe(false)
  return holdOf(hand.services.database, id)
}

test('a pause that is set while the history is read holds the payout', async () => {
  const [swap] = await owed()
  const pause = { scope: 'service' as const, stops_swaps: true, stops_payouts: true, reason: 'stop' }
  duringHistoryCheck(() => setSwitch(hand.services.database, pause))
  await pay(hand.services, (await outputOf(swap)).id)
  expect(await heldFor(swap)).toEqual({ code: 'paused', scope: 'service', note: 'stop' })
})

test('so does a limit', async () => {
  const [swap] = await owed()
  duringHistoryCheck(() => setLimit(hand.services.database, 'hourly_outflow', `network:${TO}`, 1n))
  await pay(hand.services, (await outputOf(swap)).id)
  expect(await heldFor(swap)).toEqual({ code: 'outflow_limit' })
})

test('a payout that is rejected while the history is read is not paid along', async () => {
  const [first, second] = await owed(2)
  const { id } = await outputOf(second)
  duringHistoryCheck(() => rejectPayout(hand.services.database, id, hand.services.now()))
  await pay(hand.services, (await outputOf(first)).id)
  expect(await outputOf(first)).toMatchObject({ started: true })
  expect(await outputOf(second)).toMatchObject({ started: false, rejected_at: expect.any(Date) })
})

test('a payout that is rejected after its own check is not paid', async () => {
  const [swap] = await owed()
  const { id } = await outputOf(swap)
  duringHistoryCheck(() => rejectPayout(hand.services.database, id, hand.services.now()))
  await pay(hand.services, id)
  expect(await outputOf(swap)).toMatchObject({ started: false, rejected_at: expect.any(Date) })
  expect(events).not.toContain('signed')
})

test("no slot is allocated for a wallet that the same job's history check has halted", async () => {
  const chain = adapter()
  const [known, late] = [...(await owed()), await hand.swap(FROM, TO)]
  hand.passTime(LOOK_MS)
  await pay(hand.services, (await outputOf(known)).id)
  hand.chain(TO).mine(10)
  await hand.watch(TO)
  const amount = { token: chain.network.nativeToken, units: 5n }
  const transfers = [{ to: known?.view.swap.destinationAddress ?? '', amount }]
  const theft = { kind: 'transfers', account: chain.treasury, transfers } as const
  const draft = await chain.prepare(theft, null)
  await chain.broadcast(await chain.sign(theft, await chain.nextSlot(theft, draft, []), draft))
  hand.chain(TO).mine(1)
  if (late) hand.deposit(late)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  hand.passTime(LOOK_MS)
  await pay(hand.services, (await outputOf(late)).id)
  expect(await heldFor(late)).toMatchObject({ code: 'unknown_outflow' })
  expect(await outputOf(late)).toMatchObject({ started: false })
})

test('the node prepares a payout once, after the history was read', async () => {
  const [swap] = await owed()
  duringHistoryCheck(() => events.push('history read'))
  await pay(hand.services, (await outputOf(swap)).id)
  expect(events).toEqual(['history read', 'prepared', 'signed'])
})

test('nothing of a job continues after the job has ended, even with an error', async () => {
  const [swap] = await owed()
  const { id } = await outputOf(swap)
  duringHistoryCheck(async () => {
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    events.push('history read')
  })
  let questions = 0
  const failing = {
    ...hand.services,
    // The job first resumes other payouts, which needs the time.
    now: () => {
      if (questions++ === 0) throw new RetryLater('no time')
      return hand.services.now()
    },
  }
  await pay(failing, id)
  const during = [...events]
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate)
  expect(events).toEqual(during)
})
