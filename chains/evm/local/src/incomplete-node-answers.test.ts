/** Nodes that omit data: logs that they do not serve, pruned states, blocks of another branch. */
import { Batcher } from '@causeway/contracts'
import { type Address, type ChainAdapter, RetryLater, type Sighting, type Watchlist } from '@causeway/core'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startProvider } from '../../../../tests/support/chains/provider.ts'
import { encodeSweep, factoryAddress, factoryDeployment } from '../../src/depositing/forwarder.ts'
import { accountOf, control, deploy, sendAs, startChain, tokenOf, watching } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())
// Deposits of an earlier test are below the start of this one.
beforeEach(() => chain.local.mine(chain.network.name, 2))

const MODES = ['blocks', 'balances']

/** A proxy in front of the chain's node that answers some calls differently. */
function before(answer: (method: string, params: unknown[]) => unknown) {
  return startProvider((method, params) => answer(method, params) ?? control(chain.node, method, ...params))
}

async function upToHead(adapter: ChainAdapter, cursor: string, ours: Watchlist): Promise<Sighting[]> {
  const found: Sighting[] = []
  let next: string = cursor
  for (;;) {
    const scan = await adapter.scan(next, ours)
    found.push(...scan.sightings)
    next = scan.next
    if (scan.scannedTo >= scan.head.number) return found
  }
}

function pay(units: bigint): Promise<string> {
  const { local, network, treasury } = chain
  return local.transfer(accountOf(local, 0), tokenOf(network, 'USDC'), treasury, units)
}

test.each(MODES)('by %s, a first node that refuses every log query leaves the scan to the second', async (mode) => {
  const ours = watching(chain.treasury)
  const { next } = await chain.adapter.scan(null, ours)
  const without = await before((method) => {
    if (method === 'eth_getLogs') throw { code: -32601, message: 'eth_getLogs is not part of your plan' }
    return undefined
  })
  const adapter = await chain.open({ nodes: [without.url, chain.url], settings: { native_scan: mode } })
  const txHash = await pay(31n)
  expect((await upToHead(adapter, next, ours)).map((one) => one.txHash)).toEqual([txHash])
  await without.stop()
})

test.each(MODES)('by %s, logs that the first node silently omits are found by the second one', async (mode) => {
  const ours = watching(chain.treasury)
  const { next } = await chain.adapter.scan(null, ours)
  const silent = await before((method) => (method === 'eth_getLogs' ? [] : undefined))
  const adapter = await chain.open({ nodes: [silent.url, chain.url], settings: { native_scan: mode } })
  const txHash = await pay(32n)
  await chain.local.mine(chain.network.name, 300)
  // As after some time offline: all of it is already deep.
  expect((await upToHead(adapter, next, ours)).map((one) => one.txHash)).toEqual([txHash])
  await silent.stop()
})

/** A node with states of the newest blocks only, and a record of the other states that it was asked for. */
async function forgetting() {
  const head = Number(await control(chain.node, 'eth_blockNumber'))
  const forgotten = new Map<string, boolean>()
  const isOld = async (hash: string) => {
    const known = forgotten.get(hash)
    if (known !== undefined) return known
    const block = (await control(chain.node, 'eth_getBlockByHash', hash, false)) as { number: string } | null
    const isForgotten = block !== null && Number(block.number) < head - 128
    forgotten.set(hash, isForgotten)
    return isForgotten
  }
  const states: string[] = []
  const pruned = await startProvider(async (method, params) => {
    const [, at] = params as [unknown, { blockHash?: string } | undefined]
    if (method === 'eth_getTransactionCount' && at?.blockHash) states.push(at.blockHash)
    if (at?.blockHash && (await isOld(at.blockHash))) throw { code: -32000, message: 'missing trie node' }
    return control(chain.node, method, ...params)
  })
  return { ...pruned, states }
}

test('a node that pruned the state of a long range is asked for it once, then read block by block', async () => {
  const ours = watching(chain.treasury)
  const { next } = await chain.adapter.scan(null, ours)
  const { local, network, treasury } = chain
  const txHash = await local.transfer(accountOf(local, 0), network.nativeToken, treasury, 33n)
  await local.mine(network.name, 400)
  const pruned = await forgetting()
  const adapter = await chain.open({ nodes: [pruned.url], settings: { native_scan: 'balances' } })
  expect((await upToHead(adapter, next, ours)).map((one) => one.txHash)).toEqual([txHash])
  // Both ends of the whole range, and both ends of the last one, whose state is available.
  expect(pruned.states.length).toBe(4)
  await pruned.stop()
})

test('coins that a contract sent long ago are found if another node still has the state', async () => {
  const { node, local, network, adapter } = chain
  const { address, ours, batcher } = await withAddress()
  const { next, scannedTo } = await adapter.scan(null, ours)
  await sendAs(node, accountOf(local, 0).address, { to: batcher, data: inner(address, 78n) })
  await local.mine(network.name, 400)
  const pruned = await forgetting()
  const there = await chain.open({ nodes: [pruned.url, chain.url], settings: { native_scan: 'balances' } })
  const found = await upToHead(there, next, ours)
  expect(found).toMatchObject([{ to: address, amount: { units: 78n }, block: { number: scannedTo + 1n } }])
  await pruned.stop()
})

test('a balance change that two branches place at a wrong block is read again and then placed right', async () => {
  const { node, local, network, adapter } = chain
  const sender = accountOf(local, 0).address
  const { address, ours, batcher } = await withAddress()
  const { next, scannedTo } = await adapter.scan(null, ours)
  await sendAs(node, sender, { to: batcher, data: inner(address, 77n) })
  await local.mine(network.name, 3)
  const strange = `0x${'ab'.repeat(32)}`
  const middle = `0x${(scannedTo + 2n).toString(16)}`
  let isForked = true
  const branches = await startProvider(async (method, params) => {
    if (!isForked) return control(node, method, ...params)
    if (method === 'eth_getBlockByNumber' && params[0] === middle && params[1] === false) {
      const block = (await control(node, method, ...params)) as object
      return { ...block, hash: strange }
    }
    // On its branch nothing has arrived yet.
    const [account, at] = params as [string, { blockHash?: string } | undefined]
    const isThere = at?.blockHash === strange
    return isThere ? control(node, method, account, `0x${scannedTo.toString(16)}`) : control(node, method, ...params)
  })
  const there = await chain.open({ nodes: [branches.url], settings: { native_scan: 'balances' } })
  await expect(there.scan(next, ours)).rejects.toThrow(RetryLater)
  isForked = false
  const found = await there.scan(next, ours)
  expect(found.sightings).toMatchObject([{ to: address, amount: { units: 77n }, block: { number: scannedTo + 1n } }])
  await branches.stop()
})

test('a node that ignores the requested block is read block by block and proves nothing by balances', async () => {
  const { network, local, treasury } = chain
  const ours = watching(treasury)
  const { next } = await chain.adapter.scan(null, ours)
  const forgetful = await before((method, params) =>
    method === 'eth_getBalance' || method === 'eth_call' || method === 'eth_getTransactionCount'
      ? control(chain.node, method, params[0], 'latest')
      : undefined,
  )
  const adapter = await chain.open({ nodes: [forgetful.url], settings: { native_scan: 'balances' } })
  const coins = await local.transfer(accountOf(local, 0), network.nativeToken, treasury, 34n)
  await local.mine(network.name, 5)
  const tokens = await pay(35n)
  expect((await upToHead(adapter, next, ours)).map((one) => one.txHash)).toEqual([coins, tokens])
  expect(await adapter.inspect(tokens, ours)).toMatchObject({ sightings: [{ amount: { units: 35n } }] })
  await forgetful.stop()
})

test('if balances are of the newest block only, a sweep is not mistaken for a deposit', async () => {
  const { network, local, node, treasury, adapter } = chain
  const sender = accountOf(local, 0).address
  const { to, data } = factoryDeployment(treasury)
  await sendAs(node, sender, { to, data })
  const address = (await adapter.depositAddresses?.derive(2)) ?? ''
  const ours = watching(treasury, address)
  await local.transfer(accountOf(local, 0), network.nativeToken, address, 36n)
  const sweep = encodeSweep(network.nativeToken, [{ address, index: 2 }])
  await sendAs(node, sender, { to: factoryAddress(treasury), data: sweep })
  const place = `${address.toLowerCase()}@${Number(await control(node, 'eth_blockNumber'))}`
  const forgetful = await before((method, params) =>
    method === 'eth_getBalance' ? control(node, method, params[0], 'latest') : undefined,
  )
  const there = await chain.open({ nodes: [forgetful.url] })
  expect(await adapter.inspect(place, ours)).toEqual({ state: 'unknown' })
  await expect(there.inspect(place, ours)).rejects.toThrow(RetryLater)
  await forgetful.stop()
})

/** A deposit address that expects coins, and a contract that has some. */
async function withAddress() {
  const { node, local, network, treasury, adapter } = chain
  const batcher = await deploy(node, accountOf(local, 0).address, Batcher.bytecode)
  await local.fund(network.nativeToken, batcher, 10n ** 18n)
  await local.mine(network.name, 2)
  const address = (await adapter.depositAddresses?.derive(1)) ?? ''
  const { owned } = watching(treasury, address)
  const ours: Watchlist = {
    owned: owned.bind({ questions: 0 }),
    listUpTo: async () => [address],
    activeAddresses: async () => [address],
  }
  return { address, ours, batcher }
}

function inner(to: Address, value: bigint): Hex {
  const args = [[{ to: to as Hex, value, data: '0x' as const }]] as const
  return encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args })
}
