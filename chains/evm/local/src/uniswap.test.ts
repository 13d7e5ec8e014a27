/** The arithmetic of pools in core against the real contracts: equal to the last unit, over many amounts. */
import { type Pool, poolCurve, type V3State, WORD_TICKS } from '@causeway/core'
import { type Address, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { control, startChain, testNetwork, USDC } from './testbed.ts'
import { deployUniswap, EXCHANGE_OWNER, UNISWAP, type Uniswap } from './uniswap.ts'

const OTHER = '0x2c7d4b196cb0c7b01d743fbc6116a902379c7239'
const E18 = 10n ** 18n
const Q96 = 2n ** 96n

let world: Awaited<ReturnType<typeof startChain>>
let uniswap: Uniswap
beforeAll(async () => {
  world = await startChain(testNetwork({}, { USDC, OTHER }))
  const ask = (method: string, params: readonly unknown[]) => control(world.node, method, ...params)
  for (const token of [USDC, OTHER]) await ask('devnet_fund', [token, EXCHANGE_OWNER, numberToHex(10n ** 24n)])
  uniswap = await deployUniswap(ask)
  await uniswap.wrap(2000n * E18)
})
afterAll(() => world.local.stop())

/** Amounts of every size, with all digits used. */
function amountsUpTo(most: bigint): bigint[] {
  const all: bigint[] = []
  for (let units = 1n; units < most; units = (units * 29n) / 10n + 1n) all.push(units)
  return all
}

describe('V2', () => {
  test('in both directions, before and after the pool moved', async () => {
    const weth = UNISWAP.weth
    const address = await uniswap.openV2(weth, USDC, 1000n * E18, 3_000_000n * 10n ** 6n)
    const [token0, token1] = sorted(weth, USDC)
    const pool: Pool = { kind: 'uniswap_v2', address, token0, token1, feePpm: 3000 }
    for (const sold of [0n, 37n * E18]) {
      if (sold > 0n) await uniswap.sellV2(weth, USDC, sold)
      const [reserve0, reserve1] = (await uniswap.view('pair2', address, 'getReserves')) as [bigint, bigint]
      const state = { kind: 'uniswap_v2' as const, reserve0, reserve1 }
      for (const [tokenIn, tokenOut, most] of [
        [weth, USDC, 10n ** 22n],
        [USDC, weth, 10n ** 13n],
      ] as const) {
        const curve = poolCurve(pool, state, tokenIn)
        for (const units of amountsUpTo(most)) {
          const quoted = curve?.out(units)
          const exact = await uniswap.quoteV2([tokenIn, tokenOut], units)
          expect(quoted).toBe(exact)
        }
      }
    }
  })
})

describe('V3', () => {
  // One position over the full range, one narrow, one beside the price: swaps cross ticks and words in both directions.
  const positions = (spacing: number) => [
    {
      tickLower: -887_200 + (887_200 % spacing),
      tickUpper: 887_200 - (887_200 % spacing),
      amount0: 10n ** 12n,
      amount1: 10n ** 12n,
    },
    { tickLower: -3 * spacing, tickUpper: 5 * spacing, amount0: 3n * 10n ** 12n, amount1: 3n * 10n ** 12n },
    { tickLower: -290 * spacing, tickUpper: -20 * spacing, amount0: 0n, amount1: 7n * 10n ** 11n },
  ]

  test.each([
    [500, 10],
    [3000, 60],
    [10_000, 200],
  ])('fee tier %i, in both directions, before and after the pool moved', async (feePpm, spacing) => {
    const [token0, token1] = sorted(USDC, OTHER)
    const address = await uniswap.openV3(token0, token1, feePpm, (Q96 * 1001n) / 1000n, positions(spacing))
    const pool: Pool = { kind: 'uniswap_v3', address, token0, token1, feePpm }
    for (const sold of [0n, 2n * 10n ** 12n]) {
      if (sold > 0n) await uniswap.sellV3(token0, token1, feePpm, sold)
      const state = await readState(address, spacing)
      let compared = 0
      for (const [tokenIn, tokenOut] of [
        [token0, token1],
        [token1, token0],
      ] as const) {
        const curve = poolCurve(pool, state, tokenIn)
        for (const units of amountsUpTo(2n * 10n ** 13n)) {
          const quoted = curve?.out(units) ?? null
          if (quoted === null) continue
          expect(quoted).toBe(await uniswap.quoteV3(tokenIn, tokenOut, feePpm, units))
          compared += 1
        }
      }
      expect(compared).toBeGreaterThan(40)
    }
  })

  async function readState(address: Address, tickSpacing: number): Promise<V3State> {
    const [sqrtPriceX96, tick] = (await uniswap.view('pool3', address, 'slot0')) as [bigint, number]
    const liquidity = (await uniswap.view('pool3', address, 'liquidity')) as bigint
    const word = Math.floor(Math.floor(tick / tickSpacing) / WORD_TICKS)
    const ticks: { index: number; liquidityNet: bigint }[] = []
    const [from, to] = [word - 3, word + 3]
    for (let at = from; at <= to; at++) {
      const bits = (await uniswap.view('pool3', address, 'tickBitmap', [at])) as bigint
      for (let bit = 0; bit < WORD_TICKS; bit++) {
        if (((bits >> BigInt(bit)) & 1n) === 0n) continue
        const index = (at * WORD_TICKS + bit) * tickSpacing
        const [, liquidityNet] = (await uniswap.view('pool3', address, 'ticks', [index])) as [bigint, bigint]
        ticks.push({ index, liquidityNet })
      }
    }
    const range = { fromTick: from * WORD_TICKS * tickSpacing, toTick: ((to + 1) * WORD_TICKS - 1) * tickSpacing }
    return { kind: 'uniswap_v3', sqrtPriceX96, liquidity, tick, tickSpacing, ticks, ...range }
  }
})

function sorted(one: Address, other: Address): [Address, Address] {
  return one.toLowerCase() < other.toLowerCase() ? [one, other] : [other, one]
}
