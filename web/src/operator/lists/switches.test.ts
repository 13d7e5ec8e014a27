/** A wallet's maximum is never below its minimum. */
import { expect, test } from 'vitest'
import { contradicts } from './switches.ts'

test.each([
  ['wallet_ceiling', 9, 10, 'The minimum of this scope is $10.00. Choose a maximum above it.'],
  ['wallet_floor', 11, 10, 'The maximum of this scope is $10.00. Choose a minimum below it.'],
  ['wallet_ceiling', 10, 10, null],
  ['wallet_floor', 10, 10, null],
])('%s of $%d beside a limit of $%d', (kind, usd, present, words) => {
  expect(contradicts(kind, usd, present)).toBe(words)
})
