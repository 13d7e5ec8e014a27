import { expect, test } from 'vitest'
import {
  appendHeaders,
  findForkPoint,
  formatHeaderWindow,
  headerWindowFrom,
  lowestHeader,
  parseHeaderWindow,
  takeLinked,
  truncateHeaders,
} from './header-window.ts'

/** Written like `a7`: the branch and the number. */
function block(name: string, parent = `${name[0]}${Number(name.slice(1)) - 1}`) {
  return { number: BigInt(name.slice(1)), hash: name, parent }
}
const blocks = (...names: string[]) => names.map((name) => block(name))
const TRAIL = appendHeaders(headerWindowFrom(block('a5')), blocks('a6', 'a7', 'a8'), 10)

test('a window grows by linked blocks, drops old ones, and survives being stored', () => {
  expect(TRAIL).toEqual({ top: 8n, hashes: ['a8', 'a7', 'a6', 'a5'] })
  expect(lowestHeader(TRAIL)).toBe(5n)
  const grown = appendHeaders(TRAIL, blocks('a9'), 3)
  expect(grown).toEqual({ top: 9n, hashes: ['a9', 'a8', 'a7'] })
  expect(lowestHeader(grown)).toBe(7n)
  expect(formatHeaderWindow(grown)).toBe('9 a9 a8 a7')
  expect(parseHeaderWindow(formatHeaderWindow(grown))).toEqual(grown)
  expect(truncateHeaders(TRAIL, 6n)).toEqual({ top: 6n, hashes: ['a6', 'a5'] })
})

test('a reorg is distinguished from a node that only lags', () => {
  expect(findForkPoint(TRAIL, blocks('a5', 'a6', 'b7', 'b8'))).toEqual({ common: 6n, replaced: true })
  expect(findForkPoint(TRAIL, blocks('a5', 'a6'))).toEqual({ common: 8n, replaced: false })
  expect(findForkPoint(TRAIL, [])).toEqual({ common: 8n, replaced: false })
  expect(findForkPoint(TRAIL, blocks('b5', 'b6', 'b7', 'b8'))).toEqual({ common: null, replaced: true })
})

test('blocks that do not continue the window, or each other, wait', () => {
  expect(takeLinked(TRAIL, blocks('a9', 'a10'))).toHaveLength(2)
  expect(takeLinked(TRAIL, blocks('b9', 'b10'))).toEqual([])
  expect(takeLinked(TRAIL, [block('a9'), block('b10', 'b9')])).toEqual([block('a9')])
  expect(takeLinked({ top: 0n, hashes: [] }, blocks('b1'))).toHaveLength(1)
})
