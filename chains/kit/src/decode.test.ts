import { expect, test } from 'vitest'
import { listIn, objectIn, textIn, wholeIn } from './decode.ts'

test('what was promised is taken as it is', () => {
  const [object, list] = [{ a: 1 }, [1, 2]]
  expect([objectIn(object), listIn(list), textIn(''), wholeIn(0), wholeIn(2 ** 53 - 1)]).toEqual([
    ...[object, list, '', 0, 2 ** 53 - 1],
  ])
})

test.each([
  ['an object', objectIn, [undefined, null, [], 'a', 1]],
  ['a list', listIn, [undefined, null, {}, 'a', { length: 1 }]],
  ['a text', textIn, [undefined, null, [], {}, 1]],
  ['a whole number', wholeIn, [undefined, null, '1', -1, 1.5, 2 ** 53, Number.NaN]],
])('what is not %s is refused', (words, read, others) => {
  for (const other of others) expect(() => read(other), String(other)).toThrow(`${words} was expected`)
})
