/**
 * Exchanges on the simulated family, which has none: a transfer to a pool takes the place of each, and the pool's output
 * appears when the exchange is mined. A test says how much that is.
 */
import type { ChainAdapter, Exchange, LegPricing, Order, Pricing, Token } from '@causeway/core'
import { ONE, PayoutImpossible, quoteFor, RetryLater, routeText } from '@causeway/core'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import { lockSwap, quoteText, toSwap } from '../../../server/src/store/swaps/swaps.ts'
import type { CreatedSwap } from '../../../server/src/swaps/create-swap.ts'
import type { Hand } from '../service/manual-driver.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
export const POOL = accountFrom('a pool').address
const ROUTER = accountFrom('a router').address

export type ExchangeStep = 'prepare' | 'sign' | 'broadcast' | 'received'

export interface ExchangeDouble {
  /**
   * The output of an exchange, the output that the node claims if it lies, the allowance of its router, the number of
   * signed exchanges, and all approvals.
   */
  exchange: {
    received: bigint
    claimed: bigint | null
    allowance: bigint
    signed: number
    approved: bigint[]
    orders: Exchange[]
  }
  /** The step that fails once. */
  failing: ExchangeStep | null
  /** The output by simulation, if it depends on the route. */
  outOf: ((exchange: Exchange) => bigint) | null
  /** Why the node says that an exchange would fail; null if it would not. */
  refusal: string | null
  /** The step at which the process ends: it never answers. */
  killAt: ExchangeStep | null
  onKilled: () => void
  /** Ends the calls of processes that were killed, after their database is closed to them. */
  bury(): void
  /** The least that the recipient was promised. */
  leastOf(swap: CreatedSwap): Promise<bigint>
  /** The same with the quoted output. */
  promiseOf(swap: CreatedSwap): Promise<{ least: bigint; quoted: bigint }>
  isClosed(swap: CreatedSwap): Promise<boolean>
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

/** Pools whose state decides the output. Without them a test says what an exchange gives. */
export interface PoolModel {
  /** The output for this exchange now; null if it would fail. */
  outOf(exchange: Exchange): bigint | null
  /** The exchange was signed as this transaction. */
  signed(hash: string, exchange: Exchange): void
  /** The output that the mined transaction gave its recipient. */
  received(hash: string, exchange: Exchange): bigint
  curve(sells: Token, buys: Token): LegPricing['curve'] | null
}

export function createExchangeDouble(handOf: () => Hand, pools: PoolModel | null = null): ExchangeDouble {
  const paid = new Set<string>()
  const graves: ((error: Error) => void)[] = []
  const plain = new WeakMap<Hand, Market>()
  const double: ExchangeDouble = {
    exchange: { received: 0n, claimed: null, allowance: 0n, signed: 0, approved: [], orders: [] },
    failing: null,
    outOf: null,
    refusal: null,
    killAt: null,
    onKilled: () => undefined,
    bury() {
      for (const end of graves.splice(0)) end(new Error('killed'))
    },
    leastOf: async (swap) => (await double.promiseOf(swap)).least,
    async promiseOf({ view }) {
      const { database, catalogue } = handOf().services
      const record = await database.transaction().execute((queries) => lockSwap(queries, view.swap.id))
      const quote = record && toSwap(record, catalogue).quote
      return { least: quote?.minReceiveUnits ?? 0n, quoted: quote?.receiveUnits ?? 0n }
    },
    async isClosed({ view }) {
      const rows = handOf().services.database.selectFrom('swap').select('closed_at').where('id', '=', view.swap.id)
      return (await rows.executeTakeFirstOrThrow()).closed_at !== null
    },
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

  async function reach(step: ExchangeStep): Promise<void> {
    if (double.killAt === step) {
      double.killAt = null
      double.onKilled()
      await new Promise((_, reject) => graves.push(reject))
    }
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
      // With pools an exchange is two moves, there and back, and must pay for both.
      const back = pools && order.kind === 'exchange' ? [{ to: POOL, amount: native }] : []
      return isOther ? { kind: 'transfers', account, transfers: [{ to: POOL, amount }, ...back] } : order
    }
    Object.assign(chain, {
      prepare: async (order: Order, ...rest: After<ChainAdapter['prepare']>) => {
        if (order.kind === 'exchange') await reach('prepare')
        if (order.kind === 'exchange' && double.refusal !== null) throw new PayoutImpossible(double.refusal)
        if (order.kind === 'exchange' && pools && (pools.outOf(order.exchange) ?? -1n) < order.exchange.minUnits)
          throw new PayoutImpossible('the exchange gives less than the minimum')
        const draft = await prepare(asTransfer(order), ...rest)
        if (order.kind === 'exchange') await double.onPrepared?.()
        return draft
      },
      broadcast: async (...given: Parameters<ChainAdapter['broadcast']>) => {
        await reach('broadcast')
        return broadcast(...given)
      },
      nextSlot: (order: Order, ...rest: After<ChainAdapter['nextSlot']>) => nextSlot(asTransfer(order), ...rest),
      maxSigningCost: (order: Order, ...rest: After<ChainAdapter['maxSigningCost']>) =>
        maxSigningCost(asTransfer(order), ...rest),
      sign: async (order: Order, ...rest: After<ChainAdapter['sign']>) => {
        if (order.kind === 'exchange') {
          await reach('sign')
          exchange.signed++
          exchange.orders.push(order.exchange)
          // The approval is mined like any other transaction.
        } else if (order.kind === 'transfers' && order.call !== undefined) {
          exchange.allowance = BigInt(order.call)
          exchange.approved.push(exchange.allowance)
        }
        const signed = await sign(asTransfer(order), ...rest)
        if (order.kind === 'exchange') pools?.signed(signed.hash, order.exchange)
        return signed
      },
      exchanges: {
        readPools: async () => {
          throw new RetryLater('no pools')
        },
        allowance: async () => exchange.allowance,
        approvalCall: (_router: string, _token: Token, units: bigint) => `${units}`,
        approvalIn: () => null,
        objectionTo: () => null,
        depositActions: () => [],
        exactOut: async (asked: Exchange) => double.outOf?.(asked) ?? exchange.received,
        received: async (hash: string, sold: Exchange) => {
          await reach('received')
          if (pools) return pools.received(hash, sold)
          const { buys, to } = sold
          if (!paid.has(hash)) handOf().chain(network.name).mint(to, buys.contract, exchange.received)
          paid.add(hash)
          return exchange.claimed ?? exchange.received
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
    const priced = () => {
      const sale = sides.includes('sale')
        ? pooled(legOf(market, source, sourceCoin, sourceCoin), source, sourceCoin)
        : undefined
      const bought = [destinationCoin, destination] as const
      const purchase = sides.includes('purchase')
        ? pooled(legOf(market, ...bought, destinationCoin), ...bought)
        : undefined
      // A pool without depth leaves no plan.
      if (sale === null || purchase === null) return null
      return { ...(sale && { sale }), ...(purchase && { purchase }) }
    }
    const pricing = (...[asked, units]: Parameters<Market['pricing']>): Pricing | null => {
      const price = market.pricing({ ...asked, plan: {} }, units)
      const legs = priced()
      return price && legs && { ...price, ...legs }
    }
    const exchanges = (_token: Token, side: 'sale' | 'purchase') => {
      const leg = priced()?.[side]
      return leg ? [leg] : []
    }
    const plans = () => {
      const legs = priced()
      return legs ? [legs] : []
    }
    Object.assign(services.market, { plans, exchanges, pricing })
    return { pricing }
  }

  function pooled(leg: LegPricing, sells: Token, buys: Token): LegPricing | null {
    const curve = pools ? pools.curve(sells, buys) : leg.curve
    return curve && { ...leg, curve }
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
