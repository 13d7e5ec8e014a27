/** Recorded answers of the real gateway: the adapter reads them, and the local chain answers in the same form. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shapeDifferences } from '../../../../tests/support/chains/recordings.ts'
import { noiseOf, unitsAfterPrinting, unitsIn } from '../../src/node/amounts.ts'
import { ledgerPage } from '../../src/node/calls.ts'
import { changeOf } from '../../src/scanning/balance-changes.ts'
import { arrivalOf } from '../../src/scanning/credits.ts'
import { isUnreadable, rowOf } from '../../src/scanning/ledger-row.ts'
import { parseSettings } from '../../src/settings.ts'
import recording from './recordings/ledger.json' with { type: 'json' }
import { testNetwork } from './test-network.ts'
import { sent, startChain, statusOf, type Testbed } from './testbed.ts'

const OWNER = '0x2Ba553d9F990a3B66b03b2dC0D030dfC1c061036'
const rows = ledgerPage(OWNER, 0, null).read(recording.answer).map(rowOf)
const network = testNetwork()
const listing = { network, settings: parseSettings(network) }

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

it('amounts printed as doubles are read to the unit', () => {
  const arrivals = rows.map((row) => arrivalOf(listing, row, OWNER)?.units ?? null)
  expect(arrivals).toEqual([270_399_745_000_000n, null, null, null, 109_999_498_000_000n])
  const changes = rows.map((row) => changeOf(listing, row, OWNER, bed.log).changes.map(({ units }) => units))
  expect(changes).toEqual([[], [1_200_000_000n], [-1_050_000_000n, -100_000_000n], [268_410_501_000_000n], []])
  expect(rows.some((row) => isUnreadable(row, []))).toBe(false)
})

it('a digit that is no rounding noise is cut, not rounded up', () => {
  expect(unitsIn('1.123456789', 8)).toBe(112_345_678n)
  expect(unitsIn('1.999999999', 8)).toBe(199_999_999n)
  expect(unitsIn('0.30000000000000004', 8)).toBe(30_000_000n)
})

it('every amount below 2^52 units survives printing; larger ones may not', () => {
  for (let bits = 1n; bits < 52n; bits++) {
    for (const units of [2n ** bits - 1n, 2n ** bits + 1n, (2n ** bits * 7n) / 5n]) {
      expect(unitsAfterPrinting(units, 8)).toBe(units)
    }
  }
  expect(unitsAfterPrinting(2n ** 60n + 1n, 8)).not.toBe(2n ** 60n + 1n)
})

it('an amount is exact below 2^52 units; a larger one is off by no more than its noise', () => {
  expect(noiseOf(2n ** 52n - 1n)).toBe(0n)
  for (let bits = 52n; bits < 70n; bits++) {
    for (const units of [2n ** bits + 1n, (2n ** bits * 7n) / 5n]) {
      const read = unitsAfterPrinting(units, 8)
      const off = read > units ? read - units : units - read
      expect(off).toBeLessThanOrEqual(noiseOf(read))
    }
  }
})

it('a large treasury pays, and its payout above 524,288 USDC is recognised', async () => {
  await bed.local.fund(bed.native, bed.treasury, 270_399_745_000_000n)
  const order = bed.payment(bed.user.address, 268_410_501_000_000n)
  const paid = await sent(bed.adapter, order)
  expect(await statusOf(bed.adapter, paid)).toMatchObject({ state: 'included', feeUnits: 0n })
})

it('an amount that its ledger row could not show is refused before signing', async () => {
  await bed.local.fund(bed.native, bed.treasury, 2n ** 61n)
  const order = bed.payment(bed.user.address, 2n ** 60n + 1n)
  await expect(bed.adapter.prepare(order, null)).rejects.toThrow('cannot show')
})

it('the local chain writes rows as the network does', async () => {
  const { address } = await bed.fresh()
  await bed.play('devnet_bridge', { address, units: '2703997450000' })
  const ask = async (user: string): Promise<{ delta: { type: string; usdc?: string } }[]> => {
    const body = JSON.stringify({ type: 'userNonFundingLedgerUpdates', user: user.toLowerCase(), startTime: 0 })
    return (await fetch(`${bed.url}/info`, { method: 'POST', body })).json()
  }
  const [deposit] = await ask(address)
  expect(shapeDifferences(recording.answer[0], deposit)).toEqual([])
  expect(deposit?.delta.usdc).toBe('2703997.4500000002')
  const transfer = recording.answer.find(({ delta }) => delta.type === 'spotTransfer')
  const sentRow = (await ask(bed.treasury)).find(({ delta }) => delta.type === 'send')
  expect(shapeDifferences(transfer, sentRow)).toEqual([])
})
