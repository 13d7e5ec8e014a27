import { TestNft } from '@causeway/contracts'
import type { Address } from '@causeway/core'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { accountOf, deploy, sendAs, startBackends, startChain, startProxy } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

test('NFT ownership is read from the contract, and is false if there is no contract', async () => {
  const { adapter, local, node } = chain
  const [holder, other, deployer] = [0, 1, 9].map((index) => accountOf(local, index).address)
  if (!holder || !other || !deployer) throw new Error('three accounts are needed')
  const holds = (contract: Address, owner: Address) => adapter.nfts?.isHeldBy(contract, owner)
  const nft = await deploy(node, deployer, TestNft.bytecode)
  expect(await holds(nft, holder)).toBe(false)
  const call = (functionName: 'mint' | 'transferFrom', ...args: readonly unknown[]) =>
    encodeFunctionData({ abi: TestNft.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  await sendAs(node, deployer, { to: nft, data: call('mint', holder, 7n) })
  expect(await holds(nft, holder)).toBe(true)
  expect(await holds(nft, other)).toBe(false)
  await sendAs(node, holder, { to: nft, data: call('transferFrom', holder, other, 7n) })
  expect(await holds(nft, holder)).toBe(false)
  expect(await holds(nft, other)).toBe(true)
  expect(await holds(deployer, holder)).toBe(false)
})

test('balances are right whichever backend answers first, even if two of five lag', async () => {
  const { adapter, local, network, treasury, open, url } = chain
  const wanted = [{ owner: treasury, token: network.nativeToken }]
  const height = (await adapter.balances([])).block?.number ?? 0n
  await local.mine(network.name, 3)
  const { block, units } = await adapter.balances(wanted)
  const balancer = await startBackends(url, height)
  onTestFinished(balancer.stop)
  const there = await open({ nodes: [balancer.url] })
  for (let first = 0; first < 5; first++) {
    balancer.nextIs(first)
    const held = await there.balances(wanted)
    expect(held.units).toEqual(units)
    expect([block?.number, height]).toContain(held.block?.number)
    balancer.nextIs(first)
    expect([block?.number, height]).toContain((await there.balances([])).block?.number)
  }
})

test('a backend whose head is below an earlier reported head does not report balances', async () => {
  const { adapter, local, network, open, url } = chain
  const height = (await adapter.balances([])).block?.number ?? 0n
  await local.mine(network.name, 2)
  let [heads, looks] = [0, 0]
  const proxy = await startProxy(url, ({ method, params, id }) => {
    if (method !== 'eth_getBlockByNumber') return
    if (params[0] !== 'latest') return looks++ === 0 ? { jsonrpc: '2.0', id, result: null } : undefined
    if (heads++ === 1) params[0] = `0x${height.toString(16)}`
  })
  onTestFinished(proxy.stop)
  const there = await open({ nodes: [proxy.url] })
  expect((await there.balances([])).block?.number).toBe(height + 2n)
  expect(heads).toBe(3)
})
