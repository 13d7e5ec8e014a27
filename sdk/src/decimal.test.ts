/** Numbers are written as plain decimals and parse back to the same number. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainNumber } from './decimal.ts'

test('a number that JavaScript prints with an exponent is written out', () => {
  expect(plainNumber(1e-8)).toBe('0.00000001')
  expect(plainNumber(5.5e-7)).toBe('0.00000055')
  expect(plainNumber(-1.25e-10)).toBe('-0.000000000125')
  expect(plainNumber(1.5e21)).toBe('1500000000000000000000')
  expect(plainNumber(1.25e22)).toBe('12500000000000000000000')
  expect(plainNumber(0.1)).toBe('0.1')
  expect(plainNumber(0)).toBe('0')
})

test('every number parses back to itself and has no exponent', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = plainNumber(value)
      expect(text).toMatch(/^-?\d+(\.\d+)?$/)
      expect(Number(text) === value).toBe(true)
    }),
  )
})
