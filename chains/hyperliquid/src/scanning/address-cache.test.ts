/** The budget for reads, and the bounds of the cache. */
import { expect, it } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import { openAddressCache } from './address-cache.ts'
import { SPOT } from './ledger-row.ts'
import { placeKey, type Received } from './received.ts'

const token = sampleNetwork([{ symbol: 'USDC', contract: null, decimals: 8 }], {
  name: 'X',
  type: 'hyperliquid',
}).nativeToken
const to = '0x52908400098527886E0F7030069857D2E4169EE7'
const received = (time: number): Received => ({
  row: { time, hash: `0x${time.toString(16).padStart(64, '0')}`, position: 0, type: 'send', delta: {}, transfer: null },
  ...{ token, units: 1n, dex: SPOT, user: null, doubt: null, to },
})

it('no more is spent in a minute than allowed, and unspent budget is capped', () => {
  let now = 0
  const looks = openAddressCache(120, () => now)
  const spend = (weight: number) => {
    let times = 0
    while (looks.spend(weight)) times += 1
    return times
  }
  expect(spend(4)).toBe(15)
  now += 10_000
  expect(spend(4)).toBe(5)
  now += 3_600_000
  expect(spend(4)).toBe(15)
  now -= 60_000
  expect(spend(4)).toBe(0)
})

it('hints use at most a quarter of the budget, and leave the rest to the scan', () => {
  let now = 0
  const looks = openAddressCache(120, () => now)
  let [onHints, onScans] = [0, 0]
  for (let second = 0; second < 120; second++) {
    now += 1_000
    // Hints come first, and as many as they may.
    while (looks.spendOnHint(4)) onHints += 4
    while (looks.spend(4)) onScans += 4
  }
  expect(onHints).toBeLessThanOrEqual((2 * 120) / 4 + 15)
  expect(onScans).toBeGreaterThanOrEqual((2 * 120 * 3) / 4)
})

it('a read that cost more than expected is paid back before the next one', () => {
  let now = 0
  const looks = openAddressCache(120, () => now)
  looks.charge(100)
  expect(looks.spend(4)).toBe(false)
  now += 20_000
  expect(looks.spend(4)).toBe(false)
  now += 2_000
  expect(looks.spend(4)).toBe(true)
})

it('a deposit that is not stored yet is never evicted, however many come', () => {
  const looks = openAddressCache(100, () => 0)
  const look = looks.of(to)
  looks.remember(
    look,
    Array.from({ length: 5_000 }, (_, time) => received(time + 1)),
  )
  expect(look.arrivals.size).toBe(5_000)
  looks.store(Array.from({ length: 4_999 }, (_, time) => placeKey(received(time + 1))))
  looks.remember(look, [received(6_000)])
  expect(look.arrivals.size).toBe(1_000)
  const open = [...look.arrivals.values()].filter(({ isStored }) => !isStored)
  expect(open.map(({ row }) => row.time)).toEqual([5_000, 6_000])
})
