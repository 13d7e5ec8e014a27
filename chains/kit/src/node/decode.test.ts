import { expect, test } from 'vitest'
import { asArray, asInteger, asObject, asString, asUint, nullable, optional } from './decode.ts'

test('a value of the expected kind is returned unchanged', () => {
  const [object, list] = [{ a: 1 }, [1, 2]]
  expect([asObject(object), asArray(list), asString(''), asUint(0), asUint(2 ** 53 - 1)]).toEqual([
    ...[object, list, '', 0, 2 ** 53 - 1],
  ])
})

test.each([
  ['an object', asObject, [undefined, null, [], 'a', 1]],
  ['a list', asArray, [undefined, null, {}, 'a', { length: 1 }]],
  ['a text', asString, [undefined, null, [], {}, 1]],
  ['an integer', asInteger, [undefined, null, '1', 1.5, 2 ** 53, -(2 ** 53), Number.NaN]],
  ['a whole number', asUint, [undefined, null, '1', -1, 1.5, 2 ** 53, Number.NaN]],
])('a value that is not %s is refused', (words, read, others) => {
  for (const other of others) expect(() => read(other), String(other)).toThrow(`${words} was expected`)
})

test('an integer may be negative', () => {
  expect([asInteger(-1), asInteger(-(2 ** 53) + 1)]).toEqual([-1, -(2 ** 53) + 1])
})

test('null is accepted for a nullable value, but a missing value is not', () => {
  expect([nullable(asString)(null), nullable(asString)('a')]).toEqual([null, 'a'])
  expect(() => nullable(asString)(undefined)).toThrow('a text was expected')
})

test('an optional value may be null or missing, but of no other kind', () => {
  expect([optional(asString)(null), optional(asString)(undefined), optional(asString)('a')]).toEqual([null, null, 'a'])
  expect(() => optional(asString)(1)).toThrow('a text was expected')
})
