/**
 * Load on a node: little while nothing happens, nothing known is read twice, and all parts of a process share the
 * limit.
 */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { accountState } from '../../src/node/calls.ts'
import { openNode } from '../../src/node/node.ts'
import { openHistory } from '../../src/scanning/history.ts'
import { drain, startChain, startProxy, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())
afterEach(() => {
  vi.useRealTimers()
})

const sumOf = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0)

test('a quiet minute of scans, three seconds apart, costs under twenty requests; later deposits are seen', async () => {
  const proxy = await startProxy(bed.url, () => undefined)
  const adapter = await bed.open({ nodes: [proxy.url] })
  const ours = staticWatchlist(adapter.treasury)
  const { next } = await drain(adapter, null)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const minute = async (cursor: string) => {
    const before = sumOf(proxy.counts)
    let scan = await adapter.scan(cursor, ours)
    for (let polls = 0; polls < 20; polls++) {
      vi.setSystemTime(Date.now() + 3_000)
      scan = await adapter.scan(scan.next, ours)
    }
    return { asked: sumOf(proxy.counts) - before, next: scan.next }
  }
  const busy = await minute(next)
  expect(busy.asked).toBe(21)
  vi.setSystemTime(Date.now() + 601_000)
  const quiet = await minute(busy.next)
  expect(quiet.asked).toBe(11)
  await bed.local.transfer(bed.user, bed.native, bed.treasury, 5_000_000n)
  vi.setSystemTime(Date.now() + 6_000)
  expect((await adapter.scan(quiet.next, ours)).sightings).toMatchObject([{ amount: { units: 5_000_000n } }])
  await proxy.stop()
})

test('a scanned transaction is found by its message hash without a search', async () => {
  const proxy = await startProxy(bed.url, () => undefined)
  const adapter = await bed.open({ nodes: [proxy.url] })
  const { next } = await drain(adapter, null)
  await bed.local.transfer(bed.user, bed.native, bed.treasury, 6_000_000n)
  const [sighting] = (await drain(adapter, next)).sightings
  const { last } = await bed.node.ask(accountState(bed.treasury))
  const { value: newest } = await openHistory().walk(bed.node, bed.treasury, last).next()
  const before = { ...proxy.counts }
  const found = await adapter.inspect(newest?.inHash ?? '', staticWatchlist(adapter.treasury))
  expect(found).toMatchObject({ state: 'included', sightings: [{ txHash: sighting?.txHash }] })
  expect(proxy.counts.getTransactions).toBe(before.getTransactions)
  await proxy.stop()
})

test('two parts of a process that ask one node wait in one line', async () => {
  let waiting = 0
  const held = Promise.withResolvers<void>()
  const full = Promise.withResolvers<void>()
  const proxy = await startProxy(bed.url, async () => {
    waiting += 1
    if (waiting === 16) full.resolve()
    await held.promise
    return undefined
  })
  const options = { timeoutMs: 10_000, requestsPerSecond: 0 }
  const parts = [openNode(proxy.url, options), openNode(proxy.url, options)]
  const people = await Promise.all(Array.from({ length: 12 }, (_, number) => bed.stranger(`in line ${number}`)))
  const answers = parts.flatMap((part) => people.map((one) => part.ask(accountState(one))))
  await full.promise
  // Any other request in flight would have arrived within the time of this many answers.
  for (let answered = 0; answered < 50; answered++) await bed.node.ask(accountState(bed.treasury))
  expect(waiting).toBe(16)
  held.resolve()
  expect(await Promise.all(answers)).toHaveLength(24)
  await proxy.stop()
})
