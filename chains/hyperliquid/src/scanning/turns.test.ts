/** The order of reads: fair among groups, and inside a group. */
import { expect, it } from 'vitest'
import { randomFrom } from '../../../../tests/sim/world/random.ts'
import { inTurns } from './turns.ts'

const many = (name: string, count: number, from = 0) => Array.from({ length: count }, (_, n) => `${name}${from + n}`)

/** The reads of these many scans, each of a few addresses. */
function readsOf(groupsAt: (scan: number) => string[][], { scans, each }: { scans: number; each: number }): string[] {
  const at = new Map<string, number>()
  const random = randomFrom(each).next
  const order: string[] = []
  for (let scan = 0; scan < scans; scan++) {
    const turns = inTurns(groupsAt(scan), (address) => at.get(address) ?? 0, random)
    for (const address of turns.slice(0, each)) at.set(address, order.push(address))
  }
  return order
}

/** How many reads it takes until this address is read again: on average, and at most. */
function gapsOf(address: string, order: readonly string[]): { average: number; most: number } {
  const places = order.flatMap((one, place) => (one === address ? [place] : []))
  const gaps = places.slice(1).map((place, n) => place - (places[n] ?? 0))
  return { average: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length, most: Math.max(...gaps) }
}

it('every address has one place: the first of each group, then the second of each', () => {
  const groups = [['a1', 'a2', 'a3'], [], ['b1'], ['c1', 'c2']]
  const order = inTurns(groups, () => 0, randomFrom(1).next)
  expect(order.toSorted()).toEqual(groups.flat())
  const letters = order.map(([letter]) => letter)
  expect(letters.slice(0, 3).toSorted()).toEqual(['a', 'b', 'c'])
  expect(letters.slice(3, 5).toSorted()).toEqual(['a', 'c'])
  expect(inTurns([], () => 0, Math.random)).toEqual([])
})

it('new addresses are read in the order of their list', () => {
  expect(inTurns([['a', 'b', 'c']], () => 0, Math.random)).toEqual(['a', 'b', 'c'])
})

it('in a group, those that have waited longest come first', () => {
  const at: Record<string, number> = { a: 9, b: 7, c: 8 }
  expect(inTurns([['a', 'b', 'c']], (address) => at[address] ?? 0, Math.random)).toEqual(['b', 'c', 'a'])
})

it.each([1, 3, 7])('a lone address is read once in as many reads as there are groups, %i per scan', (each) => {
  const groups = [['lone'], ...Array.from({ length: 9 }, (_, n) => many(`group ${n} `, 40))]
  const { average, most } = gapsOf(
    'lone',
    readsOf(() => groups, { scans: 3_000 / each, each }),
  )
  expect(average).toBeGreaterThan(7)
  expect(average).toBeLessThan(13)
  expect(most).toBeLessThan(100)
})

it('if a scan reads one of each group, a lone address is read in every scan', () => {
  const groups = [['lone'], many('busy ', 3_200)]
  expect(
    gapsOf(
      'lone',
      readsOf(() => groups, { scans: 30, each: 7 }),
    ).most,
  ).toBeLessThanOrEqual(13)
})

it.each([1, 2, 5])('ever new addresses of its own group do not keep one waiting, %i per scan', (each) => {
  const groups = (scan: number) => [
    ['waiting', ...many('new ', 50, scan * 50)],
    ...Array.from({ length: 4 }, (_, n) => many(`group ${n} `, 50)),
  ]
  const { average, most } = gapsOf('waiting', readsOf(groups, { scans: 4_000 / each, each }))
  // Every second turn of its group.
  expect(average).toBeGreaterThan(7)
  expect(average).toBeLessThan(13)
  expect(most).toBeLessThan(100)
})

it('a new address is read although many others wait', () => {
  const known = many('known ', 100)
  const order = readsOf((scan) => [scan < 500 ? known : [...known, 'new']], { scans: 515, each: 1 })
  expect(order).toContain('new')
})
