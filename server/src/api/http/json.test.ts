/** Amounts in responses are plain decimals, and nothing else is changed. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asConstant, toJson } from './json.ts'

test('the smallest amount of a token is written without an exponent', () => {
  expect(toJson({ amount: 0.00000001 })).toBe('{"amount":0.00000001}')
  expect(toJson({ amounts: [1e-7, 0.5, -2.5e-9, 3] })).toBe('{"amounts":[0.0000001,0.5,-0.0000000025,3]}')
  expect(toJson({ a: { b: [{ c: 1e21 }] } })).toBe('{"a":{"b":[{"c":1000000000000000000000}]}}')
})

test('text that looks like such a number is unchanged', () => {
  const value = { memo: ':1e-8,', id: '3f1e-8a', note: '[1e-8]', amount: 1e-8 }
  expect(toJson(value)).toBe('{"memo":":1e-8,","id":"3f1e-8a","note":"[1e-8]","amount":0.00000001}')
  expect(toJson({ memo: ':1e-8,' })).toBe('{"memo":":1e-8,"}')
})

test('undefined and non-finite values are handled as JSON.stringify does', () => {
  expect(toJson({ a: undefined, b: null, c: Number.NaN, d: 1e-8 })).toBe('{"b":null,"c":null,"d":0.00000001}')
  expect(toJson([undefined, Number.POSITIVE_INFINITY, -0])).toBe('[null,null,0]')
  expect(toJson(undefined)).toBe('null')
  expect(() => toJson({ units: 1n })).toThrow(TypeError)
})

test('any other value is written as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(toJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
  const at = new Date('2026-03-01T12:00:00Z')
  expect(toJson({ at, 'odd "name"\n': ['\ud800', '\u2028'] })).toBe(
    JSON.stringify({ at, 'odd "name"\n': ['\ud800', '\u2028'] }),
  )
})

test('a constant object has the same text everywhere', () => {
  const token = asConstant({ symbol: 'USDC', precision: 1e-7 })
  const text = '{"symbol":"USDC","precision":0.0000001}'
  expect(toJson({ token, tokens: [token, token] })).toBe(`{"token":${text},"tokens":[${text},${text}]}`)
  expect(toJson({ ...token, symbol: 'USDT' })).toBe('{"symbol":"USDT","precision":0.0000001}')
})
