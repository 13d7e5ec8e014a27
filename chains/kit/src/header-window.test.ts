import { expect, test } from 'vitest'
import {
  extendTrail,
  forkOf,
  formatTrail,
  linkedTo,
  parseTrail,
  shortenTrail,
  trailEnd,
  trailFrom,
} from './header-window.ts'

/** As `a7`: the branch and the number. */
function block(name: string, parent = `${name[0]}${Number(name.slice(1)) - 1}`) {
  return { number: BigInt(name.slice(1)), hash: name, parent }
}
const blocks = (...names: string[]) => names.map((name) => block(name))
const TRAIL = extendTrail(trailFrom(block('a5')), blocks('a6', 'a7', 'a8'), 10)

test('a trail grows by what follows, forgets what is too old, and is the same when it was stored', () => {
  expect(TRAIL).toEqual({ top: 8n, hashes: ['a8', 'a7', 'a6', 'a5'] })
  expect(trailEnd(TRAIL)).toBe(5n)
  const grown = extendTrail(TRAIL, blocks('a9'), 3)
  expect(grown).toEqual({ top: 9n, hashes: ['a9', 'a8', 'a7'] })
  expect(trailEnd(grown)).toBe(7n)
  expect(formatTrail(grown)).toBe('9 a9 a8 a7')
  expect(parseTrail(formatTrail(grown))).toEqual(grown)
  expect(shortenTrail(TRAIL, 6n)).toEqual({ top: 6n, hashes: ['a6', 'a5'] })
})

test('what was replaced is told from a node that only lags', () => {
  expect(forkOf(TRAIL, blocks('a5', 'a6', 'b7', 'b8'))).toEqual({ common: 6n, replaced: true })
  expect(forkOf(TRAIL, blocks('a5', 'a6'))).toEqual({ common: 8n, replaced: false })
  expect(forkOf(TRAIL, [])).toEqual({ common: 8n, replaced: false })
  expect(forkOf(TRAIL, blocks('b5', 'b6', 'b7', 'b8'))).toEqual({ common: null, replaced: true })
})

test('what does not continue the trail, or itself, waits', () => {
  expect(linkedTo(TRAIL, blocks('a9', 'a10'))).toHaveLength(2)
  expect(linkedTo(TRAIL, blocks('b9', 'b10'))).toEqual([])
  expect(linkedTo(TRAIL, [block('a9'), block('b10', 'b9')])).toEqual([block('a9')])
  expect(linkedTo({ top: 0n, hashes: [] }, blocks('b1'))).toHaveLength(1)
})
