/**
 * The range scan compared with the scan of every block, over random blocks with all kinds of transfers. Both must find
 * the same deposits with the same hash and index, including those sent by contracts, also if the next scan uses the other method.
 */
import { Batcher } from '@causeway/contracts'
import type { Address, ChainAdapter, Sighting, Watchlist } from '@causeway/core'
import {
  decodeFunctionData,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  toBytes,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider } from '../../../../tests/support/chains/provider.ts'
import { encodeMemo, encodeTransfer } from '../../src/depositing/deposit.ts'
import { encodeSweep, factoryAddress, factoryDeployment } from '../../src/depositing/forwarder.ts'
import { hex } from '../../src/node/calls.ts'
import { accountOf, control, deploy, sendAs, startChain, testNetwork, tokenOf, USDC, watching } from './testbed.ts'

const network = testNetwork()
/** As of a process that was started in 2026. */
const BRANCH = 217_000_000
const [usdc, native] = [tokenOf(network, 'USDC'), network.nativeToken]

let chain: Awaited<ReturnType<typeof startChain>>
let batcher: Address
let addresses: Address[]
let sender: Address
beforeAll(async () => {
  chain = await startChain(network)
  const { local, node, adapter } = chain
  sender = accountOf(local, 0).address
  batcher = await deploy(node, accountOf(local, 9).address, Batcher.bytecode)
  await local.fund(usdc, batcher, 1_000_000_000n)
  await local.fund(native, batcher, 10n ** 20n)
  await local.fund(native, chain.treasury, 10n ** 20n)
  const { to, data } = factoryDeployment(chain.treasury)
  await sendAs(node, sender, { to, data })
  addresses = await Promise.all([1, 2, 3].map((index) => adapter.depositAddresses?.derive(index, BRANCH) ?? ''))
})
afterAll(() => chain.local.stop())

function ours(): Watchlist {
  const { owned } = watching(chain.treasury, ...addresses)
  const list: Watchlist = {
    owned: owned.bind({ questions: 0 }),
    listUpTo: async () => addresses,
    activeAddresses: async () => addresses,
  }
  return list
}

/** Everything that an adapter sees from a cursor to the head. */
async function seen(adapter: ChainAdapter, cursor: string): Promise<{ sightings: Sighting[]; next: string }> {
  const sightings: Sighting[] = []
  let next = cursor
  for (;;) {
    const scan = await adapter.scan(next, ours())
    sightings.push(...scan.sightings)
    next = scan.next
    if (scan.scannedTo >= scan.head.number) return { sightings, next }
  }
}

const named = (sightings: readonly Sighting[]) =>
  sightings
    .map(
      ({ txHash, index, block, to, amount, reference, refundableSender: from, requiresFinality: finalOnly = false }) =>
        [block?.number, txHash, index, to, amount.token.symbol, amount.units, reference, from, finalOnly].join(' '),
    )
    .sort()

function run(...calls: { to: Address; value?: bigint; data?: Hex }[]): Hex {
  const args = calls.map(({ to, value = 0n, data = '0x' }) => ({ to: to as Hex, value, data }))
  return encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [args] })
}

/** Coins that a contract sends to a deposit address and has swept in the same block: its balance is unchanged. */
function sentAndSwept(at: number, value: bigint): Hex {
  const data = encodeSweep(native, [{ address: '', index: at + 1, branch: BRANCH }])
  return run({ to: addresses[at] ?? '', value }, { to: factoryAddress(chain.treasury), data })
}

/** The total that each deposit address received, from its balance and its sweeps: computed without any scan. */
async function cameTo(from: bigint): Promise<bigint[]> {
  const { node, treasury } = chain
  const swept = (await control(node, 'eth_getLogs', {
    address: factoryAddress(treasury),
    fromBlock: hex(from + 1n),
    topics: [keccak256(toBytes('Swept(bytes32,address,uint256)')), null, pad('0x0')],
  })) as { topics: string[]; data: string }[]
  return Promise.all(
    addresses.map(async (address, at) => {
      const [before, after] = await Promise.all(
        [hex(from), 'latest'].map(async (block) =>
          BigInt(String(await control(node, 'eth_getBalance', address, block))),
        ),
      )
      const taken = swept.filter(({ topics }) => BigInt(topics[1] ?? 0) === (BigInt(BRANCH) << 128n) + BigInt(at + 1))
      return (after ?? 0n) - (before ?? 0n) + taken.reduce((sum, { data }) => sum + BigInt(data), 0n)
    }),
  )
}

/** A number below `most`, the same sequence for a seed. */
function dice(seed: number) {
  let state = seed
  return (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

/** Adds blocks with random transactions. */
async function live(roll: (most: number) => number, blocks: number): Promise<void> {
  const { node, local, treasury } = chain
  const account = () => accountOf(local, roll(5)).address
  const address = () => addresses[roll(addresses.length)] ?? ''
  const acts: (() => Promise<unknown>)[] = [
    () => sendAs(node, account(), { to: address(), value: 1_000n + BigInt(roll(1_000)) }),
    () =>
      sendAs(node, account(), { to: treasury, value: 5n + BigInt(roll(50)), data: encodeMemo(BigInt(1 + roll(99))) }),
    () =>
      sendAs(node, sender, { to: USDC, data: encodeTransfer(roll(2) ? treasury : address(), BigInt(1 + roll(500))) }),
    () => sendAs(node, account(), { to: batcher, data: run({ to: address(), value: 300n + BigInt(roll(300)) }) }),
    () =>
      sendAs(node, account(), {
        to: batcher,
        data: run(
          { to: address(), value: 7n },
          { to: address(), value: 9n },
          { to: USDC, data: encodeTransfer(address(), 11n) },
        ),
      }),
    () => sendAs(node, treasury, { to: account(), value: 3n }),
    () => sendAs(node, account(), { to: batcher, data: sentAndSwept(roll(addresses.length), 500n + BigInt(roll(99))) }),
    () =>
      sendAs(node, account(), {
        to: factoryAddress(treasury),
        data: encodeSweep(native, [{ address: '', index: 1 + roll(3), branch: BRANCH }]),
      }),
    () =>
      sendAs(node, account(), {
        to: batcher,
        data: encodeFunctionData({ abi: Batcher.abi, functionName: 'sendAndTakeBack', args: [address() as Hex] }),
        value: 10n,
      }),
  ]
  for (let block = 0; block < blocks; block++) {
    await control(node, 'evm_setAutomine', false)
    for (let i = roll(4); i > 0; i--) await acts[roll(acts.length)]?.()
    await control(node, 'evm_setAutomine', true)
    await control(node, 'evm_mine')
    if (roll(4) === 0) await local.mine(network.name, 1 + roll(6))
  }
}

const MODES = ['balances', 'traces'] as const

/** Traces as a node would give them, made from the blocks themselves: the receivers of every call. */
async function withTraces() {
  return startProvider(async (method, params) => {
    if (method === 'trace_filter') {
      const [{ fromBlock, toBlock, toAddress }] = params as [
        { fromBlock: string; toBlock: string; toAddress: string[] },
      ]
      const found: { blockNumber: number }[] = []
      for (let number = Number(fromBlock); number <= Number(toBlock); number++) {
        for (const address of toAddress) {
          const held = await Promise.all(
            [number - 1, number].map((at) => control(chain.node, 'eth_getBalance', address, `0x${at.toString(16)}`)),
          )
          if (held[0] !== held[1]) found.push({ blockNumber: number })
        }
      }
      return found
    }
    return control(chain.node, method, ...params)
  })
}

test.each(MODES)(
  'over random blocks the scan by %s finds the deposits that the scan of every block finds',
  async (mode) => {
    const { open, adapter } = chain
    const provider = await withTraces()
    const cheap = await open({ nodes: [provider.url], settings: { native_scan: mode } })
    const start = await adapter.scan(null, ours())
    const cheapStart = await cheap.scan(null, ours())
    await live(dice(mode === 'traces' ? 7 : 11), 40)
    const full = await seen(adapter, start.next)
    const sparse = await seen(cheap, cheapStart.next)
    expect(named(sparse.sightings)).toEqual(named(full.sightings))
    const coins = full.sightings.filter(({ amount }) => amount.token.contract === null)
    const told = addresses.map((address) =>
      coins.filter(({ to }) => to === address).reduce((sum, { amount }) => sum + amount.units, 0n),
    )
    expect(told).toEqual(await cameTo(start.scannedTo))
    const kinds = new Set(
      full.sightings.map(({ requiresFinality: finalOnly, amount }) => `${amount.token.symbol} ${finalOnly ?? false}`),
    )
    expect([...kinds].sort()).toEqual(['ETH false', 'ETH true', 'USDC false'])
    await provider.stop()
  },
  60_000,
)

test('the way may change between two scans: nothing is missed and nothing has two names', async () => {
  const { open, adapter } = chain
  const cheap = await open({ settings: { native_scan: 'balances' } })
  const start = await adapter.scan(null, ours())
  let changing = start.next
  const found: Sighting[] = []
  for (let round = 0; round < 6; round++) {
    await live(dice(100 + round), 4)
    const { sightings, next } = await seen(round % 2 ? adapter : cheap, changing)
    found.push(...sightings)
    changing = next
  }
  const full = await seen(adapter, start.next)
  expect(named(found)).toEqual(named(full.sightings))
}, 60_000)

test('coins sent by a contract are proven again by their key, for our addresses only', async () => {
  const { node, adapter, local } = chain
  const [address = ''] = addresses
  const start = await adapter.scan(null, ours())
  await sendAs(node, sender, { to: batcher, data: run({ to: address, value: 123n }) })
  const [sighting, ...more] = (await adapter.scan(start.next, ours())).sightings
  expect(more).toEqual([])
  expect(sighting).toMatchObject({
    refundableSender: null,
    fundingAddresses: [],
    to: address,
    amount: { units: 123n },
    requiresFinality: true,
  })
  await local.mine(network.name, 5)
  const found = await adapter.inspect(sighting?.txHash ?? '', ours())
  expect(found).toMatchObject({ state: 'included', confirmations: 6, sightings: [sighting] })
  expect(await adapter.inspect(sighting?.txHash ?? '', watching(chain.treasury))).toEqual({ state: 'unknown' })
})

test.each(['blocks', 'balances'])(
  'by %s, coins that a contract sent and somebody swept in the same block are found',
  async (mode) => {
    const { node, open, local } = chain
    const adapter = await open({ settings: { native_scan: mode } })
    const start = await adapter.scan(null, ours())
    await sendAs(node, sender, { to: batcher, data: sentAndSwept(1, 321n) })
    const [sighting, ...more] = (await adapter.scan(start.next, ours())).sightings
    expect(more).toEqual([])
    expect(sighting).toMatchObject({ to: addresses[1], amount: { units: 321n }, requiresFinality: true })
    await local.mine(network.name, 1)
    expect(await adapter.inspect(sighting?.txHash ?? '', ours())).toMatchObject({ sightings: [sighting] })
  },
)

test('a node that prunes states is read block by block, and misses no transfer', async () => {
  const { open, adapter } = chain
  const pruned = await startProvider(async (method, params) => {
    const isState = method === 'eth_getBalance' || method === 'eth_getTransactionCount'
    if (isState && typeof params[1] === 'object') throw { code: -32000, message: 'missing trie node' }
    return control(chain.node, method, ...params)
  })
  const cheap = await open({ nodes: [pruned.url], settings: { native_scan: 'balances' } })
  const start = await adapter.scan(null, ours())
  await live(dice(5), 10)
  const full = await seen(adapter, start.next)
  const there = await seen(cheap, start.next)
  expect(named(there.sightings)).toEqual(named(full.sightings.filter(({ requiresFinality: finalOnly }) => !finalOnly)))
  await pruned.stop()
})

test('an idle network gets six requests per step, however many blocks it made', async () => {
  const { open, local } = chain
  const provider = await startProvider(chain.url)
  const cheap = await open({ nodes: [provider.url], settings: { native_scan: 'balances' } })
  const nobody: Watchlist = { ...ours(), listUpTo: async () => [], activeAddresses: async () => [] }
  let { next } = await cheap.scan(null, nobody)
  await local.mine(network.name, 80)
  next = (await cheap.scan(next, nobody)).next
  const before = provider.total()
  await local.mine(network.name, 80)
  await cheap.scan(next, nobody)
  expect(provider.total() - before).toBe(6)
  await provider.stop()
})

test('logs that a lagging backend silently omitted are found by the recheck', async () => {
  const { open, local, node, treasury } = chain
  let isLagging = false
  const provider = await startProvider((method, params) =>
    method === 'eth_getLogs' && isLagging ? [] : control(node, method, ...params),
  )
  const cheap = await open({ nodes: [provider.url], settings: { native_scan: 'balances' } })
  let { next } = await cheap.scan(null, ours())
  const txHash = await local.transfer(accountOf(local, 0), usdc, treasury, 77n)
  isLagging = true
  const missed = await cheap.scan(next, ours())
  expect(missed.sightings).toEqual([])
  isLagging = false
  await local.mine(network.name, 300)
  const found = await cheap.scan(missed.next, ours())
  expect(found.sightings.map((sighting) => [sighting.txHash, sighting.amount.units])).toEqual([[txHash, 77n]])
  next = found.next
  await local.mine(network.name, 300)
  expect((await cheap.scan(next, ours())).sightings).toEqual([])
  await provider.stop()
})

const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'
const MULTICALL_ABI = parseAbi([
  'function aggregate((address target, bytes callData)[] calls) returns (uint256 blockNumber, bytes[] returnData)',
])

/** A node with the multicall contract, which the local chain lacks. Only our own addresses hold anything. */
async function withMulticall(method: string, params: readonly unknown[], node: typeof chain.node): Promise<unknown> {
  const [call, block] = params as [{ to?: string; data?: Hex } | string, string]
  if (method === 'eth_getCode' && String(call).toLowerCase() === MULTICALL.toLowerCase()) return '0x01'
  if (method !== 'eth_call' || typeof call === 'string' || call.to?.toLowerCase() !== MULTICALL.toLowerCase())
    return control(node, method, ...params)
  const { args } = decodeFunctionData({ abi: MULTICALL_ABI, data: call.data ?? '0x' })
  const owned = [chain.treasury, ...addresses].map((address) => address.toLowerCase())
  const balances = args[0].map(async ({ callData }) => {
    const account = `0x${callData.slice(-40)}`
    const units = owned.includes(account) ? String(await control(node, 'eth_getBalance', account, block)) : '0x0'
    return pad(units as Hex)
  })
  return encodeFunctionResult({
    abi: MULTICALL_ABI,
    functionName: 'aggregate',
    result: [0n, await Promise.all(balances)],
  })
}

test('a coin sent to one of ten thousand open addresses is found by the next scan', async () => {
  const { open, local, treasury, node } = chain
  const provider = await startProvider((method, params) => withMulticall(method, params, node))
  const cheap = await open({ nodes: [provider.url], settings: { native_scan: 'balances' } })
  await cheap.contractSurvey?.surveyContracts()
  const strangers = Array.from({ length: 10_000 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '5')}`)
  const [victim = ''] = addresses
  const { owned } = watching(treasury, ...addresses)
  const crowded: Watchlist = {
    owned: owned.bind({ questions: 0 }),
    listUpTo: async () => null,
    activeAddresses: async () => [...strangers.slice(0, 5_000), victim, ...strangers.slice(5_000)],
  }
  const first = await cheap.scan(null, crowded)
  await local.mine(network.name, 3)
  const { next } = await cheap.scan(first.next, crowded)
  await local.transfer(accountOf(local, 0), native, victim, 5n)
  const [before, started] = [provider.total(), performance.now()]
  const found = await cheap.scan(next, crowded)
  expect(found.sightings.map(({ to, amount }) => [to, amount.units])).toEqual([[victim, 5n]])
  const [requests, ms] = [provider.total() - before, Math.round(performance.now() - started)]
  console.log(`EVM, 10,000 unpaid swaps: the coin is found by one scan, ${requests} requests, ${ms} ms`)
  await provider.stop()
})
