/** Example quotes over an exchange, for the tests of sales and purchases. */
import { poolCurve } from './exchange/curve.ts'
import { DESTINATION, PRICING, SOURCE, tokenOf, usdc } from './fixtures.ts'
import { ONE } from './money/money.ts'
import type { LegPricing } from './swap/legs.ts'
import { type Pricing, type Quote, quoteFor } from './swap/quote.ts'

export const SOLD = tokenOf({ symbol: 'UNI', contract: '0xsold', decimals: 18, precision: 8, group: 'UNI' })
export const BOUGHT = tokenOf({ ...SOLD, network: 'BETA', contract: '0xbought' })
export const HUB = SOURCE
export const E18 = 10n ** 18n
const SLIPPAGE = ONE / 100n
export const WALLET = 'treasury'

/** A pool of 8 dollars per UNI, with 800,000 dollars on each side. */
function leg(isSale: boolean): LegPricing {
  const [token, hub] = isSale ? [SOLD, HUB] : [BOUGHT, DESTINATION]
  const [token0, token1] = [token.contract ?? '', hub.contract ?? '']
  const pool = { kind: 'uniswap_v2' as const, address: '0xpool', token0, token1, feePpm: 3000 }
  const state = { kind: 'uniswap_v2' as const, reserve0: 100_000n * E18, reserve1: usdc(800_000) }
  const curve = poolCurve(pool, state, isSale ? token0 : token1)
  if (!curve) throw new Error('no curve')
  const bounds = { maxImpactBps: 300n, maxSlippage: (ONE * 3n) / 100n }
  return { provider: 'uniswap', hub, hubPrice: ONE, curve, route: isSale ? 'sale' : 'purchase', ...bounds }
}

const ON_DESTINATION = { destination: BOUGHT, destinationPrice: 8n * ONE, purchase: leg(false) }
export const PURCHASE: Pricing = { ...PRICING, ...ON_DESTINATION }
export const SALE: Pricing = { ...PRICING, source: SOLD, sourcePrice: 8n * ONE, sale: leg(true) }
export const BOTH: Pricing = { ...SALE, ...ON_DESTINATION }
export const AMOUNT = 10n * E18
export const FEE = E18 / 50n
export const HUB_FEE = usdc(0.3)

export function quoteOf(pricing: Pricing, units: bigint): Quote {
  const quote = quoteFor(pricing, units, SLIPPAGE)
  if (!quote) throw new Error('no quote for the example')
  return quote
}
