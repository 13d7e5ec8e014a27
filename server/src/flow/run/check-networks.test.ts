/** The state of a network follows from its nodes and from the age of its newest block. */
import { expect, test } from 'vitest'
import { stateOf } from './check-networks.ts'

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
