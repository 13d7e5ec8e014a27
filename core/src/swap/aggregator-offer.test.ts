import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Token } from '../money/network.ts'
import type { Exchange } from '../port/exchanging.ts'
import {
  type AggregatorAnswer,
  type Asked,
  fairOutput,
  objectionToAnswer,
  refusalOf,
  type Simulated,
  slippageFor,
} from './aggregator-offer.ts'

const token = (symbol: string, contract: string | null, decimals: number) =>
  ({ network: 'A', symbol, contract, decimals }) as Token
const USDC = token('USDC', '0xUSDC', 6)
const GEM = token('GEM', '0xGEM', 18)
const ETH = token('ETH', null, 18)
const exchange: Exchange = {
  ...{ provider: 'pool', network: 'A', sells: { token: USDC, units: 100n }, buys: GEM, minUnits: 40n },
  ...{ to: '0xRECIPIENT', deadline: new Date(0), route: '' },
}
const asked: Asked = {
  aggregator: { name: 'one', kind: 'oneinch_v6', router: '0xROUTER', url: 'http://local' },
  ...{ exchange, chainId: '1', account: '0xWALLET', path: ['0xUSDC', '0xGEM'] },
}
const honest: AggregatorAnswer = { promisedUnits: 50n, from: '0xwallet', to: '0xrouter', value: 0n }

describe('the fields of an answer', () => {
  it('are accepted if they are what was asked for, in any spelling of an address', () => {
    expect(objectionToAnswer(asked, honest)).toBeNull()
    expect(objectionToAnswer(asked, { ...honest, chainId: '1', sold: '0xusdc', bought: '0xgem' })).toBeNull()
  })

  it.each<[string, Partial<AggregatorAnswer>, string]>([
    ['another chain', { chainId: '10' }, 'chain'],
    ['another router', { to: '0xEVIL' }, 'router'],
    ['another sender', { from: '0xEVIL' }, 'our wallet'],
    ['native coins along', { value: 1n }, 'native'],
    ['another token to sell', { sold: '0xGEM' }, 'sells another token'],
    ['another token to buy', { bought: '0xUSDC' }, 'buys another token'],
    ['less than the minimum', { promisedUnits: 39n }, 'minimum'],
  ])('with %s are refused', (_, change, reason) => {
    expect(objectionToAnswer(asked, { ...honest, ...change })).toContain(reason)
  })

  it('send exactly the native units that are sold', () => {
    const native = { ...asked, exchange: { ...exchange, sells: { token: ETH, units: 7n } } }
    expect(objectionToAnswer(native, { ...honest, value: 7n })).toBeNull()
    expect(objectionToAnswer(native, honest)).toContain('native')
  })
})

const offer: Simulated = {
  ...{ promisedUnits: 1_000n, givenUnits: 1_000n, poolUnits: 990n, minUnits: 970n, fairUnits: 1_003n },
  deviationBps: 500n,
}

describe('a simulated offer', () => {
  it.each<[string, Partial<Simulated>, string | null]>([
    ['as promised and better than the pool', {}, null],
    ['as good as the pool', { poolUnits: 1_000n }, null],
    ['worse than the pool', { poolUnits: 1_001n }, 'below_pool'],
    ['below the minimum while the pool fails', { poolUnits: 0n, minUnits: 1_001n }, 'below_minimum'],
    ['that fails', { givenUnits: 0n, poolUnits: 0n, minUnits: 0n }, 'below_minimum'],
    ['without a price of ours', { fairUnits: null }, 'price_unknown'],
    ['far above our prices', { givenUnits: 2_000n, promisedUnits: 2_000n }, 'too_good'],
    ['that promised far more', { promisedUnits: 2_000n }, 'not_as_promised'],
    ['that promised far less', { promisedUnits: 900n }, 'not_as_promised'],
  ])('%s', (_, change, refusal) => {
    expect(refusalOf({ ...offer, ...change })).toBe(refusal)
  })

  it('that is used gives at least the minimum and what the pool gives, near our prices', () => {
    const units = fc.bigInt({ min: 0n, max: 10n ** 30n })
    const some = fc.record({
      ...{ promisedUnits: units, givenUnits: units, poolUnits: units, minUnits: units },
      ...{ fairUnits: fc.option(units), deviationBps: fc.bigInt({ min: 1n, max: 5_000n }) },
    })
    fc.assert(
      fc.property(some, (drawn) => {
        if (refusalOf(drawn) !== null) return
        const { givenUnits, poolUnits, minUnits, fairUnits, deviationBps } = drawn
        expect(givenUnits >= minUnits && givenUnits >= poolUnits && givenUnits > 0n).toBe(true)
        expect(givenUnits * 10_000n <= (fairUnits ?? 0n) * (10_000n + deviationBps)).toBe(true)
      }),
    )
  })
})

it('the fair output follows from the prices and the decimals', () => {
  const E18 = 10n ** 18n
  const sold = { ...exchange, sells: { token: USDC, units: 100n * 10n ** 6n } }
  expect(fairOutput(sold, E18, 2n * E18)).toBe(50n * E18)
  expect(fairOutput(sold, null, E18)).toBeNull()
  expect(fairOutput(sold, E18, null)).toBeNull()
})

it('an offer as good as the reference enforces the minimum at the slippage that is asked for', () => {
  const units = fc.bigInt({ min: 1n, max: 10n ** 30n })
  fc.assert(
    fc.property(units, units, (one, other) => {
      const [minUnits, reference] = one < other ? [one, other] : [other, one]
      const enforced = (reference * (10_000n - slippageFor(reference, minUnits))) / 10_000n
      expect(enforced).toBeGreaterThanOrEqual(minUnits)
    }),
  )
  expect(slippageFor(1n, 2n)).toBe(0n)
})
