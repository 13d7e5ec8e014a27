/** A process whose clock differs from the database's alerts, and above thirty seconds decides nothing. */
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { createClock, judgeSkew, skewOf } from '../../market/clock.ts'
import { createSwap } from '../../swaps/create-swap.ts'
import { createWatcher } from '../watch/watch.ts'
import { createScheduler } from './scheduler.ts'
import { whileClockIsRight } from './worker.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const PACE = { ttlMs: 6_000, renewMs: -1, keepMs: 2_000 }
let database: TestDatabase
let hand: Hand

beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

const alerts = async () => (await hand.services.metrics.alerts.get()).values[0]?.value ?? 0
const gauge = async () => (await hand.services.metrics.clockSkew.get()).values[0]?.value ?? 0

/** A process whose clock is ahead of the database's by a difference that the test sets. */
function processWithClock() {
  const { services } = hand
  const moved = { aheadMs: 0 }
  const now = () => new Date(Date.now() + moved.aheadMs)
  const clock = createClock({ ...services, now })
  return { moved, clock, services: { ...services, clock } }
}

it('measures no difference if the answer lies within the call, and never more than there is', () => {
  const time = fc.integer({ min: 0, max: 10 ** 12 })
  const cases = fc.record({
    asked: time,
    tookMs: fc.integer({ min: 0, max: 60_000 }),
    ahead: fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
  })
  fc.assert(
    fc.property(cases, fc.double({ min: 0, max: 1, noNaN: true }), ({ asked, tookMs, ahead }, part) => {
      const remote = asked + Math.floor(tookMs * part) - ahead
      const skew = skewOf(remote, asked, asked + tookMs)
      expect(Math.abs(skew)).toBeLessThanOrEqual(Math.abs(ahead))
      expect(Math.abs(skew)).toBeGreaterThanOrEqual(Math.abs(ahead) - tookMs)
      expect(skew === 0 || Math.sign(skew) === Math.sign(ahead)).toBe(true)
    }),
  )
})

it('alerts above two seconds and stops above thirty, in either direction', () => {
  const states = [0, 2_000, 2_001, 30_000, 30_001].map((ms) => [judgeSkew(ms), judgeSkew(-ms)])
  expect(states).toEqual([
    ['right', 'right'],
    ['right', 'right'],
    ['skewed', 'skewed'],
    ['skewed', 'skewed'],
    ['wrong', 'wrong'],
  ])
})

it('alerts once for a small difference, and the process goes on', async () => {
  const { moved, clock } = processWithClock()
  await clock.check()
  expect(await alerts()).toBe(0)
  moved.aheadMs = 10_000
  await clock.check()
  await clock.check()
  expect([await alerts(), clock.isTrusted()]).toEqual([1, true])
  expect(await gauge()).toBeGreaterThan(2)
})

it('a process whose clock is hours ahead credits, expires, signs and offers nothing until it is right', async () => {
  const { moved, clock, services } = processWithClock()
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(7)
  moved.aheadMs = 7 * 3_600_000
  await clock.check()
  expect([await alerts(), clock.isTrusted()]).toEqual([1, false])
  const chain = services.chains.get(FROM)
  if (!chain) throw new Error('no chain')
  await services.database
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .execute()
  const watcher = createWatcher(services, chain, PACE)
  await watcher.turn()
  await createScheduler({ ...services, now: () => new Date(Date.now() + moved.aheadMs) }).turn()
  expect(await services.database.selectFrom('deposit').selectAll().execute()).toEqual([])
  const status = () => services.database.selectFrom('swap').select('status').executeTakeFirstOrThrow()
  expect(await status()).toEqual({ status: 'user_transfer_pending' })
  let paid = 0
  const { pay } = whileClockIsRight(services, { pay: async () => void paid++ })
  await expect(pay?.({}, {} as never)).rejects.toThrow('clock is wrong')
  expect(paid).toBe(0)
  const request = {
    ...{ sourceNetwork: FROM, sourceToken: 'USDC', destinationNetwork: TO, destinationToken: 'USDC', amount: '50' },
    ...{ refuel: false, useDepository: false, useGasless: false, slippage: null, useNewDepositAddress: true },
    ...{ sourceAddress: null, sourceExchange: null, destinationExchange: null, correlationId: null },
    ...{ useDepositAddress: false, referenceId: null, appId: null, appName: null, refundAddress: null },
    destinationAddress: swap.view.swap.destinationAddress,
  }
  await expect(createSwap(services, request)).rejects.toMatchObject({ code: 'SERVICE_STARTING' })
  moved.aheadMs = 0
  await clock.check()
  expect(clock.isTrusted()).toBe(true)
  await pay?.({}, {} as never)
  expect(paid).toBe(1)
  await watcher.turn()
  expect(await status()).toEqual({ status: 'ls_transfer_pending' })
  expect(await createSwap(services, request)).toMatchObject({ view: { swap: { status: 'user_transfer_pending' } } })
})
