/** Views of the console: alerts as a stream, profit per day, nodes and prices, webhook deliveries. */
import type { AddressInfo } from 'node:net'
import { tokenKey, toUsd } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database/database.ts'
import { admin } from '../../../tests/support/service/accounts.ts'
import { get, openConsole, post, type Seat, type TestConsole } from '../../../tests/support/service/console.ts'
import { type Hand, startHand } from '../../../tests/support/service/manual-driver.ts'
import { formatUsd } from '../market/amounts.ts'
import { recordAttempt } from '../store/apps/webhook-queue.ts'
import { insertDeliveries, insertEndpoint, listDeliveries } from '../store/apps/webhooks.ts'

const TIER = 2

let database: TestDatabase
let hand: Hand
let desk: TestConsole
let url: string
let viewer: Seat
let boss: Seat

beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  desk = openConsole(hand.services, (ms) => hand.passTime(ms))
  for (const role of ['admin', 'viewer']) await desk.person(role, role)
  boss = await desk.seat('admin')
  viewer = await desk.seat('viewer')
  await desk.server.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(desk.server.server.address() as AddressInfo).port}/operator/api`
})
afterAll(async () => {
  await desk.server.close()
  await hand.stop()
  await database.stop()
})

/** The events of a stream in order; null at its end. */
async function follow(seat: Seat) {
  const answer = await fetch(`${url}/alerts`, { headers: { cookie: seat.cookie } })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    status: answer.status,
    async next(): Promise<string | null> {
      while (!text.includes('\n\n')) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
        if (done) return null
        text += value
      }
      const event = text.slice(0, text.indexOf('\n\n'))
      text = text.slice(event.length + 2)
      return event
    },
    leave: () => reader?.cancel(),
  }
}
type Stream = Awaited<ReturnType<typeof follow>>

/** Periodic events also arrive: those without the change are skipped. */
async function until(stream: Stream, isIt: (event: string) => boolean): Promise<string | null> {
  for (;;) {
    const event = await stream.next()
    if (event === null || isIt(event)) return event
  }
}
const dataOf = (event: string | null) => JSON.parse((event ?? '').replace(/^data: /, ''))

test('changes are pushed to all viewers', async () => {
  const [one, other] = [await follow(viewer), await follow(boss)]
  for (const stream of [one, other]) expect(dataOf(await stream.next())).toMatchObject({ waiting: [], paused: [] })
  const pause = { noun: 'switch', verb: 'pause', values: { scope: 'network:ALPHA', what: 'both' }, reason: 'a look' }
  await desk.told(post('/act', pause, boss))
  for (const stream of [one, other]) {
    const event = await until(stream, (told) => told.includes('a look'))
    expect(dataOf(event).paused).toMatchObject([{ scope: 'network:ALPHA', reason: 'a look' }])
    await stream.leave()
  }
  await admin(hand.services, 'switch', 'resume', '--scope', 'network:ALPHA')
})

test('a stream needs a session and ends with it, and one person has a few', async () => {
  expect((await fetch(`${url}/alerts`)).status).toBe(401)
  const leaver = await desk.seat('viewer')
  const stream = await follow(leaver)
  await stream.next()
  await desk.told(post('/logout', {}, leaver))
  expect(await until(stream, (event) => event.startsWith('event: gone'))).toContain('gone')
  expect(await stream.next()).toBeNull()
  const streams: Stream[] = []
  for (let opened = 0; opened < 6; opened++) streams.push(await follow(viewer))
  expect((await follow(viewer)).status).toBe(429)
  for (const { leave } of streams) await leave()
})

test('a day’s result is the income less network fees, at today’s prices', async () => {
  const swap = await hand.swap('ALPHA', 'BETA')
  hand.deposit(swap)
  for (const network of ['ALPHA', 'BETA']) {
    hand.chain(network).mine(TIER)
    await hand.watch(network)
    await hand.runJobs()
  }
  hand.chain('BETA').mine(20)
  await hand.watch('BETA')
  await hand.services.refresh()
  const { database: db, catalogue, market } = hand.services
  const entries = await db.selectFrom('ledger_entry').selectAll().execute()
  const usdOf = (account: string) =>
    entries
      .filter((entry) => entry.account === account)
      .reduce((sum, { network, token: key, units }) => {
        const token = catalogue.token(network, key)
        return sum + Number(toUsd(units < 0n ? -units : units, token, market.price(token) ?? 0n, 'up')) / 1e18
      }, 0)
  expect(usdOf('fees')).toBeGreaterThan(0)
  expect(usdOf('network_fees')).toBeGreaterThan(0)
  // The overview's sums are cached for a minute.
  hand.passTime(61_000)
  const { result, motion } = await desk.told(get('/overview', viewer))
  expect(result.earned).toBeCloseTo(usdOf('fees'), 9)
  expect(result.spent).toBeCloseTo(usdOf('network_fees'), 9)
  expect(result.usd).toBeCloseTo(usdOf('fees') - usdOf('network_fees'), 9)
  expect(result.is_partial).toBe(false)
  expect(motion).toMatchObject({ paid: 1, under_way: 0 })
  const { tables } = await desk.told(get('/look/books/result?days=7', viewer))
  expect(tables[0].heads).toEqual(['network', 'token', 'earned', 'network fees', 'rewards', 'lost', 'result'])
  const usdc = swap.view.swap.source
  const row = tables[0].rows.find(([network, token]: string[]) => network === 'ALPHA' && token === tokenKey(usdc))
  expect(row[2]).toMatch(/^0\.\d+ USDC \(\$\d+\.\d\d\)$/)
  const dollars = [result.earned, result.spent, 0, 0, result.usd].map(formatUsd)
  expect(tables[0].total).toEqual(['total', '', ...dollars])
  expect(await desk.refused(get('/look/books/result?days=0', viewer))).toEqual([400, 'NOT_VALID'])
})

test('prices, fees and nodes are shown with their age', async () => {
  await hand.services.refresh()
  const told = await desk.told(get('/feeds', viewer))
  expect(told.networks.map(({ network }: { network: string }) => network)).toEqual(
    hand.services.catalogue.networks.map(({ name }) => name),
  )
  expect(told.networks[0]).toMatchObject({ head: expect.any(Number), cost: { usd: expect.any(Number) } })
  const usdc = told.prices.find(({ group }: { group: string }) => group === 'USDC')
  expect(usdc).toMatchObject({ usd: 1, asked: 1 })
  expect(Date.parse(told.now) - Date.parse(usdc.at)).toBeLessThan(60_000)
  expect(await desk.refused(get('/feeds'))).toEqual([401, 'NO_SESSION'])
})

test('deliveries are listed by state, shown as they were sent, and counted if given up', async () => {
  const { database: db, now } = hand.services
  await admin(hand.services, 'app', 'create', 'shop')
  const app = await db.selectFrom('app').selectAll().where('name', '=', 'shop').executeTakeFirstOrThrow()
  const url = 'https://shop.example/hook'
  const endpoint = await insertEndpoint(db, { appId: app.id, url, secret: 'secret', eventTypes: null })
  const { view } = await hand.swap('ALPHA', 'BETA')
  const delivery = { swapId: view.swap.id, body: '{"told":1}', now: now(), giveUpAt: now() }
  for (const status of ['completed', 'failed', 'expired'] as const)
    await insertDeliveries(db, [endpoint.id], { ...delivery, status })
  const [third, second, first] = await listDeliveries(db, { app: null, state: null, limit: 10 })
  if (!first || !second) throw new Error('a delivery is missing')
  await recordAttempt(db, first, { at: now(), error: null, nextAt: null })
  await recordAttempt(db, second, { at: now(), error: 'answered 500', nextAt: null })
  const states = async (query: string) =>
    ((await desk.told(get(`/look/webhook/deliveries${query}`, viewer))).tables[0]?.rows ?? []).map(
      (row: string[]) => row[4],
    )
  expect(await states('')).toEqual(['expired', 'failed', 'completed'])
  expect(await states('?state=given-up')).toEqual(['failed'])
  expect(await states('?state=waiting&app=shop')).toEqual(['expired'])
  expect(await states('?state=delivered')).toEqual(['completed'])
  const { lines } = await desk.told(get(`/look/webhook/body?id=${third?.id}`, viewer))
  expect(lines).toEqual(['{"told":1}'])
  expect((await desk.told(get('/overview', viewer))).given_up).toBe(1)
  const replay = { noun: 'webhook', verb: 'replay', values: { app: 'shop', swap: view.swap.id }, reason: 'asked to' }
  expect(await desk.refused(post('/act', replay, viewer))).toEqual([403, 'ROLE'])
  await desk.told(post('/act', replay, boss))
  expect(await states('?state=waiting')).toEqual(['expired', 'failed', 'completed'])
})
