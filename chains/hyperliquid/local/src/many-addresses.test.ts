/**
 * Attack B2: open deposit addresses of strangers do not hide a deposit. Requests are bounded by `weight_per_minute`; with the
 * budget of a node of one's own, ten thousand addresses are read within a minute's scans.
 */
import type { Watchlist } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ONE_USDC, startChain, type Testbed } from './testbed.ts'

const STRANGERS = 10_000
/** A scan every two seconds. */
const SCANS_PER_MINUTE = 30

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

const strangersOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `0x${(from + n + 1).toString(16).padStart(40, '5')}`)

const watching = (recent: () => string[]): Watchlist => ({
  owned: async (asked) => new Set(asked.filter((one) => recent().includes(one))),
  pollCandidates: async () => ({ recent: [recent()], others: [] }),
})

it('with enough budget a deposit among ten thousand addresses is seen within a minute', async () => {
  const victim = (await bed.fresh()).address
  const strangers = strangersOf(STRANGERS)
  const recent = [...strangers.slice(0, STRANGERS / 2), victim, ...strangers.slice(STRANGERS / 2)]
  const ours = watching(() => recent)
  const adapter = await bed.open({ settings: { ...bed.network.settings, weight_per_minute: 1_000_000 } })
  let { next } = await adapter.scan(null, ours)
  await bed.local.transfer(bed.user, bed.native, victim, ONE_USDC)
  const started = performance.now()
  let scans = 0
  for (; scans < SCANS_PER_MINUTE; scans++) {
    const found = await adapter.scan(next, ours)
    next = found.next
    if (found.sightings.some(({ to }) => to === victim)) break
  }
  expect(scans).toBeLessThan(SCANS_PER_MINUTE)
  console.log(
    `hyperliquid, ${STRANGERS} unpaid swaps: seen by scan ${scans + 1}, ${Math.round(performance.now() - started)} ms of scanning, two requests per address`,
  )
}, 300_000)

it('with a small budget, ever new addresses of strangers do not keep one waiting', async () => {
  const victim = (await bed.fresh()).address
  let recent = [victim]
  const ours = watching(() => recent)
  // Enough for thirty addresses: fifteen new ones, and fifteen that wait.
  const adapter = await bed.open({ settings: { ...bed.network.settings, weight_per_minute: 240 } })
  let { next } = await adapter.scan(null, ours)
  next = (await adapter.scan(next, ours)).next
  await bed.local.transfer(bed.user, bed.native, victim, ONE_USDC)
  // More new addresses than the rest of the budget allows.
  recent = [...strangersOf(500, STRANGERS), victim]
  const found = await adapter.scan(next, ours)
  expect(found.sightings.map(({ to }) => to)).toEqual([victim])
})
