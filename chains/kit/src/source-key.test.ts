/** A deposit address has one spelling in a draft, and no two share it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSourceKey, sourceKey } from './source-key.ts'

const number = fc.integer({ min: 0, max: 2 ** 31 - 1 })

test('a key decodes to its parts', () => {
  fc.assert(
    fc.property(number, number, (index, branch) => {
      expect(parseSourceKey(sourceKey({ index, branch }))).toEqual({ index, branch })
    }),
  )
  expect([sourceKey({ index: 7 }), sourceKey({ index: 7, branch: 0 }), sourceKey({ index: 7, branch: 3 })]).toEqual([
    '7',
    '7',
    '3/7',
  ])
})

test.each(['', '0/7', '07', '1/07', '-1', '1/2/3', '1/', '/1', ' 1'])('%j is refused', (key) => {
  expect(() => parseSourceKey(key)).toThrow('not a deposit address')
})
