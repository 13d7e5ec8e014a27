import { expect, test } from 'vitest'
import { createTokenBucket, PURPOSES } from './token-bucket.ts'

test('as requests run short, callers are held back first and payments never', () => {
  let now = 0
  const budget = createTokenBucket(100, () => now)
  const admitted = () => PURPOSES.filter((purpose) => budget.admits(purpose))
  expect(admitted()).toEqual([...PURPOSES])
  budget.spend(61)
  expect(admitted()).toEqual(['landing', 'paying', 'confirming', 'scanning', 'market'])
  budget.spend(20)
  expect(admitted()).toEqual(['landing', 'paying', 'confirming', 'scanning'])
  budget.spend(20)
  expect(admitted()).toEqual(['landing', 'paying', 'confirming'])
  budget.spend(1_000)
  expect(admitted()).toEqual(['landing', 'paying'])
  now = 60_000
  expect(admitted()).toEqual(['landing', 'paying', 'confirming'])
  now = 120_000
  expect(admitted()).toEqual([...PURPOSES])
})

test('without a budget everything may be asked', () => {
  const budget = createTokenBucket(null, () => 0)
  budget.spend(10_000)
  expect(PURPOSES.every((purpose) => budget.admits(purpose))).toBe(true)
})
