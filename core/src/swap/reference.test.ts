import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSequence, MAX_SEQUENCE, parseDecimalSequence, parseHexSequence } from './reference.ts'

const sequence = fc.bigInt({ min: 1n, max: MAX_SEQUENCE })

test('every sequence parses back from its decimal and its hex text', () => {
  fc.assert(
    fc.property(sequence, (value) => {
      expect(parseDecimalSequence(value.toString())).toBe(value)
      expect(parseHexSequence(value.toString(16))).toBe(value)
    }),
  )
})

test('a sequence has exactly one text: a parsed text prints the same', () => {
  const text = fc.string({ unit: fc.constantFrom(...'0123456789abcdefxABCDEF +-.\n'), maxLength: 18 })
  fc.assert(
    fc.property(text, (each) => {
      const decimal = parseDecimalSequence(each)
      const hex = parseHexSequence(each)
      if (decimal !== null) expect(decimal.toString()).toBe(each)
      if (hex !== null) expect(hex.toString(16)).toBe(each)
    }),
    { numRuns: 5000 },
  )
})

describe('a malformed sequence is rejected', () => {
  test.each([
    '',
    '0',
    '01',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1\n',
    '1.0',
    '1e3',
    '0x1',
    '9007199254740992',
    '99999999999999999',
  ])('decimal %j', (text) => expect(parseDecimalSequence(text)).toBe(null))

  test.each(['', '0', '0f', 'F', '0xf', ' f', 'f\n', 'g', '20000000000000', '100000000000000'])('hex %j', (text) => {
    expect(parseHexSequence(text)).toBe(null)
  })

  test('the bounds are exact', () => {
    expect(parseDecimalSequence('9007199254740991')).toBe(MAX_SEQUENCE)
    expect(parseHexSequence('1fffffffffffff')).toBe(MAX_SEQUENCE)
    expect([0n, 1n, MAX_SEQUENCE, MAX_SEQUENCE + 1n].map(isSequence)).toEqual([false, true, true, false])
  })
})
