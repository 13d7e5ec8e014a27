/** Long polling of a bitcoind for its next block. If the local chain does not support it, a fake does. */
import { setTimeout as sleep } from 'node:timers/promises'
import { family } from '@causeway/bitcoin'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider } from '../../../../tests/support/chains/provider.ts'
import { testLog } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { chainInfo, nextBlock } from '../../src/node/calls.ts'
import { Refusal } from '../../src/node/node.ts'
import { type Lab, openLab } from './testbed.ts'

let lab: Lab
let isKnown: boolean
const stops: (() => unknown)[] = []
beforeAll(async () => {
  lab = await openLab()
  isKnown = !((await lab.node.settle([nextBlock(1)]))[0] instanceof Refusal)
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await lab.devnet.stop()
})

async function tip(): Promise<{ hash: string; height: number }> {
  const [info] = await lab.node.ask([chainInfo()])
  return info
}

/** Behaves like bitcoind. */
async function waitForBlock(ms: number) {
  const before = await tip()
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) {
    const now = await tip()
    if (now.hash !== before.hash) return now
  }
  return before
}

async function listening(knows: boolean, mostMs = Number.POSITIVE_INFINITY) {
  const provider = await startProvider(async (method, params) => {
    if (method === 'waitfornewblock' && !knows) throw { code: -32601, message: 'Method not found' }
    if (method === 'waitfornewblock' && (!isKnown || mostMs === 0))
      return waitForBlock(Math.min(mostMs, Number(params[0])))
    const [answer] = await lab.node.settle([{ method, params, read: (raw: unknown) => raw, timeoutMs: 40_000 }])
    if (answer instanceof Refusal) throw { code: answer.code, message: answer.message }
    return answer
  })
  const settings = { ...lab.network.settings, long_poll: true }
  const network = { ...lab.network, nodes: [provider.url], settings }
  const adapter = await family.open({ network, signer: testSigner('news'), log: testLog() })
  let news = 0
  const stop = adapter.headFeed?.subscribe(() => news++) ?? (() => undefined)
  stops.push(stop, provider.stop)
  return { provider, stop, news: () => news }
}

const waits = (counts: Record<string, number>) => counts.waitfornewblock ?? 0

test('a new block is reported when it comes, without polling', async () => {
  const { provider, stop, news } = await listening(true)
  await eventually(async () => waits(provider.counts) === 1, 'the question')
  await lab.mine(1)
  await eventually(async () => news() === 1, 'the word')
  await eventually(async () => waits(provider.counts) === 2, 'the next question')
  stop()
  await lab.mine(1)
})

test('a node that does not support the request is asked only once', async () => {
  const { provider, news } = await listening(false)
  await eventually(async () => waits(provider.counts) === 1, 'the question')
  await lab.mine(1)
  expect([waits(provider.counts), news()]).toEqual([1, 0])
})

test('one that answers at once is not asked without a pause', async () => {
  const { provider, news } = await listening(true, 0)
  await eventually(async () => waits(provider.counts) === 2, 'the second question')
  expect(news()).toBe(1)
  const since = performance.now()
  await eventually(async () => waits(provider.counts) === 4, 'two more')
  expect(performance.now() - since).toBeGreaterThan(1_000)
})

test('there is no long polling unless the file enables it', async () => {
  expect((await lab.open('news')).headFeed).toBeUndefined()
})
