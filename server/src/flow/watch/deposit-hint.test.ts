/** Anyone may send hints about deposits: hints delay only each other, and briefly. */
import type { ChainAdapter, Inspection } from '@causeway/core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { addJob, hintJob, lockedWorkers } from '../../store/db/jobs.ts'
import { runWorker } from '../run/worker.ts'
import { followHint } from './deposit-hint.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const TIER = 2

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

const adapter = (): ChainAdapter => chainOf(hand.services.chains, FROM)

test('a hint that waited too long asks no node', async () => {
  const { services } = hand
  const { inspect } = adapter()
  const asked: string[] = []
  Object.assign(adapter(), {
    inspect: (txHash: string): Promise<Inspection> => {
      asked.push(txHash)
      return Promise.resolve({ state: 'unknown' })
    },
  })
  const ago = (ms: number) => new Date(services.now().getTime() - ms)
  await followHint(services, { network: FROM, txHash: 'young', since: ago(29_000) })
  await followHint(services, { network: FROM, txHash: 'old', since: ago(31_000) })
  Object.assign(adapter(), { inspect })
  expect(asked).toEqual(['young'])
})

test('a node that does not answer is not waited for, and the hint is not retried', async () => {
  const { services } = hand
  const { inspect } = adapter()
  Object.assign(adapter(), { inspect: () => new Promise<never>(() => undefined) })
  await followHint(services, { network: FROM, txHash: 'x', since: services.now() }, 20)
  Object.assign(adapter(), { inspect })
})

test('a hint finds the deposit that it names', async () => {
  const { services } = hand
  const hash = hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine()
  await followHint(services, { network: FROM, txHash: hash, since: services.now() })
  const found = await services.database.selectFrom('deposit').select('state').where('tx_hash', '=', hash).execute()
  expect(found).toEqual([{ state: 'seen' }])
})

test('any number of hints for a hanging node delay no payout', async () => {
  const { services } = hand
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  const { inspect } = adapter()
  let asked = 0
  Object.assign(adapter(), {
    inspect: () => {
      asked++
      return new Promise<never>(() => undefined)
    },
  })
  for (let hint = 0; hint < 20; hint++) await addJob(services.database, hintJob(FROM, `hint ${hint}`))
  const stopping = new AbortController()
  const running = runWorker(services, stopping.signal)
  const output = () =>
    services.database
      .selectFrom('payout')
      .select('started')
      .where('swap_id', '=', swap.view.swap.id)
      .executeTakeFirstOrThrow()
  await vi.waitFor(
    async () => {
      expect(asked).toBe(1)
      expect((await output()).started).toBe(true)
    },
    { timeout: 4_000 },
  )
  Object.assign(adapter(), { inspect })
  // On stop, the queue does not wait until it has recorded the finished jobs.
  await eventually(async () => (await lockedWorkers(services.database)).length === 0, 'the jobs to be put down')
  stopping.abort()
  await running
})
