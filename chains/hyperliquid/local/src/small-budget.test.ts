/**
 * Attack B2, varied: one client's open swaps are read again and again, and use up the budget of the public gateway in every
 * scan. A deposit of another user costs more than a look, and must not wait until something is left over.
 */
import type { Watchlist } from '@causeway/core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ONE_USDC, startChain, type Testbed } from './testbed.ts'

/** The default quota of one client. */
const OPEN = 200
/** The defaults of `weight_per_minute`, and of `poll_ms` on mainnet. */
const WEIGHT = 900
const POLL_MS = 2_000
const SOON_MS = 120_000
const BEFORE_MS = 120_000

let bed: Testbed
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  bed = await startChain()
})
afterAll(async () => {
  await bed.local.stop()
  vi.useRealTimers()
})

it('a deposit among the open swaps of one client is seen within two minutes', async () => {
  const victim = (await bed.fresh()).address
  const recent = [victim, ...Array.from({ length: OPEN }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '5')}`)]
  const ours: Watchlist = {
    owned: async (asked) => new Set(asked.filter((one) => recent.includes(one))),
    pollCandidates: async () => ({ recent, others: [] }),
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
  for (let passed = 0; passed < SOON_MS && seen.length === 0; passed += POLL_MS) seen.push(...(await poll()))
  expect(seen).toEqual([victim])
})
