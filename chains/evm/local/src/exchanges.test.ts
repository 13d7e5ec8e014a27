import {
  type Exchange,
  type Order,
  PayoutImpossible,
  type Pool,
  poolCurve,
  RetryLater,
  routeText,
} from '@causeway/core'
import { encodeFunctionData, erc20Abi, getAddress, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { control, sendAs, startChain, testNetwork, tokenOf, USDC } from './testbed.ts'
import { deployUniswap, EXCHANGE_OWNER, UNISWAP, type Uniswap } from './uniswap.ts'

const GEM = '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d'
const providers = [
  { name: 'v2', router: UNISWAP.router2, wrappedNative: UNISWAP.weth },
  { name: 'v3', router: UNISWAP.router3, wrappedNative: UNISWAP.weth },
]
const network = testNetwork({ providers } as object, { USDC, GEM })
const usdc = tokenOf(network, 'USDC')
const gem = tokenOf(network, 'GEM')
const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const UNIT = 10n ** 6n
const FEE = 3000

let chain: Awaited<ReturnType<typeof startChain>>
let uniswap: Uniswap
let v2: Pool
let v3: Pool
let eth: Pool
/** The time of all blocks of the exchange's owner, in seconds; null for the clock's. */
let fixedTime: number | null = null

beforeAll(async () => {
  chain = await startChain(network)
  const { local, node, treasury } = chain
  uniswap = await deployUniswap(async (method, params) => {
    if (method === 'eth_sendTransaction' && fixedTime !== null) await mineNextAt(fixedTime)
    return control(node, method, ...params)
  })
  for (const token of [usdc, gem]) await local.fund(token, EXCHANGE_OWNER, 10_000_000n * UNIT)
  await local.fund(usdc, treasury, 100_000n * UNIT)
  await local.fund(network.nativeToken, treasury, 10n ** 20n)
  const [token0, token1] = [getAddress(USDC), getAddress(GEM)].sort((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : 1,
  ) as [Hex, Hex]
  const pool = { token0, token1, feePpm: FEE }
  v2 = {
    kind: 'uniswap_v2',
    ...pool,
    address: await uniswap.openV2(token0, token1, 1_000_000n * UNIT, 500_000n * UNIT),
  }
  const range = { tickLower: -6000, tickUpper: 6000, amount0: 100_000n * UNIT, amount1: 100_000n * UNIT }
  const wide = { ...range, tickLower: -60_000, tickUpper: 60_000 }
  v3 = { kind: 'uniswap_v3', ...pool, address: await uniswap.openV3(token0, token1, FEE, 2n ** 96n, [range, wide]) }
  await uniswap.wrap(10n ** 20n)
  const [low, high] = [UNISWAP.weth, getAddress(GEM)].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)) as [
    Hex,
    Hex,
  ]
  const address = await uniswap.openV2(UNISWAP.weth, getAddress(GEM), 10n ** 20n, 200_000n * UNIT)
  eth = { kind: 'uniswap_v2', token0: low, token1: high, feePpm: FEE, address }
})
afterAll(() => chain.local.stop())

function mineNextAt(seconds: number): Promise<unknown> {
  return control(chain.node, 'evm_setNextBlockTimestamp', seconds)
}

function exchangeOf({ kind, address, feePpm }: Pool, units: bigint, changes: Partial<Exchange> = {}): Exchange {
  const router = kind === 'uniswap_v2' ? UNISWAP.router2 : UNISWAP.router3
  const quoter = kind === 'uniswap_v2' ? null : UNISWAP.quoter3
  const route = { kind, router, quoter, pool: address, feePpm, path: [USDC, GEM] as const, native: null }
  return {
    ...{ provider: kind, network: network.name, sells: { token: usdc, units }, buys: gem, minUnits: 1n },
    ...{ to: RECIPIENT, deadline: new Date(Date.now() + 3_600_000), route: routeText(route) },
    ...changes,
  }
}

/** A pool of wrapped ether at 2,000 tokens each. */
async function openNativeV3(): Promise<Pool> {
  const sides = [UNISWAP.weth, getAddress(GEM)].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  const [token0, token1] = sides as [Hex, Hex]
  await uniswap.wrap(10n ** 19n)
  const isWethFirst = token0 === UNISWAP.weth
  // The square root of 2,000 units of 10^-6 for 10^18, or the inverse.
  const sqrtPriceX96 = isWethFirst ? (447n * 2n ** 96n) / 10n ** 7n : (2n ** 96n * 10n ** 7n) / 447n
  const [tickLower, tickUpper] = isWethFirst ? [-210_000, -180_000] : [180_000, 210_000]
  const [amount0, amount1] = isWethFirst ? [10n ** 19n, 20_000n * UNIT] : [20_000n * UNIT, 10n ** 19n]
  const range = { tickLower, tickUpper, amount0, amount1 }
  const address = await uniswap.openV3(token0, token1, FEE, sqrtPriceX96, [range])
  return { kind: 'uniswap_v3', token0, token1, feePpm: FEE, address }
}

function exchangeOrder(exchange: Exchange): Order {
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

async function approve({ sells, route }: Exchange) {
  const { router } = JSON.parse(route)
  const call = port().approvalCall(router, sells.token, sells.units)
  return mine({ kind: 'transfers', account: chain.treasury, transfers: [], call })
}

function port() {
  const { exchanges } = chain.adapter
  if (!exchanges) throw new Error('the family has exchanges')
  return exchanges
}

const heldBy = async (owner: string) => (await chain.adapter.balance(owner, gem)).units
const outOf = async (pool: Pool, units: bigint) => {
  const { states } = await port().readPools([pool])
  const [state] = states
  return state ? (poolCurve(pool, state, getAddress(USDC))?.out(units) ?? null) : null
}

describe('an exchange', () => {
  test.each(['v2', 'v3'] as const)('pays the recipient exactly what the pool gives: %s', async (name) => {
    const pool = name === 'v2' ? v2 : v3
    const units = 1_234n * UNIT
    const expected = await outOf(pool, units)
    const exchange = exchangeOf(pool, units, { minUnits: expected ?? 0n })
    expect(await port().exactOut(exchange)).toBe(expected)
    await expect(chain.adapter.prepare(exchangeOrder(exchange), null)).rejects.toThrow(RetryLater)
    await approve(exchange)
    expect(await port().allowance(JSON.parse(exchange.route).router, usdc)).toBe(units)
    const before = await heldBy(RECIPIENT)
    const { hash, status } = await mine(exchangeOrder(exchange))
    expect(status.state).toBe('included')
    expect((await heldBy(RECIPIENT)) - before).toBe(expected)
    expect(await port().received(hash, exchange)).toBe(expected)
    expect(await port().allowance(JSON.parse(exchange.route).router, usdc)).toBe(0n)
  })

  test('sells the native coin without an approval', async () => {
    const path = [UNISWAP.weth, GEM] as const
    const route = { kind: eth.kind, router: UNISWAP.router2, quoter: null, pool: eth.address, feePpm: FEE, path }
    const sells = { token: network.nativeToken, units: 10n ** 17n }
    const exchange = exchangeOf(eth, 1n, { sells, route: routeText({ ...route, native: 'in' }) })
    const expected = await uniswap.quoteV2(
      [...path].map((one) => getAddress(one)),
      sells.units,
    )
    expect(await port().exactOut(exchange)).toBe(expected)
    const { hash, status } = await mine(exchangeOrder({ ...exchange, minUnits: expected }))
    expect(status.state).toBe('included')
    expect(await port().received(hash, exchange)).toBe(expected)
  })

  test.each(['v2', 'v3', 'native v2', 'native v3'] as const)(
    'is made by a depositor, as its actions say: %s',
    async (name) => {
      const isNative = name.startsWith('native')
      const path = [getAddress(isNative ? UNISWAP.weth : USDC), getAddress(GEM)] as const
      const sells = isNative ? { token: network.nativeToken, units: 10n ** 15n } : { token: usdc, units: 77n * UNIT }
      const pool = { v2, v3, 'native v2': eth, 'native v3': name === 'native v3' ? await openNativeV3() : eth }[name]
      const [router, quoter] = name.endsWith('v2') ? [UNISWAP.router2, null] : [UNISWAP.router3, UNISWAP.quoter3]
      const native = isNative ? ('in' as const) : null
      const route = routeText({ kind: pool.kind, router, quoter, pool: pool.address, feePpm: FEE, path, native })
      const expected = name.endsWith('v2')
        ? await uniswap.quoteV2([...path], sells.units)
        : await uniswap.quoteV3(path[0], path[1], FEE, sells.units)
      await chain.local.fund(sells.token, EXCHANGE_OWNER, sells.units + 10n ** 18n)
      const before = await heldBy(RECIPIENT)
      const exchange = exchangeOf(pool, sells.units, { sells, route, minUnits: expected })
      const actions = port().depositActions(exchange)
      expect(actions).toHaveLength(isNative ? 1 : 2)
      for (const { toAddress, units, callData } of actions)
        await sendAs(chain.node, EXCHANGE_OWNER, {
          to: toAddress as Hex,
          value: units,
          data: (callData ?? '0x') as Hex,
        })
      expect((await heldBy(RECIPIENT)) - before).toBe(expected)
      // No more can be taken with the same approval.
      const { router: spender } = JSON.parse(route)
      const left = { functionName: 'allowance', args: [EXCHANGE_OWNER, spender] } as const
      const call = { to: USDC, data: encodeFunctionData({ abi: erc20Abi, ...left }) }
      if (!isNative) expect(BigInt((await control(chain.node, 'eth_call', call, 'latest')) as string)).toBe(0n)
    },
  )

  test('estimated in the same second as the first liquidity has enough gas in a later block', async () => {
    const { adapter, treasury } = chain
    const seconds = Math.floor(Date.now() / 1000) + 1_000
    fixedTime = seconds
    await uniswap.wrap(10n ** 20n)
    // The pair writes its price accumulators for the first time in the next second: two new storage slots.
    const pool = await uniswap.openV2(UNISWAP.weth, getAddress(USDC), 10n ** 20n, 200_000n * UNIT)
    fixedTime = null
    const path = [UNISWAP.weth, USDC] as const
    const kind = 'uniswap_v2' as const
    const route = routeText({
      ...{ kind, router: UNISWAP.router2, quoter: null, pool, feePpm: FEE, path, native: 'in' },
    })
    const sells = { token: network.nativeToken, units: 10n ** 17n }
    const deadline = new Date((seconds + 3_600) * 1000)
    const order = exchangeOrder({ ...exchangeOf(v2, 1n), sells, buys: usdc, deadline, route })
    await mineNextAt(seconds)
    const draft = await adapter.prepare(order, null)
    const slot = await adapter.nextSlot(order, draft, [])
    const signed = await adapter.sign(order, slot, draft)
    await mineNextAt(seconds + 12)
    await adapter.broadcast(signed)
    expect(await adapter.status({ hash: signed.hash, slot, account: treasury }, nothingSigned)).toMatchObject({
      state: 'included',
    })
  })

  test('is not prepared below its minimum, nor after its deadline', async () => {
    const exchange = exchangeOf(v2, 10n * UNIT)
    const out = (await outOf(v2, 10n * UNIT)) ?? 0n
    const tooMuch = exchangeOrder({ ...exchange, minUnits: out + 1n })
    await expect(chain.adapter.prepare(tooMuch, null)).rejects.toThrow(PayoutImpossible)
    const late = { ...exchange, deadline: new Date(1_000) }
    await expect(chain.adapter.prepare(exchangeOrder(late), null)).rejects.toThrow(PayoutImpossible)
  })

  test('reverts on chain without a payment if the pool moved after the signature', async () => {
    const units = 1_000n * UNIT
    const exchange = exchangeOf(v2, units, { minUnits: ((await outOf(v2, units)) ?? 0n) - 1n })
    await approve(exchange)
    const order = exchangeOrder(exchange)
    const { adapter, treasury } = chain
    const draft = await adapter.prepare(order, null)
    const slot = await adapter.nextSlot(order, draft, [])
    const signed = await adapter.sign(order, slot, draft)
    await uniswap.sellV2(getAddress(USDC), getAddress(GEM), 50_000n * UNIT)
    const before = [await heldBy(RECIPIENT), (await adapter.balance(treasury, usdc)).units]
    await adapter.broadcast(signed).catch(() => undefined)
    await control(chain.node, 'evm_mine')
    const status = await adapter.status({ hash: signed.hash, slot, account: treasury }, nothingSigned)
    expect(status.state).toBe('reverted')
    expect([await heldBy(RECIPIENT), (await adapter.balance(treasury, usdc)).units]).toEqual(before)
  })

  test('through a router that the network file does not list is refused', async () => {
    const exchange = exchangeOf(v2, UNIT)
    const route = JSON.stringify({ ...JSON.parse(exchange.route), router: RECIPIENT })
    await expect(chain.adapter.prepare(exchangeOrder({ ...exchange, route }), null)).rejects.toThrow('does not list')
    expect(() => port().approvalCall(RECIPIENT, usdc, 1n)).toThrow('not ours')
    expect(() => port().approvalCall(UNISWAP.router2, usdc, 2n ** 200n)).toThrow('not ours')
  })

  test('of another token than its route sells or buys is refused', async () => {
    const exchange = exchangeOf(v2, UNIT)
    for (const change of [{ sells: { token: gem, units: UNIT } }, { buys: usdc }, { minUnits: 0n }]) {
      const order = exchangeOrder({ ...exchange, ...change })
      await expect(chain.adapter.prepare(order, null)).rejects.toThrow()
    }
  })

  test('of a paused or emptied pool is not prepared', async () => {
    const exchange = exchangeOf(v2, UNIT)
    const code = await control(chain.node, 'eth_getCode', UNISWAP.router2, 'latest')
    await control(chain.node, 'hardhat_setCode', UNISWAP.router2, '0xfe')
    await expect(chain.adapter.prepare(exchangeOrder(exchange), null)).rejects.toThrow(PayoutImpossible)
    await control(chain.node, 'hardhat_setCode', UNISWAP.router2, code)
    const pool = getAddress(eth.address)
    const all = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [EXCHANGE_OWNER, await heldBy(pool)],
    })
    await control(chain.node, 'hardhat_setBalance', pool, '0xde0b6b3a7640000')
    await sendAs(chain.node, pool, { to: getAddress(GEM), data: all })
    await uniswap.run('pair2', pool, 'sync', [])
    const route = { ...JSON.parse(exchange.route), pool, path: [UNISWAP.weth, GEM], native: 'in' }
    const sells = { token: network.nativeToken, units: 10n ** 15n }
    const empty = exchangeOrder({ ...exchange, sells, route: JSON.stringify(route) })
    await expect(chain.adapter.prepare(empty, null)).rejects.toThrow(PayoutImpossible)
  })
})
