/** What the tidy test relies on: a circle is found wherever one enters it, and a second way to the same file is none. */
import { expect, test } from 'vitest'
import { findCircles } from './import-cycles.ts'

test('each circle is told once, by the path that closes it', () => {
  const imports = { door: ['a', 'd'], a: ['b'], b: ['c'], c: ['a', 'd'], d: ['d', 'outside'] }
  expect(findCircles(new Map(Object.entries(imports)))).toEqual(['a → b → c → a', 'd → d'])
})

test('two ways to one file are no circle', () => {
  expect(findCircles(new Map(Object.entries({ top: ['left', 'right'], left: ['floor'], right: ['floor'] })))).toEqual(
    [],
  )
})
