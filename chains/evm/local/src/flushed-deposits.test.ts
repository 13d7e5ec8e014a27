/**
 * Deposits that were flushed in their own block by the address's own `flush`, which emits no event. Only the node's
 * traces show which address the treasury's coins came through.
 */
import { Batcher, Depository } from '@causeway/contracts'
import { type Address, type ChainAdapter, RetryLater, type Watchlist } from '@causeway/core'
import { encodeFunctionData, type Hex, numberToHex, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../../../tests/support/chains/provider.ts'
import { encodeTransfer } from '../../src/depositing/deposit.ts'
import { depositoryAddress } from '../../src/depositing/depository.ts'
import { encodeSweep, factoryAddress, factoryDeployment } from '../../src/depositing/forwarder.ts'
import { coinCalls } from '../../src/node/calls.ts'
import { accountOf, control, deploy, sendAs, startChain, testNetwork, tokenOf, USDC, watching } from './testbed.ts'

const network = testNetwork()
const { nativeToken: native } = network
const usdc = tokenOf(network, 'USDC')
const BRANCH = 217_000_000
const ALERT = 'a deposit may be missing: no node traces the calls of a block'

let chain: Awaited<ReturnType<typeof startChain>>
let batcher: Address
let sender: Address
beforeAll(async () => {
  chain = await startChain(network)
  const { local, node, treasury } = chain
  sender = accountOf(local, 0).address
  batcher = await deploy(node, accountOf(local, 9).address, Batcher.bytecode)
  await local.fund(native, batcher, 10n ** 20n)
  await local.fund(usdc, batcher, 10n ** 12n)
  const { to, data } = factoryDeployment(treasury)
  await sendAs(node, sender, { to, data })
})
afterAll(() => chain.local.stop())

/** Deposit addresses whose contracts exist already, or not. */
let indexes = 0
async function addresses(count: number, isDeployed = true): Promise<Address[]> {
  const { adapter, node, treasury } = chain
  const own = Array.from({ length: count }, () => ++indexes)
  const found = await Promise.all(own.map((index) => adapter.depositAddresses?.derive(index, BRANCH) ?? ''))
  const sources = found.map((address, at) => ({ address, index: own[at] ?? 0, branch: BRANCH }))
  if (isDeployed) await sendAs(node, sender, { to: factoryAddress(treasury), data: encodeSweep(native, sources) })
  return found
}

function watchlist(list: readonly Address[]): Watchlist {
  const { owned } = watching(chain.treasury, ...list)
  return { owned, listUpTo: async () => list, activeAddresses: async () => list }
}

interface Step {
  to: Address
  value?: bigint
  data?: Hex
}

function batch(...steps: Step[]): { to: Address; data: Hex } {
  const args = steps.map(({ to, value = 0n, data = '0x' }) => ({ to: to as Hex, value, data }))
  return { to: batcher, data: encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [args] }) }
}

function flush(to: Address, token: Address = zeroAddress): { to: Address; data: Hex } {
  const abi = parseAbi(['function flush(address)'])
  return { to, data: encodeFunctionData({ abi, args: [token as Hex] }) }
}

/** One block with these transactions, in this order. */
async function inOneBlock(...transactions: Step[]): Promise<void> {
  const { node } = chain
  await control(node, 'evm_setAutomine', false)
  for (const transaction of transactions) await sendAs(node, sender, transaction)
  await control(node, 'evm_setAutomine', true)
  await control(node, 'evm_mine')
}

const unitsOf = async (adapter: ChainAdapter, cursor: string, list: readonly Address[]) => {
  const { sightings } = await adapter.scan(cursor, watchlist(list))
  return { sightings, units: sightings.map(({ to, amount }) => [list.indexOf(to), amount.units]) }
}

async function withoutTraces() {
  const provider = await startProvider((method, params) => {
    if (method === 'debug_traceBlockByHash') throw { code: -32601, message: 'the method is not available' }
    return control(chain.node, method, ...params)
  })
  onTestFinished(provider.stop)
  return provider
}

test.each(['blocks', 'balances'])('by %s, each address is credited with what came through it', async (mode) => {
  const { open, local } = chain
  const list = await addresses(3)
  const [own = '', victim = '', other = ''] = list
  const adapter = await open({ settings: { native_scan: mode } })
  const start = await adapter.scan(null, watchlist(list))
  await inOneBlock(
    batch({ to: own, value: 1n }),
    batch({ to: victim, value: 500n }),
    // A contract flushes the victim's address, and the attacker flushes its own openly.
    batch(flush(victim)),
    flush(own),
    batch({ to: victim, value: 70n }, { to: other, value: 9n }, { to: chain.treasury, value: 1_000n }),
  )
  const { sightings, units } = await unitsOf(adapter, start.next, list)
  expect(units.sort()).toEqual([
    [0, 1n],
    [1, 570n],
    [2, 9n],
  ])
  await local.mine(network.name, 5)
  for (const sighting of sightings)
    expect(await adapter.inspect(sighting.txHash, watchlist(list))).toMatchObject({ sightings: [sighting] })
})

test('an older deposit that is flushed in another block is not credited again', async () => {
  const { adapter, local } = chain
  const list = await addresses(1)
  const [address = ''] = list
  await local.fund(native, address, 40n)
  const start = await adapter.scan(null, watchlist(list))
  await inOneBlock(flush(address))
  expect((await unitsOf(adapter, start.next, list)).units).toEqual([])
})

test('coins that a contract sends to the treasury are credited to no address', async () => {
  const { adapter } = chain
  const list = await addresses(1)
  const [address = ''] = list
  const start = await adapter.scan(null, watchlist(list))
  await inOneBlock(batch({ to: chain.treasury, value: 600n }, flush(address)))
  expect((await unitsOf(adapter, start.next, list)).units).toEqual([])
})

test('blocks are traced only if the treasury gained by an internal call without an event', async () => {
  const { open, treasury, local, node } = chain
  const provider = await startProvider(chain.url)
  onTestFinished(provider.stop)
  const list = await addresses(2)
  const [address = ''] = list
  const adapter = await open({ nodes: [provider.url] })
  await local.fund(native, treasury, 10n ** 18n)
  await local.mine(network.name, 1)
  let { next } = await adapter.scan(null, watchlist(list))
  const deposit = encodeFunctionData({
    abi: Depository.abi,
    functionName: 'depositNative',
    args: [numberToHex(1_000_001, { size: 32 }), treasury as Hex],
  })
  await inOneBlock({ to: treasury, value: 5n }, batch({ to: address, value: 6n }), {
    to: depositoryAddress(treasury, treasury),
    value: 8n,
    data: deposit,
  })
  await sendAs(node, treasury, { to: sender, value: 7n })
  const sources = [{ address, index: indexes - 1, branch: BRANCH }]
  await sendAs(node, sender, { to: factoryAddress(treasury), data: encodeSweep(native, sources) })
  const scan = await adapter.scan(next, watchlist(list))
  expect(scan.sightings.map(({ amount }) => amount.units).sort()).toEqual([5n, 6n, 8n])
  next = scan.next
  expect(provider.counts.debug_traceBlockByHash).toBeUndefined()
  await inOneBlock(batch({ to: address, value: 6n }, flush(address)))
  expect((await unitsOf(adapter, next, list)).units).toEqual([[0, 6n]])
  expect(provider.counts.debug_traceBlockByHash).toBe(1)
})

test('if no node traces calls, an alert names the deposit, and a node that does proves it later', async () => {
  const { open, log, adapter } = chain
  const blind = await withoutTraces()
  const list = await addresses(2)
  const [address = '', bystander = ''] = list
  const cheap = await open({ nodes: [blind.url] })
  const start = await cheap.scan(null, watchlist(list))
  await inOneBlock(batch({ to: address, value: 88n }), flush(address))
  log.lines.length = 0
  const { scannedTo, sightings } = await cheap.scan(start.next, watchlist(list))
  expect(sightings).toEqual([])
  const place = `${address.toLowerCase()}@${scannedTo}`
  const fields = { network: network.name, block: scannedTo, units: 88n, places: [place] }
  expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([{ message: ALERT, fields }])
  await expect(cheap.inspect(place, watchlist(list))).rejects.toThrow(RetryLater)
  expect(await adapter.inspect(place, watchlist(list))).toMatchObject({
    state: 'included',
    sightings: [{ to: address, amount: { units: 88n } }],
  })
  const another = `${bystander.toLowerCase()}@${scannedTo}`
  expect(await adapter.inspect(another, watchlist(list))).toEqual({ state: 'unknown' })
})

test('without traces, coins for the treasury cast no doubt on an address that has no contract', async () => {
  const { open, log } = chain
  const blind = await withoutTraces()
  const list = await addresses(1, false)
  const [address = ''] = list
  const cheap = await open({ nodes: [blind.url] })
  const start = await cheap.scan(null, watchlist(list))
  log.lines.length = 0
  await inOneBlock(batch({ to: address, value: 88n }, { to: chain.treasury, value: 3n }))
  const { sightings, units } = await unitsOf(cheap, start.next, list)
  expect(units).toEqual([[0, 88n]])
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
  expect(await cheap.inspect(sightings[0]?.txHash ?? '', watchlist(list))).toMatchObject({ sightings })
})

test('without traces, coins for the treasury do not keep a deposit from being proven', async () => {
  const { open } = chain
  const blind = await withoutTraces()
  const list = await addresses(1)
  const [address = ''] = list
  const cheap = await open({ nodes: [blind.url] })
  const start = await cheap.scan(null, watchlist(list))
  await inOneBlock(batch({ to: address, value: 88n }, { to: chain.treasury, value: 3n }))
  const { sightings, units } = await unitsOf(cheap, start.next, list)
  expect(units).toEqual([[0, 88n]])
  expect(await cheap.inspect(sightings[0]?.txHash ?? '', watchlist(list))).toMatchObject({ sightings })
})

test('another node is asked for the traces, but in a quorum each node answers for itself', async () => {
  const { open, url } = chain
  const blind = await withoutTraces()
  const list = await addresses(1)
  const [address = ''] = list
  const nodes = [blind.url, url]
  const adapter = await open({ nodes })
  const start = await adapter.scan(null, watchlist(list))
  await inOneBlock(batch({ to: address, value: 12n }), flush(address))
  const { sightings, units } = await unitsOf(adapter, start.next, list)
  expect(units).toEqual([[0, 12n]])
  const place = sightings[0]?.txHash ?? ''
  expect(await adapter.inspect(place, watchlist(list))).toMatchObject({ sightings })
  const strict = await open({ nodes, quorum: 2 })
  await expect(strict.inspect(place, watchlist(list))).rejects.toThrow(RetryLater)
})

test('a token deposit that is flushed in its block is found and proven by its log', async () => {
  const { adapter } = chain
  const list = await addresses(1)
  const [address = ''] = list
  const start = await adapter.scan(null, watchlist(list))
  await inOneBlock(batch({ to: USDC, data: encodeTransfer(address, 33n) }), flush(address, USDC))
  const { sightings, units } = await unitsOf(adapter, start.next, list)
  expect(units).toEqual([[0, 33n]])
  expect(await adapter.inspect(sightings[0]?.txHash ?? '', watchlist(list))).toMatchObject({ sightings })
})

test('of a trace only calls count that carried coins, in no call that failed', () => {
  const [a, b, c] = ['0x0a', '0x0b', '0x0c']
  const call = (from: unknown, to: unknown, value?: string) => ({ type: 'CALL', from, to, value })
  const traced = [
    { txHash: '0x1', result: { ...call(a, b, '0x5'), calls: [call(b, c, '0x3'), call(b, c, '0x0'), call(b, c)] } },
    { txHash: '0x2', result: { ...call(a, b, '0x7'), error: 'execution reverted', calls: [call(b, c, '0x7')] } },
    {
      result: {
        ...call(a, b, '0x0'),
        calls: [
          { ...call(b, a), error: 'out of gas', calls: [call(a, c, '0x9')] },
          { ...call(b, c, '0x2'), type: 'DELEGATECALL', calls: [call(b, a, '0x1')] },
        ],
      },
    },
  ]
  expect(coinCalls('0x').read(traced)).toEqual([
    { from: a, to: b, value: 5n },
    { from: b, to: c, value: 3n },
    { from: b, to: a, value: 1n },
  ])
  expect(() => coinCalls('0x').read([{ txHash: '0x1', error: 'execution timeout' }])).toThrow()
})
