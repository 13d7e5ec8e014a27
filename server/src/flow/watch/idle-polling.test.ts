/**
 * A network without pending work is polled rarely, by one process for all, and at full rate as soon as work arrives.
 */
import type { ChainAdapter } from '@causeway/core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findChain } from '../../../../chains/simulated/local/src/index.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { createMarket, type Market } from '../../market/market.ts'
import { keepMarketFresh } from '../run/market-loop.ts'
import { openHeadFeed } from './head-feed.ts'
import { createWatcher } from './watch.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const [POLL_MS, IDLE_MS] = [1_000, 20_000]

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

/** The chain with a real network's poll intervals, and a counter of its scans. */
function counted(name: string) {
  const chain = chainOf(hand.services.chains, name)
  const count = { scans: 0 }
  const slow: ChainAdapter = {
    ...chain,
    network: { ...chain.network, pollMs: POLL_MS, idlePollMs: IDLE_MS },
    scan(...given) {
      count.scans += 1
      return chain.scan(...given)
    },
  }
  return { chain: slow, count }
}

test('it is scanned once per idle interval, and at once when a swap is created', async () => {
  const { chain, count } = counted(FROM)
  const watcher = createWatcher(hand.services, chain)
  await vi.waitFor(
    async () => {
      await watcher.turn()
      expect(count.scans).toBe(1)
    },
    { timeout: 10_000, interval: 200 },
  )
  for (let i = 0; i < 5; i++) {
    hand.passTime(POLL_MS)
    expect(await watcher.turn()).toBe(POLL_MS)
  }
  expect(count.scans).toBe(1)
  hand.passTime(IDLE_MS - 5 * POLL_MS)
  await watcher.turn()
  expect(count.scans).toBe(2)
  await hand.swap(FROM, TO)
  hand.passTime(POLL_MS)
  await watcher.turn()
  expect(count.scans).toBe(3)
  await watcher.leave()
})

test('with announced heads it is polled on announcement, and regularly after a missed one', async () => {
  const { chain, count } = counted(FROM)
  let tell = () => {}
  const telling: ChainAdapter = {
    ...chain,
    headFeed: {
      announces: 'every-head',
      subscribe(listener) {
        tell = listener
        return () => undefined
      },
    },
  }
  const heads = openHeadFeed(telling, () => hand.services.now().getTime())
  const watcher = createWatcher(hand.services, telling, undefined, heads)
  await hand.swap(FROM, TO)
  const turns = async (most: number) => {
    const before = count.scans
    for (let i = 0; i < most; i++) {
      heads.begin()
      await watcher.turn()
      hand.passTime(POLL_MS)
    }
    return count.scans - before
  }
  await vi.waitFor(async () => expect(await turns(1)).toBe(1), { timeout: 10_000, interval: 200 })
  expect(await turns(5)).toBe(5)
  findChain(FROM).chain.mine(1)
  tell()
  expect(await turns(5)).toBe(1)
  expect(await turns(20)).toBe(1)
  // A head that is announced but not there yet is polled for until it is.
  tell()
  expect(await turns(3)).toBe(3)
  findChain(FROM).chain.mine(1)
  expect(await turns(5)).toBe(1)
  // A head that was not announced: from now on announcements are not trusted.
  findChain(FROM).chain.mine(1)
  await turns(20)
  expect(await turns(5)).toBe(5)
  await watcher.leave()
})

test('hints end at most one pause per second, and polling continues', async () => {
  let tell = () => {}
  const telling: ChainAdapter = {
    ...counted(FROM).chain,
    headFeed: {
      announces: 'hints',
      subscribe(listener) {
        tell = listener
        return () => undefined
      },
    },
  }
  const heads = openHeadFeed(telling, () => hand.services.now().getTime())
  const over = new AbortController()
  const paused = () => {
    heads.begin()
    return heads.pause(3_600_000, over.signal)
  }
  const first = paused()
  tell()
  await first
  let isOver = false
  const second = paused().then(() => (isOver = true))
  tell()
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  hand.passTime(1_000)
  tell()
  await second
  expect(heads.areQuiet()).toBe(false)
})

test('one of two processes reads fees and balances, and both know them', async () => {
  const { services } = hand
  const network = { ...services.catalogue.network(TO), pollMs: POLL_MS, idlePollMs: IDLE_MS }
  const asked: string[] = []
  let turns = 0
  const marketOf = (name: string): Market => {
    const chain = chainOf(services.chains, TO)
    const fees = () => {
      asked.push(name)
      return chain.fees()
    }
    const { config, database: db, catalogue, now } = services
    const prices = { name: 'none', read: async () => new Map() }
    const chains = new Map([[TO, { ...chain, network, fees }]])
    const market = createMarket({ config, database: db, catalogue, chains, prices, rules: () => null, now })
    const readStored = async () => {
      turns += 1
      await market.readStored()
    }
    return { ...market, readStored }
  }
  const [one, other] = [marketOf('one'), marketOf('other')]
  const stop = new AbortController()
  const nothing = { refresh: async () => undefined } as never
  const services2 = { ...services, safeguards: nothing, campaigns: nothing }
  const catalogue = { ...services.catalogue, networks: [network] }
  hand.passTime(120_000)
  const loops = [one, other].map((market) => keepMarketFresh({ ...services2, catalogue, market }, stop.signal, 20))
  await vi.waitFor(
    () => expect([one.balance(network.nativeToken), other.balance(network.nativeToken)]).not.toContain(null),
    {
      timeout: 10_000,
    },
  )
  turns = 0
  await vi.waitFor(() => expect(turns).toBeGreaterThan(10), { timeout: 10_000 })
  expect(asked).toHaveLength(1)
  expect(one.balance(network.nativeToken)).toEqual(other.balance(network.nativeToken))
  stop.abort()
  // Otherwise a last turn would take the lease that the next test needs.
  await Promise.all(loops)
})

test('a reading made by a clock that is ahead is not fresh, and is repeated', async () => {
  const { config, database: db, catalogue, chains } = hand.services
  const network = { ...catalogue.network(TO), pollMs: POLL_MS, idlePollMs: IDLE_MS }
  const prices = { name: 'none', read: async () => new Map() }
  let asked = 0
  const chain = chainOf(chains, TO)
  const counting = {
    ...chain,
    network,
    fees() {
      asked += 1
      return chain.fees()
    },
  }
  const marketAt = (now: () => Date): Market =>
    createMarket({ config, database: db, catalogue, chains: new Map([[TO, counting]]), prices, rules: () => null, now })
  hand.passTime(3_600_000)
  const { now } = hand.services
  const ahead = marketAt(() => new Date(now().getTime() + 3_600_000))
  await ahead.refresh(network)
  const right = marketAt(now)
  await right.readStored()
  asked = 0
  const before = now().getTime()
  await db.deleteFrom('lease').where('name', '=', `market:${TO}`).execute()
  await right.refreshStored(network, 60_000)
  expect(asked).toBe(1)
  const at = right.balance(network.nativeToken)?.at.getTime() ?? 0
  expect(at >= before && at <= now().getTime()).toBe(true)
})
