/** How far a chain has come is no single node's word where several must agree. */
import { beforeEach, expect, test } from 'vitest'
import { openHeadQuorum } from './head-quorum.ts'
import { NodeFailure, poolNodes } from './nodes.ts'

const heights: Record<string, bigint> = {}
let asked = 0
beforeEach(() => {
  Object.assign(heights, { 'a.example': 1_000n, 'b.example': 998n, 'c.example': 1_003n })
  asked = 0
})

function opened(quorum: number) {
  const nodes = Object.keys(heights).map((name) => ({ name }))
  const log = { info() {}, warn() {}, error() {} }
  const pool = poolNodes({ network: 'X', nodes, quorum, verify: async () => {}, log, now: () => 0 })
  const heightOf = async ({ name }: { name: string }) => {
    asked += 1
    return heights[name] ?? 0n
  }
  const reach = openHeadQuorum(pool, { quorum, slack: 10n, heightOf })
  return { pool, says: (name: string) => reach.assert({ name }, heights[name] ?? 0n) }
}

test('a node that tells of a block far beyond the others is not followed, and is rested', async () => {
  const { pool, says } = opened(2)
  heights['a.example'] = 1_000_000n
  await expect(says('a.example')).rejects.toThrow(NodeFailure)
  expect(pool.health().map(({ rests }) => rests)).toEqual([true, false, false])
  await says('b.example')
})

test('one that creeps ahead comes no further than one that leaps', async () => {
  const { says } = opened(2)
  await says('a.example')
  let crept = 0
  const creep = async () => {
    for (; crept < 100; crept++) {
      heights['a.example'] = (heights['a.example'] ?? 0n) + 5n
      await says('a.example')
    }
  }
  await expect(creep()).rejects.toThrow(NodeFailure)
  expect(crept).toBeLessThan(5)
})

test('one that lags by far holds up nobody', async () => {
  const { says } = opened(2)
  heights['b.example'] = 1n
  await says('a.example')
})

test('nobody is asked as long as the chain goes on by little, nor where one node is enough', async () => {
  const { says } = opened(2)
  await says('a.example')
  expect(asked).toBe(2)
  heights['a.example'] = 1_010n
  await says('a.example')
  expect(asked).toBe(2)
  await opened(1).says('a.example')
  expect(asked).toBe(2)
})
