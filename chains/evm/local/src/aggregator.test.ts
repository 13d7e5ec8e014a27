/** An exchange whose call an aggregator has built: the order decides what is signed, whatever the call data says. */
import { type Exchange, type Order, PayoutImpossible, parseRoute, routeText } from '@causeway/core'
import { getAddress, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { AGGREGATION_ROUTER, type Description, type SimulatedAggregator, startAggregator } from './aggregator.ts'
import { control, startChain, testNetwork, tokenOf, USDC } from './testbed.ts'
import { deployUniswap, EXCHANGE_OWNER, UNISWAP, type Uniswap } from './uniswap.ts'

const GEM = '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d'
const EVIL = '0x00000000000000000000000000000000000bad01'
const network = testNetwork(
  {
    providers: [{ name: 'v2', router: UNISWAP.router2, wrappedNative: UNISWAP.weth }],
    aggregators: [{ name: 'oneinch', kind: 'oneinch_v6', router: AGGREGATION_ROUTER, url: 'http://unused' }],
  } as object,
  { USDC, GEM },
)
const usdc = tokenOf(network, 'USDC')
const gem = tokenOf(network, 'GEM')
const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const UNIT = 10n ** 6n
const FEE = 3000

let chain: Awaited<ReturnType<typeof startChain>>
let uniswap: Uniswap
let aggregator: SimulatedAggregator

beforeAll(async () => {
  chain = await startChain(network)
  const { local, node, treasury } = chain
  const ask = (method: string, params: readonly unknown[]) => control(node, method, ...params)
  uniswap = await deployUniswap(ask)
  for (const token of [usdc, gem]) await local.fund(token, EXCHANGE_OWNER, 10_000_000n * UNIT)
  await local.fund(usdc, treasury, 100_000n * UNIT)
  await local.fund(network.nativeToken, treasury, 10n ** 20n)
  const [token0, token1] = [getAddress(USDC), getAddress(GEM)].sort((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : 1,
  ) as [Hex, Hex]
  await uniswap.openV2(token0, token1, 1_000_000n * UNIT, 1_000_000n * UNIT)
  const range = { tickLower: -60_000, tickUpper: 60_000, amount0: 500_000n * UNIT, amount1: 500_000n * UNIT }
  await uniswap.openV3(token0, token1, FEE, 2n ** 96n, [range])
  await uniswap.wrap(10n ** 20n)
  await uniswap.openV2(UNISWAP.weth, getAddress(GEM), 10n ** 20n, 200_000n * UNIT)
  aggregator = await startAggregator()
  await aggregator.addChain(network.chainId ?? '', ask)
})
afterAll(async () => {
  await aggregator.stop()
  await chain.local.stop()
})
beforeEach(() => {
  aggregator.description = null
})

function port() {
  const { exchanges } = chain.adapter
  if (!exchanges) throw new Error('the family has exchanges')
  return exchanges
}

/** The exchange with the call that the aggregator builds for it, and the output that it promises. */
async function offered(units: bigint, changes: Partial<Exchange> = {}) {
  const sells = changes.sells ?? { token: usdc, units }
  const isNative = sells.token.contract === null
  const query = new URLSearchParams({
    ...{ src: isNative ? '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' : USDC, dst: GEM, slippage: '1' },
    ...{ amount: `${sells.units}`, from: chain.treasury, receiver: RECIPIENT },
  })
  const response = await fetch(`${aggregator.url}/${network.chainId}/swap?${query}`)
  const { dstAmount, tx } = (await response.json()) as { dstAmount: string; tx: { data: string } }
  const route = routeText({
    ...{ kind: 'oneinch_v6', router: AGGREGATION_ROUTER, path: [isNative ? UNISWAP.weth : USDC, GEM] },
    ...{ native: isNative ? 'in' : null, data: tx.data },
  })
  const minUnits = (BigInt(dstAmount) * 99n) / 100n
  const exchange: Exchange = {
    ...{ provider: 'oneinch', network: network.name, sells, buys: gem, minUnits, to: RECIPIENT },
    ...{ deadline: new Date(Date.now() + 3_600_000), route, ...changes },
  }
  return { exchange, promised: BigInt(dstAmount) }
}

function orderOf(exchange: Exchange): Order {
  return { kind: 'exchange', account: chain.treasury, exchange }
}

async function mine(order: Order) {
  const { adapter } = chain
  const draft = await adapter.prepare(order, null)
  const slot = await adapter.nextSlot(order, draft, [])
  const signed = await adapter.sign(order, slot, draft)
  await adapter.broadcast(signed)
  return {
    ...signed,
    status: await adapter.status({ hash: signed.hash, slot, account: chain.treasury }, nothingSigned),
  }
}

const heldBy = async (owner: string) => (await chain.adapter.balance(owner, gem)).units

test('an honest call pays the recipient exactly what was simulated, and leaves no allowance', async () => {
  const { exchange, promised } = await offered(1_234n * UNIT)
  expect(port().objectionTo(exchange)).toBeNull()
  expect(await port().exactOut(exchange)).toBe(promised)
  const call = port().approvalCall(AGGREGATION_ROUTER, usdc, exchange.sells.units)
  await mine({ kind: 'transfers', account: chain.treasury, transfers: [], call })
  const before = await heldBy(RECIPIENT)
  const { hash, status } = await mine(orderOf(exchange))
  expect(status.state).toBe('included')
  expect((await heldBy(RECIPIENT)) - before).toBe(promised)
  expect(await port().received(hash, exchange)).toBe(promised)
  expect(await port().allowance(AGGREGATION_ROUTER, usdc)).toBe(0n)
})

test('a call that sells the native coin sends exactly its value', async () => {
  const sells = { token: network.nativeToken, units: 10n ** 17n }
  const { exchange, promised } = await offered(0n, { sells })
  expect(port().objectionTo(exchange)).toBeNull()
  expect(await port().exactOut(exchange)).toBe(promised)
  const { hash, status } = await mine(orderOf(exchange))
  expect(status.state).toBe('included')
  expect(await port().received(hash, exchange)).toBe(promised)
})

test('money that others send to the recipient in the same transaction is no output', async () => {
  const { exchange } = await offered(10n * UNIT)
  const call = port().approvalCall(AGGREGATION_ROUTER, usdc, exchange.sells.units)
  await mine({ kind: 'transfers', account: chain.treasury, transfers: [], call })
  const { hash } = await mine(orderOf(exchange))
  // The router itself got the tokens from a pool. Such a transfer to our wallet could be a sweep or a deposit.
  expect(await port().received(hash, { ...exchange, to: AGGREGATION_ROUTER })).toBe(0n)
})

describe('a call that differs from the order is neither prepared nor signed', () => {
  test.each<[string, (honest: Description) => Partial<Description>, string]>([
    ['pays another recipient', () => ({ dstReceiver: EVIL }), 'another recipient'],
    ['pays the sender', () => ({ dstReceiver: '0x0000000000000000000000000000000000000000' }), 'another recipient'],
    ['allows less than the minimum', () => ({ minReturnAmount: 1n }), 'less than the minimum'],
    ['sells more', ({ amount }) => ({ amount: amount + 1n }), 'another amount'],
    ['sells less', ({ amount }) => ({ amount: amount - 1n }), 'another amount'],
    ['sells another token', () => ({ srcToken: GEM }), 'sells another token'],
    ['buys another token', () => ({ dstToken: USDC }), 'buys another token'],
    ['may be filled in part', () => ({ flags: 1n }), 'flags'],
    ['takes tokens by Permit2', () => ({ flags: 4n }), 'flags'],
  ])('%s', async (_, description, reason) => {
    aggregator.description = description
    const { exchange } = await offered(10n * UNIT)
    expect(port().objectionTo(exchange)).toContain(reason)
    await expect(chain.adapter.prepare(orderOf(exchange), null)).rejects.toThrow(reason)
    const draft = JSON.stringify({ gas: '500000', nonce: '0', maxFeePerGas: '1000', maxPriorityFeePerGas: '1' })
    expect(() => chain.adapter.maxSigningCost(orderOf(exchange), ['0'], draft)).toThrow(reason)
    await expect(chain.adapter.sign(orderOf(exchange), ['0'], draft)).rejects.toThrow(reason)
  })

  test.each([
    ['no call at all', '0x'],
    ['a transfer of the token', '0xa9059cbb'.padEnd(138, '0')],
    ['a function that names no recipient', '0x83800a8e'.padEnd(266, '0')],
    ['a call that is cut off', '0x07ed2379'.padEnd(300, '0')],
    ['half a byte', '0x07ed237'],
    ['a very long call', `0x07ed2379${'00'.repeat(20_000)}`],
  ])('%s', async (_, data) => {
    const { exchange } = await offered(10n * UNIT)
    const { router, path } = parseRoute(exchange.route)
    const route = routeText({ kind: 'oneinch_v6', router, path, native: null, data })
    expect(port().objectionTo({ ...exchange, route })).toMatch(/decoded|malformed/)
  })

  test('goes to a router that is not listed as an aggregator, such as that of a pool', async () => {
    const { exchange } = await offered(10n * UNIT)
    for (const router of [EVIL, UNISWAP.router2]) {
      const route = JSON.stringify({ ...JSON.parse(exchange.route), router })
      expect(port().objectionTo({ ...exchange, route })).toContain('does not list')
    }
    expect(() => port().approvalCall(EVIL, usdc, 1n)).toThrow('not ours')
  })
})

test('an executor that keeps the money fails in the simulation', async () => {
  const { exchange } = await offered(10n * UNIT)
  const code = await control(chain.node, 'eth_getCode', UNISWAP.router3, 'latest')
  const other = await control(chain.node, 'eth_getCode', UNISWAP.router2, 'latest')
  for (const router of [UNISWAP.router2, UNISWAP.router3]) await control(chain.node, 'hardhat_setCode', router, '0x00')
  await expect(port().exactOut(exchange)).rejects.toThrow(PayoutImpossible)
  await expect(chain.adapter.prepare(orderOf(exchange), null)).rejects.toThrow(PayoutImpossible)
  await control(chain.node, 'hardhat_setCode', UNISWAP.router3, code)
  await control(chain.node, 'hardhat_setCode', UNISWAP.router2, other)
})

test('a listed router without a contract gives nothing', async () => {
  const { exchange } = await offered(10n * UNIT)
  const code = await control(chain.node, 'eth_getCode', AGGREGATION_ROUTER, 'latest')
  await control(chain.node, 'hardhat_setCode', AGGREGATION_ROUTER, '0x')
  await expect(chain.adapter.prepare(orderOf(exchange), null)).rejects.toThrow(PayoutImpossible)
  await control(chain.node, 'hardhat_setCode', AGGREGATION_ROUTER, code)
})
