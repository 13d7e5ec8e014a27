/**
 * All movements of the treasury are reported, including those that no transaction explains, even if a node has pruned
 * the state.
 */
import { RetryLater, type Token } from '@causeway/core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { forward } from '../../../../tests/support/chains/samples.ts'
import { header } from '../../src/node/calls.ts'
import { accountOf, deploy, sendAs, startBackends, startChain, startProxy, tokenOf, type Wire } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
let native: Token
beforeAll(async () => {
  chain = await startChain()
  native = chain.network.nativeToken
  for (const token of chain.network.tokens) await chain.local.fund(token, chain.treasury, 10n ** 20n)
  await chain.local.mine(chain.network.name, 1)
})
afterAll(() => chain.local.stop())

async function head(): Promise<bigint> {
  const [found] = await chain.node.ask([header('latest')])
  return found?.number ?? 0n
}

const held = async () => (await chain.adapter.balance(chain.treasury, native)).units
const moved = async (from: bigint, adapter = chain.adapter) =>
  (await adapter.audit?.movements(chain.treasury, from, await head())) ?? []

/** PUSH1 0 four times, CALLVALUE, PUSH20 the treasury, GAS, CALL: a contract that passes on what it is sent. */
function passingOn(to: string): `0x${string}` {
  const runtime = `60006000600060003473${to.slice(2)}5af100`.toLowerCase()
  const length = (runtime.length / 2).toString(16).padStart(2, '0')
  return `0x60${length}600c60003960${length}6000f3${runtime}`
}

test("coins from an internal call are listed under their block's hash, and the sum is exact", async () => {
  const from = (await head()) + 1n
  const before = await held()
  const person = accountOf(chain.local, 0).address
  const contract = await deploy(chain.node, person, passingOn(chain.treasury))
  await sendAs(chain.node, person, { to: contract, value: 777n })
  const direct = await sendAs(chain.node, person, { to: chain.treasury, value: 5n })
  const found = await moved(from)
  expect(await held()).toBe(before + 782n)
  expect(found.map(({ changes, slot }) => [changes, slot])).toEqual([
    [[{ token: native, units: 777n }], null],
    [[{ token: native, units: 5n }], null],
  ])
  expect(found.map(({ txHash, block }) => txHash === block.hash)).toEqual([true, false])
  expect(found[1]?.txHash).toBe(direct)
})

test('a reverted transaction of ours cost its fee and moved nothing', async () => {
  const from = (await head()) + 1n
  const before = await held()
  const usdc = tokenOf(chain.network, 'USDC').contract ?? ''
  const hash = await sendAs(chain.node, chain.treasury, { to: usdc, data: '0xdeadbeef' })
  const [only, ...more] = await moved(from)
  expect(more).toEqual([])
  expect(only?.txHash).toBe(hash)
  expect(only?.slot).toHaveLength(1)
  expect(only?.changes).toEqual([{ token: native, units: (await held()) - before }])
})

test('a node that has forgotten the state of the blocks makes us read them all, and the same is found', async () => {
  const from = (await head()) + 1n
  const person = accountOf(chain.local, 0).address
  await sendAs(chain.node, person, { to: chain.treasury, value: 9n })
  await chain.local.mine(chain.network.name, 3)
  await sendAs(chain.node, chain.treasury, { to: person, value: 4n })
  const pruned = ({ id, method }: Wire) =>
    method === 'eth_getTransactionCount' || method === 'eth_getBalance'
      ? { jsonrpc: '2.0', id, error: { code: -32000, message: 'missing trie node' } }
      : undefined
  const proxy = await startProxy(chain.url, pruned)
  const adapter = await chain.open({ nodes: [proxy.url] })
  expect(await moved(from, adapter)).toEqual(await moved(from))
  expect(chain.log.lines.map(({ message }) => message)).toContain('node has no state of these blocks: all are read')
  await proxy.stop()
})

test("a range beyond the node's head is rejected, and so is a chain that changes during the read", async () => {
  const to = await head()
  await expect(chain.adapter.audit?.movements(chain.treasury, to, to + 1n)).rejects.toThrow(RetryLater)
  let asked = 0
  const wavering = await startProxy(chain.url, async ({ id, method, params }) => {
    if (method !== 'eth_getBlockByNumber' || params[1] !== false || ++asked < 2) return undefined
    const [found] = await chain.node.ask([{ method, params, read: (raw: unknown) => raw as Record<string, unknown> }])
    return { jsonrpc: '2.0', id, result: { ...found, hash: `0x${'ab'.repeat(32)}` } }
  })
  const adapter = await chain.open({ nodes: [wavering.url] })
  await expect(adapter.audit?.movements(chain.treasury, to, to)).rejects.toThrow('the chain changed')
  await wavering.stop()
})

test('movements are right whichever backend answers first, even if two of five lag', async () => {
  const { local, network, treasury, url, node } = chain
  const height = await head()
  const person = accountOf(local, 0)
  await local.transfer(person, tokenOf(network, 'USDC'), treasury, 3n)
  await local.mine(network.name, 4)
  await sendAs(node, person.address, { to: treasury, value: 4n })
  const all = await moved(height - 1n)
  expect(all.length).toBeGreaterThan(1)
  const balancer = await startBackends(url, height)
  onTestFinished(balancer.stop)
  const there = await chain.open({ nodes: [balancer.url] })
  for (let first = 0; first < 5; first++) {
    balancer.nextIs(first)
    expect(await moved(height - 1n, there)).toEqual(all)
  }
})

test('a block that was replaced between two reads hides no transaction of ours', async () => {
  const from = (await head()) + 1n
  await sendAs(chain.node, chain.treasury, { to: accountOf(chain.local, 0).address, value: 6n })
  let [blocks, receipts] = [0, 0]
  const branches = await startProxy(chain.url, async (wire) => {
    const { method, params, id } = wire
    if (method === 'eth_getTransactionReceipt' && receipts++ === 0) return { jsonrpc: '2.0', id, result: null }
    if (method !== 'eth_getBlockByNumber' || params[1] !== true || blocks++ === 0) return
    const { result } = (await forward(chain.url, wire)).body as { result: object }
    return { jsonrpc: '2.0', id, result: { ...result, hash: `0x${'ab'.repeat(32)}`, transactions: [] } }
  })
  onTestFinished(branches.stop)
  await expect(moved(from, await chain.open({ nodes: [branches.url] }))).rejects.toThrow(RetryLater)
  expect(blocks).toBeGreaterThan(1)
})
