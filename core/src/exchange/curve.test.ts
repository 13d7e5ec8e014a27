import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PoolCurve, poolCurve } from './curve.ts'
import type { Pool, V2State, V3State } from './pool.ts'
import { parseRoute, routeText } from './route.ts'
import { nextTick, sqrtPriceAt } from './ticks.ts'
import { v2Out } from './v2.ts'
import { v3Out } from './v3.ts'

const POOL: Pool = { kind: 'uniswap_v2', address: '0xp', token0: '0xa', token1: '0xb', feePpm: 3000 }
const POOL3: Pool = { ...POOL, kind: 'uniswap_v3' }
const E18 = 10n ** 18n

const reserves = fc.bigInt({ min: 10n ** 6n, max: 10n ** 30n })
const v2States = fc.record({ kind: fc.constant('uniswap_v2' as const), reserve0: reserves, reserve1: reserves })
const fees = fc.constantFrom(100, 500, 2500, 3000, 10_000)

/** Pools with up to five positions around the price, whose liquidity starts and ends at initialised ticks. */
const v3States = fc
  .record({
    tick: fc.integer({ min: -50_000, max: 50_000 }),
    spacing: fc.constantFrom(1, 10, 60, 200),
    positions: fc.array(
      fc.record({
        below: fc.integer({ min: 1, max: 40 }),
        above: fc.integer({ min: 1, max: 40 }),
        liquidity: fc.bigInt({ min: 10n ** 15n, max: 10n ** 24n }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ tick, spacing, positions }): V3State => {
    const base = Math.floor(tick / spacing) * spacing
    const net = new Map<number, bigint>()
    let liquidity = 0n
    for (const one of positions) {
      const [low, high] = [base - one.below * spacing, base + one.above * spacing]
      net.set(low, (net.get(low) ?? 0n) + one.liquidity)
      net.set(high, (net.get(high) ?? 0n) - one.liquidity)
      liquidity += one.liquidity
    }
    const ticks = [...net].map(([index, liquidityNet]) => ({ index, liquidityNet })).sort((a, b) => a.index - b.index)
    const word = 256 * spacing
    const fromTick = (Math.floor(base / word) - 2) * word
    const toTick = (Math.floor(base / word) + 3) * word - spacing
    return {
      kind: 'uniswap_v3',
      sqrtPriceX96: sqrtPriceAt(tick),
      liquidity,
      tick,
      tickSpacing: spacing,
      ticks,
      fromTick,
      toTick,
    }
  })

const curves = fc.oneof(
  fc.tuple(v2States, fees).map(([state, feePpm]) => poolCurve({ ...POOL, feePpm }, state, '0xa')),
  fc
    .tuple(v3States, fees, fc.boolean())
    .map(([state, feePpm, isZero]) => poolCurve({ ...POOL3, feePpm }, state, isZero ? '0xa' : '0xb')),
)
const amounts = fc.bigInt({ min: 1n, max: 10n ** 28n })

function known(curve: PoolCurve | null): PoolCurve {
  if (!curve) throw new Error('no curve')
  return curve
}

describe('a curve', () => {
  test('a larger input never gives less', () => {
    fc.assert(
      fc.property(curves, amounts, amounts, (curve, a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a]
        const out = known(curve).out(more)
        if (out !== null) expect(known(curve).out(less)).toBeLessThanOrEqual(out)
      }),
    )
  })

  test('the inverse is the smallest input that gives the output', () => {
    fc.assert(
      fc.property(curves, amounts, (curve, units) => {
        const { out, inFor } = known(curve)
        const given = out(units)
        if (given === null || given === 0n) return
        const least = inFor(given)
        expect(least).not.toBeNull()
        expect(least).toBeLessThanOrEqual(units)
        expect(out(least ?? 0n)).toBeGreaterThanOrEqual(given)
        if (least && least > 1n) expect(out(least - 1n)).toBeLessThan(given)
      }),
      { numRuns: 60 },
    )
  })

  test('the largest input under an impact has at most that impact, and the next one has more or is unknown', () => {
    fc.assert(
      fc.property(curves, fc.constantFrom(10n, 100n, 500n), (curve, bps) => {
        const { maxIn, impactBps, out } = known(curve)
        const most = maxIn(bps)
        if (most === 0n || (out(most) ?? 0n) < 10_000n) return
        expect(impactBps(most)).toBeLessThanOrEqual(bps)
        expect(impactBps(most + 1n) ?? 10_000n).toBeGreaterThanOrEqual(bps)
      }),
      { numRuns: 60 },
    )
  })
})

test('a V3 pool of a token with few decimals has depth, although its fee is in whole units', () => {
  // Two dollars per token: 6 decimals for 18, a million dollars deep.
  const tick = 269_400
  const ends = [tick - 30_000, tick + 30_000] as const
  const liquidity = 10n ** 18n
  const state: V3State = {
    ...{ kind: 'uniswap_v3', sqrtPriceX96: sqrtPriceAt(tick), liquidity, tick, tickSpacing: 60 },
    ...{ fromTick: ends[0], toTick: ends[1] },
    ticks: [
      { index: ends[0], liquidityNet: liquidity },
      { index: ends[1], liquidityNet: -liquidity },
    ],
  }
  const curve = poolCurve(POOL3, state, '0xa')
  expect(curve?.maxIn(100n)).toBeGreaterThan(10n ** 9n)
  expect(curve?.impactBps(2n)).toBe(1n)
})

describe('V2', () => {
  test('the output stays below the reserve, and the product of the reserves never falls', () => {
    fc.assert(
      fc.property(v2States, fees, amounts, fc.boolean(), (state, feePpm, units, zeroForOne) => {
        const out = v2Out({ feePpm }, state, zeroForOne, units)
        if (out === null) return
        const [reserveIn, reserveOut] = zeroForOne ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0]
        expect(out).toBeLessThan(reserveOut)
        expect((reserveIn + units) * (reserveOut - out)).toBeGreaterThanOrEqual(reserveIn * reserveOut)
      }),
    )
  })

  test('one ether into 1,000 ether and 3,000,000 tokens', () => {
    const state: V2State = { kind: 'uniswap_v2', reserve0: 1000n * E18, reserve1: 3_000_000n * E18 }
    const [a, b, input] = [1000n * E18, 3_000_000n * E18, E18]
    expect(v2Out(POOL, state, true, E18)).toBe((input * 997n * b) / (a * 1000n + input * 997n))
    expect(poolCurve(POOL, state, '0xa')?.impactBps(E18)).toBe(10n)
    expect(poolCurve(POOL, state, '0xc')).toBeNull()
  })

  test('an empty pool has no curve', () => {
    expect(poolCurve(POOL, { kind: 'uniswap_v2', reserve0: 0n, reserve1: 0n }, '0xa')).toBeNull()
  })
})

describe('V3', () => {
  test('prices at ticks: the bounds of the contract, and 1 at tick 0', () => {
    expect(sqrtPriceAt(-887_272)).toBe(4_295_128_739n)
    expect(sqrtPriceAt(0)).toBe(2n ** 96n)
    expect(sqrtPriceAt(887_272)).toBe(1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n)
  })

  test('a step ends at the next initialised tick, or at the edge of its word', () => {
    const state = fc.sample(v3States, 1)[0] as V3State
    const one = {
      ...state,
      tickSpacing: 10,
      ticks: [
        { index: -30, liquidityNet: 1n },
        { index: 40, liquidityNet: -1n },
      ],
    }
    expect(nextTick(one, 5, true).index).toBe(0)
    expect(nextTick(one, -1, true)).toEqual({ index: -30, crossed: one.ticks[0] })
    expect(nextTick(one, 5, false)).toEqual({ index: 40, crossed: one.ticks[1] })
    expect(nextTick(one, 40, false)).toEqual({ index: 2550, crossed: null })
  })

  test('nothing is promised beyond the ticks that were read', () => {
    fc.assert(
      fc.property(v3States, fc.boolean(), (state, zeroForOne) => {
        expect(v3Out({ feePpm: 3000 }, state, zeroForOne, 10n ** 60n)).toBeNull()
      }),
    )
  })

  test('there and back again never gains', () => {
    fc.assert(
      fc.property(v3States, amounts, fc.boolean(), (state, units, zeroForOne) => {
        const there = v3Out({ feePpm: 500 }, state, zeroForOne, units)
        if (there === null || there === 0n) return
        const back = v3Out({ feePpm: 500 }, state, !zeroForOne, there)
        if (back !== null) expect(back).toBeLessThanOrEqual(units)
      }),
    )
  })
})

test('the text of a route parses to the same route', () => {
  const route = {
    kind: 'uniswap_v3' as const,
    router: '0x1',
    quoter: '0x2',
    pool: '0x3',
    feePpm: 500,
    path: ['0xa', '0xb'] as const,
    native: 'in' as const,
  }
  expect(parseRoute(routeText(route))).toEqual(route)
  expect(() => parseRoute('{"kind":"other"}')).toThrow()
})

test('an emptied pool, whose few units round every output, has no depth', () => {
  const dust = poolCurve(POOL, { kind: 'uniswap_v2', reserve0: 708n, reserve1: 2n }, '0xa')
  expect(dust?.maxIn(100n)).toBeLessThan(10n ** 8n)
})
