/** The cache of the treasury's ledger: it may evict, but an answer must be complete. */
import { expect, it } from 'vitest'
import type { LedgerEntry } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { openLedgerCache } from './ledger-cache.ts'

const account = '0x52908400098527886E0F7030069857D2E4169EE7'
const entry = (time: number): LedgerEntry => ({
  ...{ time, hash: `0x${time.toString(16).padStart(64, '0')}`, delta: { type: 'vaultDistribution', usdc: '0.1' } },
})

/** A gateway with one row per millisecond of this range. */
function gateway(count: number): Node {
  const page = (start: number) =>
    Array.from({ length: Math.max(0, Math.min(500, count - start)) }, (_, place) => entry(start + place))
  return { name: 'stub', ask: async ({ body, read }) => read(page(Number(body.startTime))), post: async () => null }
}

it('more rows than memory keeps are all answered, each time', async () => {
  const past = openLedgerCache(account)
  const node = gateway(50_700)
  for (let times = 0; times < 2; times++) {
    const rows = await past.since(node, 100)
    expect(rows).toHaveLength(50_600)
    expect(rows[0]?.time).toBe(100)
    expect(past.covers(100)).toBe(false)
    expect(past.covers(701)).toBe(true)
  }
  expect(past.known()).toHaveLength(50_000)
  expect(await past.since(node, 50_000)).toHaveLength(700)
})
