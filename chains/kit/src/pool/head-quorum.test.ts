/** If a quorum is required, no single node decides how high the chain is. */
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

test('a node that reports a block far beyond the others is not followed and backs off', async () => {
  const { pool, says } = opened(2)
  heights['a.example'] = 1_000_000n
  await expect(says('a.example')).rejects.toThrow(NodeFailure)
  expect(pool.health().map(({ rests }) => rests)).toEqual([true, false, false])
  await says('b.example')
})

test('a node that creeps ahead gets no further than one that jumps ahead', async () => {
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

test('a node that lags far behind holds up no scan', async () => {
  const { says } = opened(2)
  heights['b.example'] = 1n
  await says('a.example')
})

test('no node is asked while the chain advances slowly, or if the quorum is one', async () => {
  const { says } = opened(2)
  await says('a.example')
  expect(asked).toBe(2)
  heights['a.example'] = 1_010n
  await says('a.example')
  expect(asked).toBe(2)
  await opened(1).says('a.example')
  expect(asked).toBe(2)
})
