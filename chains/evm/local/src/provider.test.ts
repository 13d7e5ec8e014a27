/** Providers refuse in many ways: refusals are read with any HTTP status, and their limits are learned. */
import { NodeFailure } from '@causeway/chain-kit'
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { type Manners, startProvider } from '../../../../tests/support/chains/provider.ts'
import { header } from '../../src/node/calls.ts'
import { openNode, Refusal } from '../../src/node/node.ts'
import { openRpc } from '../../src/node/rpc.ts'
import { accountOf, startChain, testLog, tokenOf, watching } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

const numbers = Array.from({ length: 12 }, (_, i) => BigInt(i))

async function provider(manners: Manners) {
  const started = await startProvider(chain.url, manners)
  return { ...started, node: openNode(started.url, { timeoutMs: 2_000, batchSize: 100 }) }
}

test.each([400, 413, 500])(
  'a batch that is rejected with %i is split until it is accepted, and stays smaller',
  async (status) => {
    await chain.local.mine(chain.network.name, 12)
    const { node, stop, calls } = await provider({ batch: 3, status })
    const asked = await node.ask(numbers.map((number) => header(number)))
    expect(asked.map((found) => found?.number)).toEqual(numbers)
    calls.length = 0
    await node.ask(numbers.map((number) => header(number)))
    expect(calls.map(({ length }) => length)).toEqual([3, 3, 3, 3])
    await stop()
  },
)

test('one invalid call in a batch costs only its own answer', async () => {
  const { node, stop } = await provider({
    refuse: (asked) => {
      const isBad = asked.some(({ method }) => method === 'eth_bad')
      return isBad ? { status: 400, body: { error: { code: -32601, message: 'no such method' } } } : undefined
    },
  })
  const bad = { method: 'eth_bad', params: [], read: (raw: unknown) => raw }
  const answers = await node.settle([...numbers.slice(0, 5).map((number) => header(number)), bad])
  expect(answers.map((answer) => answer instanceof Refusal)).toEqual([false, false, false, false, false, true])
  expect(node.limits.batch).toBe(100)
  await stop()
})

test('a backend that is behind the head does not narrow later queries: the next node is asked', async () => {
  const { local, network, open, treasury } = chain
  const ours = watching(treasury)
  const start = await chain.adapter.scan(null, ours)
  await local.transfer(accountOf(local, 0), tokenOf(network, 'USDC'), treasury, 77n)
  await local.mine(network.name, 30)
  const tooWide = 'block range extends beyond current head block: requested 21000100, head 21000000'
  const behind = await provider({ logBlocks: 0, tooWide })
  const current = await provider({})
  const there = await open({ nodes: [behind.url, current.url] })
  const scan = await there.scan(start.next, ours)
  expect(scan.sightings.map(({ amount }) => amount.units)).toEqual([77n])
  expect(behind.counts.eth_getLogs).toBe(1)
  await behind.stop()
  await current.stop()
})

test.each([
  [400, 'eth_getLogs is limited to a 10 block range'],
  [413, 'query returned more than 10000 results'],
  [200, 'exceed maximum block range: 10'],
])('two hundred blocks are read from a provider that says %i to a wide question: %s', async (status, tooWide) => {
  const { local, network, open, treasury } = chain
  const ours = watching(treasury)
  const start = await chain.adapter.scan(null, ours)
  const usdc = tokenOf(network, 'USDC')
  for (let i = 0; i < 4; i++) {
    await local.mine(network.name, 50)
    await local.transfer(accountOf(local, 0), usdc, treasury, 100n + BigInt(i))
  }
  const { url, stop, counts } = await provider({ logBlocks: 10, status, tooWide })
  const log = testLog()
  const there = await open({ nodes: [url] })
  let { next } = start
  const seen: bigint[] = []
  for (let round = 0; round < 5; round++) {
    const scan = await there.scan(next, ours)
    next = scan.next
    seen.push(...scan.sightings.map(({ amount }) => amount.units))
  }
  expect(seen).toEqual([100n, 101n, 102n, 103n])
  expect(log.lines).toEqual([])
  // Two hundred blocks in ranges of ten, and a few queries to learn that limit.
  expect(counts.eth_getLogs).toBeLessThan(50)
  await stop()
})

test('a node that asks to be left alone is left alone for as long, and others are asked meanwhile', async () => {
  let now = 0
  const tired = await startProvider(chain.url, {
    refuse: (asked) =>
      asked.some(({ method }) => method === 'eth_chainId')
        ? undefined
        : { status: 429, headers: { 'retry-after': '30' }, body: { error: { code: -32005, message: 'slow down' } } },
  })
  const common = { network: 'TEST', chainId: 11_155_111n, timeoutMs: 2_000, batchSize: 3, log: testLog() }
  const alone = openRpc({ ...common, nodes: [tired.url], now: () => now })
  const headOf = alone.use.bind(null, async (node) => (await node.ask([header('latest')]))[0]?.number)
  await expect(headOf()).rejects.toThrow(RetryLater)
  const before = tired.calls.length
  now = 29_000
  await expect(headOf()).rejects.toThrow('asks to be left alone')
  expect(tired.calls.length).toBe(before)
  now = 30_001
  tired.manners.refuse = () => undefined
  expect(await headOf()).toBeTypeOf('bigint')
  const both = openRpc({ ...common, nodes: [tired.url, chain.url], now: () => now })
  expect(await both.use(async (node) => (await node.ask([header('latest')]))[0]?.number)).toBeTypeOf('bigint')
  await tired.stop()
})

test.each([200, 404, 429, 503])('a page of HTML is a failed node, also with the status %i', async (status) => {
  const { node, stop, calls } = await provider({ refuse: () => ({ status, body: '<html>Slow down</html>' }) })
  await expect(node.ask([header('latest')])).rejects.toThrow(NodeFailure)
  // A rate-limited batch is not halved: each half would be one more call.
  calls.length = 0
  await expect(node.ask(numbers.map((number) => header(number)))).rejects.toThrow(NodeFailure)
  expect(calls.length).toBe(1)
  await stop()
})

test('the Retry-After of an HTML page with status 429 is honoured', async () => {
  const { node, stop } = await provider({
    refuse: () => ({ status: 429, headers: { 'retry-after': '7' }, body: '<html>Slow down</html>' }),
  })
  await expect(node.ask([header('latest')])).rejects.toMatchObject({ restMs: 7_000 })
  await stop()
})

test('a transaction is sent to every node: one that swallows it holds nothing back', async () => {
  const { local, network, treasury, open } = chain
  await local.fund(network.nativeToken, treasury, 10n ** 18n)
  const silent = await startProvider(async (method, params) => {
    if (method === 'eth_sendRawTransaction') return `0x${'11'.repeat(32)}`
    return (await chain.node.ask([{ method, params, read: (raw: unknown) => raw }]))[0]
  })
  const adapter = await open({ nodes: [silent.url, chain.url] })
  const transfer = { to: accountOf(local, 3).address, amount: { token: network.nativeToken, units: 5n } }
  const order = { kind: 'transfers' as const, account: treasury, transfers: [transfer] }
  const draft = await adapter.prepare(order, null)
  const slot = await adapter.nextSlot(order, draft, [])
  const signed = await adapter.sign(order, slot, draft)
  await adapter.broadcast(signed)
  await vi.waitFor(async () =>
    expect(await adapter.status({ hash: signed.hash, slot, account: treasury }, nothingSigned)).toMatchObject({
      state: 'included',
    }),
  )
  await silent.stop()
})
