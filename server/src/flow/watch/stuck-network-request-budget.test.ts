/** Stuck payouts send few requests to their node, and do not delay others. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from '../payouts/pay.ts'
import { createWatcher } from './watch.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
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

/** A swap with a credited deposit; returns its output's id. */
async function ordered(): Promise<string> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  return outputOf(swap)
}

async function outputOf({ view }: CreatedSwap): Promise<string> {
  const rows = hand.services.database.selectFrom('payout').select('id').where('swap_id', '=', view.swap.id)
  return (await rows.executeTakeFirstOrThrow()).id
}

async function stateOf(id: string): Promise<string> {
  const rows = hand.services.database.selectFrom('payout').select('state').where('id', '=', id)
  return (await rows.executeTakeFirstOrThrow()).state
}

test('of six payouts that no node prepares one is tried, and all are paid once it succeeds', async () => {
  const chain = chainOf(hand.services.chains, TO)
  const healthy = chain.prepare
  const ids: string[] = []
  for (let i = 0; i < 6; i++) ids.push(await ordered())
  chain.prepare = () => Promise.reject(new RetryLater('no node answers'))
  await hand.runJobs()
  for (const id of ids) await pay(hand.services, id)
  let prepared = 0
  chain.prepare = async () => {
    prepared += 1
    throw new RetryLater('no node answers')
  }
  hand.passTime(60_000)
  await pay(hand.services, ids[0] ?? '')
  // No other job is due now: the first attempt postponed all of them.
  await hand.runJobs()
  expect(prepared).toBe(1)
  chain.prepare = healthy
  await pay(hand.services, ids[0] ?? '')
  hand.chain(TO).mine(TIER)
  await hand.watch(TO)
  expect(await Promise.all(ids.map(stateOf))).toEqual(ids.map(() => 'confirmed'))
})

test('a deposit whose inspection never ends delays no payout of its network', async () => {
  const id = await ordered()
  await hand.runJobs()
  const back = await hand.swap(TO, FROM)
  hand.deposit(back)
  const chain = chainOf(hand.services.chains, TO)
  const healthy = chain.inspect
  let answer = () => {}
  const told = new Promise<void>((resolve) => {
    answer = resolve
  })
  chain.inspect = async (...given) => {
    await told
    return healthy(...given)
  }
  hand.chain(TO).mine(TIER)
  const round = hand.watch(TO)
  await vi.waitFor(async () => expect(await stateOf(id)).toBe('confirmed'), { timeout: 5_000 })
  answer()
  await round
  chain.inspect = healthy
})

test('a head whose block no node has yet is polled with pauses', async () => {
  const chain = chainOf(hand.services.chains, FROM)
  const ahead: typeof chain = {
    ...chain,
    async scan(...given) {
      const scan = await chain.scan(...given)
      return { ...scan, head: { ...scan.head, number: scan.head.number + 1n } }
    },
  }
  const watcher = createWatcher(hand.services, ahead)
  // The test driver's watcher holds the lease for a moment.
  await vi.waitFor(async () => expect(await watcher.turn()).not.toBe(2_000), { timeout: 10_000, interval: 200 })
  expect(await watcher.turn()).toBe(chain.network.pollMs)
  expect(await watcher.turn()).toBe(chain.network.pollMs)
  await watcher.leave()
})
