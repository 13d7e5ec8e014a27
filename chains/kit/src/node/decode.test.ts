import { expect, test } from 'vitest'
import { asArray, asObject, asString, asUint } from './decode.ts'

test('what was promised is taken as it is', () => {
  const [object, list] = [{ a: 1 }, [1, 2]]
  expect([asObject(object), asArray(list), asString(''), asUint(0), asUint(2 ** 53 - 1)]).toEqual([
    ...[object, list, '', 0, 2 ** 53 - 1],
  ])
})

test.each([
  ['an object', asObject, [undefined, null, [], 'a', 1]],
  ['a list', asArray, [undefined, null, {}, 'a', { length: 1 }]],
  ['a text', asString, [undefined, null, [], {}, 1]],
  ['a whole number', asUint, [undefined, null, '1', -1, 1.5, 2 ** 53, Number.NaN]],
])('what is not %s is refused', (words, read, others) => {
  for (const other of others) expect(() => read(other), String(other)).toThrow(`${words} was expected`)
})
