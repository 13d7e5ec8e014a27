import { FeeAboveLimit } from '@causeway/core'
import { describe, expect, test } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import { parseSettings } from '../settings.ts'
import { termsNow } from './fees.ts'
import { ceilings, note, type PriceSample, usual } from './price-history.ts'

const GWEI = 10n ** 9n
const ETH = { symbol: 'ETH', contract: null, decimals: 18 }
const ceilingsOfFile = { max_fee_gwei: 100, max_tip_gwei: 50 }
const settings = parseSettings(sampleNetwork([ETH], { name: 'BASE', type: 'evm', settings: ceilingsOfFile }))
const head = (baseFee: bigint) => ({ number: 1n, hash: '0x', parentHash: '0x', logsBloom: '0x', baseFee })
const SECOND = 1_000

/** `count` samples, ten seconds apart, up to `now`. */
function past(count: number, baseFee: bigint, tip: bigint, now: number): PriceSample[] {
  const samples: PriceSample[] = []
  for (let left = count; left > 0; left--) note(samples, { baseFee, tip }, now - left * 10 * SECOND)
  return samples
}

describe('what gas usually cost', () => {
  const now = 10_000 * SECOND

  test('is the median of half an hour, which one wrong answer does not move', () => {
    const samples = past(8, GWEI, GWEI / 100n, now)
    note(samples, { baseFee: 90n * GWEI, tip: 50n * GWEI }, now)
    expect(usual(samples, now)).toEqual({ baseFee: GWEI, tip: GWEI / 100n })
    expect(usual(samples, now + 31 * 60 * SECOND)).toBe(null)
  })

  test('is unknown after a few answers or a burst of them', () => {
    expect(usual(past(5, GWEI, 1n, now), now)).toBe(null)
    const burst: PriceSample[] = []
    for (let i = 0; i < 100; i++) note(burst, { baseFee: GWEI, tip: 1n }, now + i)
    expect(burst).toHaveLength(1)
  })

  test('is forgotten after half an hour, however long it runs', () => {
    expect(past(1_000, GWEI, 1n, now).length).toBe(180)
  })
})

describe('ceilings', () => {
  const usually = { baseFee: 3n * GWEI, tip: GWEI / 5n }

  test('are ten times the usual, and never above those of the file', () => {
    expect(ceilings(settings, usually)).toEqual({ price: 32n * GWEI, tip: 2n * GWEI })
    expect(ceilings(settings, { baseFee: 30n * GWEI, tip: 30n * GWEI })).toEqual({
      price: 100n * GWEI,
      tip: 50n * GWEI,
    })
    expect(ceilings(settings, null)).toEqual({ price: 100n * GWEI, tip: 50n * GWEI })
  })

  test("leave room on a chain where gas is almost free: a fiftieth of the file's ceilings", () => {
    expect(ceilings(settings, { baseFee: 1n, tip: 0n })).toEqual({ price: 2n * GWEI, tip: GWEI })
  })

  test('hold a payout if gas is far above the usual: nothing is signed and no swap is refunded', () => {
    expect(termsNow(settings, head(20n * GWEI), 0n, usually).maxFeePerGas).toBe(40n * GWEI)
    expect(() => termsNow(settings, head(33n * GWEI), 0n, usually)).toThrow(FeeAboveLimit)
    expect(() => termsNow(settings, head(33n * GWEI), 0n, usually)).toThrow(/more than 10 times what it usually did/)
  })

  test('bound the tip that one answer can have spent', () => {
    expect(termsNow(settings, head(GWEI), 40n * GWEI, usually).maxPriorityFeePerGas).toBe(2n * GWEI)
    expect(termsNow(settings, head(GWEI), 40n * GWEI, null).maxPriorityFeePerGas).toBe(40n * GWEI)
  })
})
