/** Legs that an aggregator may execute: when its call is taken, and that a slot keeps it. */
import { type Exchange, parseRoute, routeText } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createExchangeDouble } from '../../../../tests/support/chains/exchange-double.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import type { NoOffer, Offer } from '../../providers/aggregators.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from '../payouts/pay.ts'

const FROM = 'ALPHA'
const AGGREGATOR = { name: 'one', kind: 'oneinch_v6' as const, router: 'router of one', url: 'http://unused' }

let database: TestDatabase
let hand: Hand
/** How often the aggregator was asked, and what it answers; null: it offers a call of its own. */
let asked = 0
let answer: NoOffer | null = null
/** The percentage of the pool's output that the aggregator's call gives. */
let percent = 100n
const double = createExchangeDouble(() => hand)
const { exchange } = double
const isOffered = ({ route }: Pick<Exchange, 'route'>) => parseRoute(route).kind === AGGREGATOR.kind

beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  double.install()
  Object.assign(hand.services.catalogue.network(FROM), { aggregators: [AGGREGATOR] })
  Object.assign(hand.services.aggregators, {
    ask: async ({ route }: Exchange): Promise<(Offer | NoOffer)[]> => {
      asked++
      const { path, native } = parseRoute(route)
      const { kind, router } = AGGREGATOR
      const own = routeText({ kind, router, path, native, data: `0x0${asked}` })
      return [answer ?? { aggregator: AGGREGATOR, promisedUnits: (exchange.received * percent) / 100n, route: own }]
    },
  })
  double.outOf = (one) => (isOffered(one) ? (exchange.received * percent) / 100n : exchange.received)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})
beforeEach(() => {
  Object.assign(exchange, { received: 0n, allowance: 0n, signed: 0, approved: [], orders: [] })
  asked = 0
  answer = null
  percent = 100n
})

function never(): never {
  throw new Error('the network has exchanges')
}

async function settle(): Promise<void> {
  hand.chain(FROM).mine(hand.services.catalogue.network(FROM).finalDepth + 1)
  await hand.watch(FROM)
}

/** A credited swap whose sale may be made at once. */
async function waitingSale() {
  const swap = await double.swapWith('sale')
  hand.deposit(swap)
  await settle()
  const sale = await saleOf(swap)
  Object.assign(exchange, { received: BigInt(sale?.leg?.minUnits ?? 0) + 1n, allowance: sale?.units })
  return swap
}

async function saleOf({ view }: CreatedSwap) {
  const sales = hand.services.database.selectFrom('payout').selectAll().where('kind', '=', 'sale')
  return sales.where('swap_id', '=', view.swap.id).executeTakeFirst()
}

async function work(swap: CreatedSwap): Promise<void> {
  for (let round = 0; round < 4; round++) {
    const sale = await saleOf(swap)
    if (sale?.state === 'open') await pay(hand.services, sale.id)
    await settle()
  }
}

test.each([
  ['as much as', 100n],
  ['more than', 101n],
])('a call that gives %s the pool is taken, made once, and shown as the provider', async (_, given) => {
  percent = given
  const swap = await waitingSale()
  await work(swap)
  expect(await saleOf(swap)).toMatchObject({ state: 'confirmed', leg: { provider: 'one' } })
  expect(exchange.signed).toBe(1)
  expect(exchange.orders.every(isOffered)).toBe(true)
})

test('a call that gives less than the pool is not taken', async () => {
  const swap = await waitingSale()
  exchange.received *= 2n
  percent = 99n
  await work(swap)
  expect(asked).toBeGreaterThan(0)
  expect(await saleOf(swap)).toMatchObject({ state: 'confirmed', leg: { provider: 'pool' } })
})

test('a call must enforce nearly what the pool gives, not only the minimum', async () => {
  const swap = await waitingSale()
  exchange.received *= 2n
  const { exchanges } = chainOf(hand.services.chains, FROM)
  let asMinimum = 0n
  const objectionTo = vi.spyOn(exchanges ?? never(), 'objectionTo').mockImplementation(({ minUnits }) => {
    asMinimum = minUnits
    return null
  })
  await work(swap)
  objectionTo.mockRestore()
  expect(asMinimum).toBe((exchange.received * 9_950n) / 10_000n)
  expect(exchange.orders.map(({ minUnits }) => minUnits)).toEqual([BigInt((await saleOf(swap))?.leg?.minUnits ?? 0)])
})

test('an aggregator without an offer delays nothing', async () => {
  answer = { aggregator: AGGREGATOR, reason: 'it answers HTTP 500' }
  const swap = await waitingSale()
  await work(swap)
  expect(await saleOf(swap)).toMatchObject({ state: 'confirmed', leg: { provider: 'pool' } })
})

test('in a slot the call stays, however often the aggregator would offer another one', async () => {
  const swap = await waitingSale()
  double.failing = 'broadcast'
  await work(swap)
  expect(await saleOf(swap)).toMatchObject({ state: 'confirmed', leg: { provider: 'one' } })
  expect(new Set(exchange.orders.map(({ route }) => route)).size).toBe(1)
  expect(asked).toBe(1)
})

test('after a failure the sale keeps to its pool, and the aggregator is not asked again', async () => {
  const swap = await waitingSale()
  double.refusal = 'the exchange would fail'
  const sale = await saleOf(swap)
  await pay(hand.services, sale?.id ?? '')
  expect(asked).toBe(1)
  double.refusal = null
  await work(swap)
  expect(asked).toBe(1)
  expect(await saleOf(swap)).toMatchObject({ state: 'confirmed', leg: { provider: 'pool' } })
})
