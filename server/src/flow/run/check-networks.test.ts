/** The state of a network follows from its nodes and from the age of its newest block. */
import { expect, test } from 'vitest'
import { missedSince, stateOf } from './check-networks.ts'

const NOW = new Date('2026-11-18T12:00:00Z')
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)
const [well, ill] = [{ trouble: null }, { trouble: 'timeout' }]

test.each([
  ['not read yet', [well], null, 12_000, 'unknown'],
  ['one node of two answers', [ill, well], ago(1), 12_000, 'up'],
  ['no node answers', [ill, ill], ago(1), 12_000, 'down'],
  ['nodes are not counted one by one', [], ago(1), 12_000, 'up'],
  ['its blocks are old', [well], ago(20), 12_000, 'behind'],
  ['a slow chain may pause', [well], ago(90), 600_000, 'up'],
  ['a slow chain stands still', [well], ago(130), 600_000, 'behind'],
  ['it makes blocks only for transactions', [well], ago(600), undefined, 'up'],
] as const)('%s', (_case, nodes, headAt, blockMs, expected) => {
  expect(stateOf(nodes, headAt, blockMs, NOW)).toBe(expected)
})

test('checks that were due while the service did not run are missed, each on its day', () => {
  const shown = (last: string | null, at: string) =>
    missedSince(last === null ? null : new Date(last), new Date(at)).map(({ day, missed }) => [day, missed])
  expect(shown(null, '2026-11-18T12:00:00Z')).toEqual([])
  // Late, but made.
  expect(shown('2026-11-18T11:57:30Z', '2026-11-18T12:00:00Z')).toEqual([])
  expect(shown('2026-11-18T11:50:00Z', '2026-11-18T12:00:00Z')).toEqual([['2026-11-18', 9]])
  expect(shown('2026-11-16T23:55:00Z', '2026-11-18T00:10:00Z')).toEqual([
    ['2026-11-16', 5],
    ['2026-11-17', 1440],
    ['2026-11-18', 9],
  ])
})

test('a long absence is counted for the shown days only', () => {
  const missed = missedSince(new Date('2020-01-01T00:00:00Z'), NOW)
  expect(missed).toHaveLength(30)
  expect(missed[0]?.day).toBe('2026-10-20')
})
