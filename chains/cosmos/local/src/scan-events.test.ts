/** The scan by events: Celestia's blocks hold megabytes of blobs, so a whole block is read only if it pays us. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { addressOn } from './accounts.ts'
import { sendOf } from './foreign-messages.ts'
import {
  type Answer,
  drain,
  person,
  sendAs,
  startChain,
  startProxy,
  type TestChain,
  toldIn,
  type Wire,
} from './testbed.ts'

let chain: TestChain
const alice = person(0)
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

const ours = () => staticWatchlist(chain.treasury)

/** The adapter on a node that alters another node's answers. */
async function behind(change: (request: Wire, answer: Answer) => unknown, settings: Record<string, unknown> = {}) {
  const proxy = await startProxy(chain.url, change)
  onTestFinished(proxy.stop)
  return chain.open({ nodes: [proxy.url], settings: { ...chain.network.settings, ...settings } })
}

/** A deposit, and the cursor before it. */
async function deposited(units = 5n) {
  const { adapter, treasury, network } = chain
  const { next } = await adapter.scan(null, ours())
  const from = addressOn(network, alice)
  const hash = await sendAs(chain, alice, { messages: [sendOf(from, treasury, { denom: 'uosmo', units })], memo: '42' })
  return { next, hash }
}

it('by events, only blocks that pay us are downloaded, and the deposit is the same', async () => {
  const { next, hash } = await deposited(7n)
  await chain.mine(5)
  const heights: unknown[] = []
  const frugal = await behind(
    ({ method, params }, answer) => {
      if (method === 'block') heights.push((params as { height: string }).height)
      return answer
    },
    { scan: 'events' },
  )
  const expected = await drain(chain.adapter, next, chain.treasury)
  const found = await drain(frugal, next, chain.treasury)
  expect(found).toEqual(expected)
  expect(found.map(({ txHash }) => txHash)).toEqual([hash])
  expect(heights).toEqual([String(found[0]?.block?.number)])
})

it('by events, results that the next header contradicts are not accepted', async () => {
  const { next } = await deposited(8n)
  await chain.mine(3)
  const liar = await behind(
    ({ method }, answer) => {
      const told = toldIn(answer) as { txs_results?: { code: number }[] }
      for (const result of method === 'block_results' ? (told.txs_results ?? []) : []) result.code = 5
      return answer
    },
    { scan: 'events' },
  )
  await expect(liar.scan(next, ours())).rejects.toThrow(RetryLater)
})
