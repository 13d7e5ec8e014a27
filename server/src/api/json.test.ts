/** Amounts stand in answers as plain decimals, and nothing else is touched. */
import { expect, test } from 'vitest'
import { toJson } from './json.ts'

test('the smallest amount of a token is written without an exponent', () => {
  expect(toJson({ amount: 0.00000001 })).toBe('{"amount":0.00000001}')
  expect(toJson({ amounts: [1e-7, 0.5, -2.5e-9, 3] })).toBe('{"amounts":[0.0000001,0.5,-0.0000000025,3]}')
  expect(toJson({ a: { b: [{ c: 1e21 }] } })).toBe('{"a":{"b":[{"c":1000000000000000000000}]}}')
})

test('text that looks like such a number stays as it is', () => {
  const value = { memo: ':1e-8,', id: '3f1e-8a', note: '[1e-8]', amount: 1e-8 }
  expect(toJson(value)).toBe('{"memo":":1e-8,","id":"3f1e-8a","note":"[1e-8]","amount":0.00000001}')
  expect(toJson({ memo: ':1e-8,' })).toBe('{"memo":":1e-8,"}')
})

test('what JSON leaves out or turns to null is treated as always', () => {
  expect(toJson({ a: undefined, b: null, c: Number.NaN, d: 1e-8 })).toBe('{"b":null,"c":null,"d":0.00000001}')
})
