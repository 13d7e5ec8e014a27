/**
 * The tidy test relies on this: a cycle is found wherever one enters it, and a second path to the same file is not a
 * cycle.
 */
import { expect, test } from 'vitest'
import { findCircles } from './import-cycles.ts'

test('each cycle is reported once, by the path that closes it', () => {
  const imports = { door: ['a', 'd'], a: ['b'], b: ['c'], c: ['a', 'd'], d: ['d', 'outside'] }
  expect(findCircles(new Map(Object.entries(imports)))).toEqual(['a → b → c → a', 'd → d'])
})

test('two paths to one file are not a cycle', () => {
  expect(findCircles(new Map(Object.entries({ top: ['left', 'right'], left: ['floor'], right: ['floor'] })))).toEqual(
    [],
  )
})
