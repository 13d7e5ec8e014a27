/**
 * Exchanges on the simulated family, which has none: a transfer to a pool takes the place of each, and the pool's output
 * appears when the exchange is mined. A test says how much that is.
 */
import type { ChainAdapter, Exchange, LegPricing, Order, Pricing, Token } from '@causeway/core'
import { ONE, PayoutImpossible, quoteFor, RetryLater, routeText } from '@causeway/core'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import { quoteText } from '../../../server/src/store/swaps/swaps.ts'
import type { CreatedSwap } from '../../../server/src/swaps/create-swap.ts'
import type { Hand } from '../service/manual-driver.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
export const POOL = accountFrom('a pool').address
const ROUTER = accountFrom('a router').address

export type ExchangeStep = 'prepare' | 'sign' | 'broadcast' | 'received'

export interface ExchangeDouble {
  /** The output of an exchange, the allowance of its router, the number of signed exchanges, and all approvals. */
  exchange: { received: bigint; allowance: bigint; signed: number; approved: bigint[]; orders: Exchange[] }
  /** The step that fails once. */
  failing: ExchangeStep | null
  /** Why the node says that an exchange would fail; null if it would not. */
  refusal: string | null
  /** Runs between the preparation of an exchange and its slot. */
  onPrepared: (() => Promise<void>) | null
  /** Adds exchanges to the networks of the present service. Called again after a restore. */
  install(): void
  /** A swap of 50 USDC whose quote has this leg, or both. */
  swapWith(...sides: ('sale' | 'purchase')[]): Promise<CreatedSwap>
  /** The market offers these legs again, after a restart. */
  offer(...sides: ('sale' | 'purchase')[]): void
}

type After<Call> = Call extends (order: Order, ...rest: infer Rest) => unknown ? Rest : never
type Market = Hand['services']['market']

export function createExchangeDouble(handOf: () => Hand): ExchangeDouble {
  const paid = new Set<string>()
  const plain = new WeakMap<Hand, Market>()
  const double: ExchangeDouble = {
    exchange: { received: 0n, allowance: 0n, signed: 0, approved: [], orders: [] },
    failing: null,
    refusal: null,
    onPrepared: null,
    install() {
      const { services } = handOf()
      plain.set(handOf(), { ...services.market })
      for (const network of [FROM, TO] as const) withExchanges(chainOf(services.chains, network))
    },
    async swapWith(...sides) {
      const hand = handOf()
      const { services } = hand
      Object.assign(services.market, plainOf(hand))
      const created = await hand.swap(FROM as string, TO as string)
      const { source, destination, requestedUnits, slippage, id } = created.view.swap
      const { pricing } = offerLegs(hand, sides, source, destination)
      const route = { source, destination, refuel: false, usesDepositAddress: false, usesGasless: false }
      const price = pricing(route, 10n ** 30n)
      const quote = price && quoteFor(price, requestedUnits ?? 0n, slippage)
      if (!quote) throw new Error('no quote')
      const stored = services.database.updateTable('swap').set({ quote: quoteText(quote) })
      await stored.where('id', '=', id).execute()
      return created
    },
    offer(...sides) {
      const hand = handOf()
      offerLegs(hand, sides, usdcOf(hand, FROM), usdcOf(hand, TO))
    },
  }
  const { exchange } = double
  return double

  function failOnce(step: ExchangeStep): void {
    if (double.failing !== step) return
    double.failing = null
    throw new RetryLater(`${step} fails once`)
  }

  function plainOf(hand: Hand): Market {
    const known = plain.get(hand)
    if (!known) throw new Error('install the exchanges first')
    return known
  }

  function withExchanges(chain: ChainAdapter): void {
    const { prepare, sign, maxSigningCost, nextSlot, broadcast } = { ...chain }
    const { treasury: account, network } = chain
    const asTransfer = (order: Order): Order => {
      const native = { token: network.nativeToken, units: 1n }
      const amount = order.kind === 'exchange' ? order.exchange.sells : native
      const isOther = order.kind === 'exchange' || (order.kind === 'transfers' && order.call !== undefined)
      return isOther ? { kind: 'transfers', account, transfers: [{ to: POOL, amount }] } : order
    }
    Object.assign(chain, {
      prepare: async (order: Order, ...rest: After<ChainAdapter['prepare']>) => {
        if (order.kind === 'exchange') failOnce('prepare')
        if (order.kind === 'exchange' && double.refusal !== null) throw new PayoutImpossible(double.refusal)
        const draft = await prepare(asTransfer(order), ...rest)
        if (order.kind === 'exchange') await double.onPrepared?.()
        return draft
      },
      broadcast: async (...given: Parameters<ChainAdapter['broadcast']>) => {
        failOnce('broadcast')
        return broadcast(...given)
      },
      nextSlot: (order: Order, ...rest: After<ChainAdapter['nextSlot']>) => nextSlot(asTransfer(order), ...rest),
      maxSigningCost: (order: Order, ...rest: After<ChainAdapter['maxSigningCost']>) =>
        maxSigningCost(asTransfer(order), ...rest),
      sign: async (order: Order, ...rest: After<ChainAdapter['sign']>) => {
        if (order.kind === 'exchange') {
          failOnce('sign')
          exchange.signed++
          exchange.orders.push(order.exchange)
          // The approval is mined like any other transaction.
        } else if (order.kind === 'transfers' && order.call !== undefined) {
          exchange.allowance = BigInt(order.call)
          exchange.approved.push(exchange.allowance)
        }
        return sign(asTransfer(order), ...rest)
      },
      exchanges: {
        readPools: async () => {
          throw new RetryLater('no pools')
        },
        allowance: async () => exchange.allowance,
        approvalCall: (_router: string, _token: Token, units: bigint) => `${units}`,
        approvalIn: () => null,
        exactOut: async () => exchange.received,
        received: async (hash: string, { buys, to }: Exchange) => {
          failOnce('received')
          if (!paid.has(hash)) handOf().chain(network.name).mint(to, buys.contract, exchange.received)
          paid.add(hash)
          return exchange.received
        },
      },
    })
  }

  function offerLegs(hand: Hand, sides: ('sale' | 'purchase')[], source: Token, destination: Token) {
    const { services } = hand
    const market = plainOf(hand)
    const [sourceCoin, destinationCoin] = [source, destination].map(
      ({ network }) => services.catalogue.network(network).nativeToken,
    ) as [Token, Token]
    const legs = {
      ...(sides.includes('sale') && { sale: legOf(market, source, sourceCoin, sourceCoin) }),
      ...(sides.includes('purchase') && { purchase: legOf(market, destinationCoin, destination, destinationCoin) }),
    }
    const pricing = (...[asked, units]: Parameters<Market['pricing']>): Pricing | null => {
      const price = market.pricing({ ...asked, plan: {} }, units)
      return price && { ...price, ...legs }
    }
    const exchanges = (_token: Token, side: 'sale' | 'purchase') => {
      const leg = legs[side]
      return leg ? [leg] : []
    }
    Object.assign(services.market, { plans: () => [legs], exchanges, pricing })
    return { pricing }
  }
}

function usdcOf({ services }: Hand, network: string | undefined): Token {
  const token = services.catalogue.network(network ?? '').tokens.find(({ symbol }) => symbol === 'USDC')
  if (!token) throw new Error('no USDC')
  return token
}

/** A leg at the market's prices, without depth. */
function legOf(market: Market, sells: Token, buys: Token, hub: Token): LegPricing {
  const [price, hubPrice, other] = [market.price(sells), market.price(hub), market.price(buys)]
  if (!price || !hubPrice || !other) throw new Error('no price')
  const spot = { in: other * 10n ** BigInt(sells.decimals), out: price * 10n ** BigInt(buys.decimals) }
  const curve = {
    out: (units: bigint) => (units * spot.out) / spot.in,
    inFor: (units: bigint) => (units * spot.in + spot.out - 1n) / spot.out,
    ...{ impactBps: () => 0n, maxIn: () => 10n ** 30n, spot },
  }
  const path: [string, string] = [sells.contract ?? POOL, buys.contract ?? POOL]
  const route = routeText({
    ...{ kind: 'uniswap_v2', router: ROUTER, quoter: null, pool: POOL, feePpm: 3000, path },
    native: sells.contract === null ? 'in' : buys.contract === null ? 'out' : null,
  })
  return { provider: 'pool', hub, hubPrice, curve, route, maxImpactBps: 300n, maxSlippage: ONE / 10n }
}
