/** A start that takes too long names its chains and the way out. */
import { expect, test } from 'vitest'
import { tooSlow } from './kit.ts'

test('the message names the chains and FAMILIES', () => {
  expect(tooSlow(['sepolia', 'base'], 34_000)).toMatch(
    /^the local chains sepolia, base did not start within 34 s\..*FAMILIES=/,
  )
  expect(tooSlow(['a', 'b', 'c', 'd', 'e', 'f', 'g'], 1_000)).toContain('a, b, c, d, e and 2 more')
})
