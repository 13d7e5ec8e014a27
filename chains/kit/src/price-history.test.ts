import fc from 'fast-check'
import { expect, it } from 'vitest'
import { atMost, clampCeiling, isUsual, median, noteSample, recentSamples } from './price-history.ts'

const MINUTE = 60_000

it('takes one sample per ten seconds, however many are offered', () => {
  const samples: { at: number }[] = []
  for (let at = 0; at < 60_000; at += 100) noteSample(samples, { at })
  expect(samples.map(({ at }) => at)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000])
})

it('drops samples of more than half an hour ago', () => {
  const samples: { at: number }[] = []
  for (let at = 0; at <= 40 * MINUTE; at += MINUTE) noteSample(samples, { at })
  expect(samples[0]?.at).toBe(11 * MINUTE)
  expect(samples).toHaveLength(30)
})

it('has a recent price only with enough samples', () => {
  const samples = [1, 2, 3, 4, 5, 6].map((minute) => ({ at: minute * MINUTE }))
  expect(recentSamples(samples, 7 * MINUTE)).toEqual(samples)
  expect(recentSamples(samples.slice(1), 7 * MINUTE)).toBeNull()
  expect(recentSamples(samples, 31 * MINUTE)).toBeNull()
})

it('takes the upper of two middle values, and zero of an empty list', () => {
  expect([median([3n, 1n, 2n]), median([4n, 1n, 3n, 2n]), median([])]).toEqual([2n, 3n, 0n])
})

it('keeps a ceiling between the free part of the most and the most', () => {
  expect([0n, 1n, 2n, 50n, 100n, 101n].map((wanted) => clampCeiling(wanted, 100n, 50n))).toEqual([
    ...[2n, 2n, 2n, 50n, 100n, 100n],
  ])
})

it('bounds a reading by the ceiling and changes no other', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n }), (reading, ceiling) => {
      const bounded = atMost(reading, ceiling)
      expect(bounded <= ceiling && (bounded === reading || reading > ceiling)).toBe(true)
    }),
  )
})

const price = fc.bigInt({ min: 1n, max: 10n ** 24n })
const rule = { now: 20 * MINUTE, multiple: 3n, of: ({ units }: { units: bigint }) => units }

it('finds a value unusual if it exceeds a multiple of most recent samples, even with many lies', () => {
  const cases = fc.record({
    usual: price,
    lies: fc.array(price, { maxLength: 5 }),
    honest: fc.integer({ min: 6, max: 12 }),
    times: fc.bigInt({ min: 4n, max: 10n ** 18n }),
  })
  fc.assert(
    fc.property(cases, ({ usual, lies, honest, times }) => {
      const readings = [...lies.map((lie) => lie + usual), ...Array.from({ length: honest }, () => usual)]
      const samples = readings.map((units, index) => ({ at: (index + 1) * MINUTE, units }))
      expect(isUsual(usual, samples, rule)).toBe(true)
      expect(isUsual(usual * 3n, samples, rule)).toBe(true)
      expect(isUsual(usual * times, samples, rule)).toBe(false)
    }),
  )
})

it('finds every value usual as long as too little is known', () => {
  const samples = [1, 2, 3, 4, 5].map((minute) => ({ at: minute * MINUTE, units: 1n }))
  expect(isUsual(10n ** 30n, samples, rule)).toBe(true)
  expect(isUsual(10n ** 30n, [], rule)).toBe(true)
})

it('takes a price that lasts as usual', () => {
  const samples: { at: number; units: bigint }[] = []
  for (let minute = 0; minute < 30; minute++)
    noteSample(samples, { at: minute * MINUTE, units: minute < 10 ? 1n : 50n })
  expect(isUsual(50n, samples, { ...rule, now: 30 * MINUTE })).toBe(true)
})
