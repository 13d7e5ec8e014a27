import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  drawReference,
  isReference,
  MAX_REFERENCE,
  mayRepeat,
  parseDecimalReference,
  parseHexReference,
} from './reference.ts'

const reference = fc.bigInt({ min: 1n, max: MAX_REFERENCE })

test('every reference parses back from its decimal and its hex text', () => {
  fc.assert(
    fc.property(reference, (value) => {
      expect(parseDecimalReference(value.toString())).toBe(value)
      expect(parseHexReference(value.toString(16))).toBe(value)
    }),
  )
})

test('a reference has exactly one text: a parsed text prints the same', () => {
  const text = fc.string({ unit: fc.constantFrom(...'0123456789abcdefxABCDEF +-.\n'), maxLength: 18 })
  fc.assert(
    fc.property(text, (each) => {
      const decimal = parseDecimalReference(each)
      const hex = parseHexReference(each)
      if (decimal !== null) expect(decimal.toString()).toBe(each)
      if (hex !== null) expect(hex.toString(16)).toBe(each)
    }),
    { numRuns: 5000 },
  )
})

describe('a malformed reference is rejected', () => {
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
  ])('decimal %j', (text) => expect(parseDecimalReference(text)).toBe(null))

  test.each(['', '0', '0f', 'F', '0xf', ' f', 'f\n', 'g', '20000000000000', '100000000000000'])('hex %j', (text) => {
    expect(parseHexReference(text)).toBe(null)
  })

  test('the bounds are exact', () => {
    expect(parseDecimalReference('9007199254740991')).toBe(MAX_REFERENCE)
    expect(parseHexReference('1fffffffffffff')).toBe(MAX_REFERENCE)
    expect([0n, 1n, MAX_REFERENCE, MAX_REFERENCE + 1n].map(isReference)).toEqual([false, true, true, false])
  })
})

describe('a drawn reference', () => {
  const drawn = (bytes: Uint8Array, bits?: number) => drawReference((size) => bytes.subarray(0, size), bits)
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })

  test('is a reference, and fits the bits of its network', () => {
    fc.assert(fc.property(bytes, (some) => isReference(drawn(some))))
    fc.assert(
      fc.property(bytes, fc.integer({ min: 2, max: 53 }), (some, bits) => {
        const value = drawn(some, bits)
        expect(value > 0n && value < 2n ** BigInt(bits)).toBe(true)
      }),
    )
  })

  test('reaches both ends', () => {
    const most = 2n ** 53n - 2n
    const of = (value: bigint) => Uint8Array.from(Buffer.from(value.toString(16).padStart(32, '0'), 'hex'))
    expect([drawn(of(0n)), drawn(of(most)), drawn(of(most + 1n))]).toEqual([1n, MAX_REFERENCE, 1n])
    expect([drawn(of(0n), 28), drawn(of(2n ** 28n - 2n), 28)]).toEqual([1n, 2n ** 28n - 1n])
  })

  test('may repeat one that was lost only if it is short', () => {
    expect([mayRepeat(), mayRepeat(53), mayRepeat(28)]).toEqual([false, false, true])
  })
})
