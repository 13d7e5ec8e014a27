/**
 * Attack B2, varied: each hint about a made-up hash asks the explorer, and the gateways' documents weigh that forty. Hints must
 * not use up what the scan of the same IP needs.
 */
import { RetryLater, type Watchlist } from '@causeway/core'
import { family } from '@causeway/hyperliquid'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ONE_USDC, startChain, type Testbed } from './testbed.ts'

const WEIGHT = 900
const POLL_MS = 2_000
const MINUTE_MS = 60_000
/** The weight of a request to the explorer in the gateways' documents. */
const EXPLORER_WEIGHT = 40

let bed: Testbed
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  bed = await startChain()
})
afterAll(async () => {
  await bed.local.stop()
  vi.useRealTimers()
})

const madeUp = (n: number) => `0x${n.toString(16).padStart(64, '7')}`

async function openCounted() {
  const weights: number[] = []
  const settings = { ...bed.network.settings, weight_per_minute: WEIGHT, explorer_url: `${bed.url}/explorer` }
  const adapter = await family.open({
    network: { ...bed.network, nodes: [bed.url], settings },
    signer: bed.signer,
    log: bed.log,
    spent: (method, weight = 1) => void (method === 'txDetails' && weights.push(weight)),
  })
  return { adapter, weights }
}

const watching = (own: string, recent: string[]): Watchlist => ({
  owned: async (asked) => new Set(asked.filter((one) => one === own)),
  pollCandidates: async () => ({ recent: [recent], others: [] }),
})

it('hints ask the explorer a few times a minute, by their weight, and a deposit is seen meanwhile', async () => {
  const { adapter, weights } = await openCounted()
  const victim = (await bed.fresh()).address
  const ours = watching(victim, [victim])
  let { next } = await adapter.scan(null, ours)
  const seen: string[] = []
  const minute = async () => {
    for (let passed = 0; passed < MINUTE_MS; passed += POLL_MS) {
      vi.setSystemTime(Date.now() + POLL_MS)
      for (let n = 0; n < 5; n++) await adapter.inspect(madeUp(passed + n), ours).catch(() => null)
      const found = await adapter.scan(next, ours)
      next = found.next
      seen.push(...found.sightings.map(({ to }) => to))
    }
  }
  await minute()
  await bed.local.transfer(bed.user, bed.native, victim, ONE_USDC)
  await minute()
  expect(seen).toEqual([victim])
  expect(weights.length).toBeGreaterThan(2)
  expect(new Set(weights)).toEqual(new Set([EXPLORER_WEIGHT]))
  // An eighth of the budget, and what was left from before.
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual((3 * WEIGHT) / 8)
})

it('while the explorer cannot be asked, a transaction is not called unknown', async () => {
  const { adapter } = await openCounted()
  const { address } = await bed.fresh()
  const hash = await bed.local.transfer(bed.user, bed.native, address, ONE_USDC)
  const forgotten = watching(address, [])
  const hints = Array.from({ length: 5 }, (_, n) => adapter.inspect(madeUp(n), forgotten))
  const answers = await Promise.allSettled(hints)
  expect(answers.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
  await expect(adapter.inspect(hash, forgotten)).rejects.toThrow(RetryLater)
  vi.setSystemTime(Date.now() + MINUTE_MS)
  expect(await adapter.inspect(hash, forgotten)).toMatchObject({ state: 'included', sightings: [{ to: address }] })
})
