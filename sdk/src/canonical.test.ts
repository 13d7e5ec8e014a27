/** Canonical JSON. */
import { expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'

test('names are sorted, spaces and absent values omitted, numbers printed as JavaScript does', () => {
  const value = { b: [1e-8, 1.0, '\u20ac"'], a: { z: null, y: undefined, x: true }, '\u0001': '' }
  expect(canonicalJson(value)).toBe('{"\\u0001":"","a":{"x":true,"z":null},"b":[1e-8,1,"€\\""]}')
})

test('the order of fields does not matter', () => {
  expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1 }))
})
