/**
 * Attack B2, varied: one client's open swaps are read again and again, and use up the budget of the public gateway in every
 * scan. A deposit of another user costs more than a look, and must not wait until something is left over, or behind all of them.
 */
import type { Watchlist } from '@causeway/core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ONE_USDC, startChain, type Testbed } from './testbed.ts'

/** The default quota of one client. */
const OPEN = 200
/** How many quotas an IPv6 /48 has. */
const OF_A_SITE = 16
/** The defaults of `weight_per_minute`, and of `poll_ms` on mainnet. */
const WEIGHT = 900
const POLL_MS = 2_000
const BEFORE_MS = 120_000
const MOST_MS = 180_000
const MINUTE_MS = 60_000

let bed: Testbed
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  bed = await startChain()
})
afterAll(async () => {
  await bed.local.stop()
  vi.useRealTimers()
})

const strangersOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '5')}`)

/** Scans at the public gateway's budget. Returns what was seen, and how long after the deposit to this address. */
async function seenAfter(victim: string, recent: () => string[][], others: string[] = []) {
  const ours: Watchlist = {
    owned: async (asked) => new Set(asked.filter((one) => [...recent().flat(), ...others].includes(one))),
    pollCandidates: async () => ({ recent: recent(), others }),
  }
  const adapter = await bed.open({ settings: { ...bed.network.settings, weight_per_minute: WEIGHT } })
  let { next } = await adapter.scan(null, ours)
  const poll = async () => {
    vi.setSystemTime(Date.now() + POLL_MS)
    const found = await adapter.scan(next, ours)
    next = found.next
    return found.sightings.map(({ to }) => to)
  }
  for (let passed = 0; passed < BEFORE_MS; passed += POLL_MS) await poll()
  await bed.local.transfer(bed.user, bed.native, victim, ONE_USDC)
  const seen: string[] = []
  let ms = 0
  for (; ms < MOST_MS && seen.length === 0; ms += POLL_MS) seen.push(...(await poll()))
  return { seen, ms }
}

it('a deposit among the open swaps of one client is seen within two minutes', async () => {
  const victim = (await bed.fresh()).address
  const recent = [[victim, ...strangersOf(OPEN)]]
  const { seen, ms } = await seenAfter(victim, () => recent)
  expect(seen).toEqual([victim])
  expect(ms).toBeLessThanOrEqual(2 * MINUTE_MS)
})

it('a deposit beside all the swaps that one IPv6 /48 may open is seen within a minute', async () => {
  const victim = (await bed.fresh()).address
  const recent = [strangersOf(OPEN * OF_A_SITE), [victim]]
  const { seen, ms } = await seenAfter(victim, () => recent)
  expect(seen).toEqual([victim])
  expect(ms).toBeLessThanOrEqual(MINUTE_MS)
})

it('so is one in the group of a client that opens ever new swaps, a little later', async () => {
  const victim = (await bed.fresh()).address
  const strangers = strangersOf(20_000)
  let made = 0
  const recent = () => {
    made += 10
    return [[victim, ...strangers.slice(made, made + 50)], ...Array.from({ length: 5 }, (_, n) => busy(n))]
  }
  const busy = (group: number) => strangers.slice(10_000 + group * 100, 10_100 + group * 100)
  const { seen } = await seenAfter(victim, recent)
  expect(seen).toEqual([victim])
})

it('a late deposit to the address of an old swap is seen, too', async () => {
  const victim = (await bed.fresh()).address
  const recent = [strangersOf(OPEN)]
  const { seen, ms } = await seenAfter(victim, () => recent, [victim])
  expect(seen).toEqual([victim])
  expect(ms).toBeLessThanOrEqual(2 * MINUTE_MS)
})
