import { expect, it } from 'vitest'
import { clampCeiling, median, noteSample, recentSamples } from './price-history.ts'

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
