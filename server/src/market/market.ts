/**
 * Prices, network fees and wallet balances in memory, for quotes. Refreshed in the background, so no request waits for
 * a node or a price source. Stale values count as unknown.
 */
import { isUsual } from '@causeway/chain-kit'
import {
  type Catalogue,
  type Fees,
  fromUsd,
  type LegPricing,
  type Network,
  ONE,
  type Pricing,
  roundToDisplay,
  type Token,
  tokenKey,
  toUsd,
  type Usd,
  usdOf,
} from '@causeway/core'
import type { Chains } from '../catalogue/chains.ts'
import type { RouteRule, RouteRules } from '../catalogue/routes.ts'
import type { Config } from '../config.ts'
import type { PriceSource } from '../prices/source.ts'
import { isAgreed, type Plan, plansFor, poolPrice } from '../providers/plans.ts'
import { createProviders, type LegOption } from '../providers/pools.ts'
import type { ScopeReader } from '../providers/scope.ts'
import type { Database } from '../store/db/database.ts'
import type { FeeSample, MarketReading } from '../store/market/market-snapshots.ts'
import { reservedByToken } from '../store/payouts/liquidity-reservations.ts'
import { createDurations } from './durations.ts'
import { AHEAD_MS, createMarketSnapshots } from './market-snapshot.ts'

interface Route {
  source: Token
  destination: Token
  refuel: boolean
  usesDepositAddress: boolean
  /** Whether the deposit is gasless: the owner signs it and we broadcast it. */
  usesGasless?: boolean
  /** Gas units of the recipient's own code beyond what every payout includes. */
  effort?: bigint
  /** The exchanges on the way; none if absent. */
  plan?: Plan
}

export interface Market {
  price(token: Token): Usd | null
  /** The last price that was read, however old. For limits: a price that is missing now must not open them. */
  lastPrice(token: Token): Usd | null
  /** When the price was last read, even if too long ago to use, and how many sources answered. */
  priceRead(token: Token): { at: Date | null; answered: number | null }
  /** The treasury's balance and when it was read. */
  balance(token: Token): { units: bigint; at: Date } | null
  /**
   * The balance that is not reserved. Good enough for a quote; the reservation itself is made under a lock in the
   * database.
   */
  free(token: Token): bigint | null
  /** Whether a network's fees were ever read, and recently enough to quote. */
  feesOf(network: string): 'known' | 'stale' | 'unread'
  /** Whether the route exists, regardless of prices and balances. */
  isRoute(source: Token, destination: Token): boolean
  /** The swap provider that a route needs; null if we can pay from our own wallets. */
  provider(source: Token, destination: Token): string | null
  /** The ways to serve a route now: our own wallets alone first, and over the pools of providers. */
  plans(source: Token, destination: Token): Plan[]
  /** The ways to sell a token for a hub token, or to buy it for one, by the pools' present states. */
  exchanges(token: Token, side: 'sale' | 'purchase'): LegOption[]
  /** The refuel of this network; null if its price is unknown. */
  refuel(network: Network): { token: Token; units: bigint; usd: Usd } | null
  /**
   * The pricing of a route; null if a price or fee is unknown, the two tokens are the same, or the operator closed the
   * route.
   */
  pricing(route: Route, liquidityUnits: bigint): Pricing | null
  /**
   * The cost of sending this token, in the token itself. Null if unknown, and while gas costs far more than it recently
   * did: refunds wait for normal gas.
   */
  sendingFee(token: Token): bigint | null
  /** The dust limit in units of this token; 0 if its price is unknown. */
  dust(token: Token): bigint
  /** The native coin that one transfer of any token needs, with a margin for rising fees; null if not read recently. */
  gas(network: string): bigint | null
  /** How long a swap takes, in milliseconds. */
  completionMs(source: Token, destination: Token): number
  /** Reads the network's nodes now and stores the result for all processes. */
  refresh(network: Network): Promise<void>
  /**
   * Reads the nodes if the last reading is older than `paceMs` and this process holds the lease. Then adopts the latest
   * reading of any process.
   */
  refreshStored(network: Network, paceMs: number): Promise<void>
  /** Adopts the latest stored reading of the network; asks no node. */
  adoptStored(network: Network): Promise<void>
  /** Loads the stored readings of all networks. */
  readStored(): Promise<void>
  refreshPrices(): Promise<void>
  /** Reads the pools of the network's swap providers. */
  refreshPools(network: Network): Promise<void>
  refreshDurations(): Promise<void>
}

/** Age in milliseconds from which a fee or balance is not used for quotes. */
const STALE_AFTER_MS = 5 * 60_000
/** Fees move between quote and payout: we charge enough for a rise by half. */
const FEE_MARGIN_NUMERATOR = 3n
const FEE_MARGIN_DENOMINATOR = 2n
/** Gas above this multiple of the recent median is not charged to a refund. It is more likely wrong than true. */
const USUAL_MULTIPLE = 3n

/** An exchange and the approval before it cost about as much gas as this many token transfers. */
const EXCHANGE_TRANSFERS = 5n
const ALL_BPS = 10_000n

export function createMarket(options: {
  config: Config
  database: Database
  catalogue: Catalogue
  chains: Chains
  prices: PriceSource
  rules: RouteRules
  /** The exchanges that can be signed; all if absent. */
  exchangeScope?: ScopeReader
  now: () => Date
}): Market {
  const { config, database, catalogue, chains, rules, now } = options
  const scopeOf = options.exchangeScope ?? (async () => null)
  const providers = createProviders({ catalogue, readerOf: (network) => chains.get(network)?.exchanges, scopeOf, now })
  const durations = createDurations(database, now)
  const prices = new Map<string, { usd: Usd; at: Date }>()
  const fees = new Map<string, { fees: Fees; at: Date; recent: readonly FeeSample[] }>()
  const balances = new Map<string, { units: bigint; promised: bigint; at: Date }>()
  const lastPools = new Map<string, Usd>()
  const bounds = boundsOf(config)
  const readings = createMarketSnapshots(database, chains)
  const adopt = async ({ network, fees: read, balances: held, at, recent }: MarketReading) => {
    fees.set(network, { fees: read, at, recent })
    // Payouts since the reading count as reserved, so that an old balance is not promised twice.
    const promised = await reservedByToken(database, network, at)
    for (const [token, units] of held)
      balances.set(`${network} ${token}`, { units, promised: promised.get(token) ?? 0n, at })
  }
  const fresh = <T extends { at: Date }>(entry: T | undefined, maxAgeMs = STALE_AFTER_MS): T | null => {
    const ageMs = entry ? now().getTime() - entry.at.getTime() : Number.POSITIVE_INFINITY
    // A reading from a clock that is ahead would stay fresh for too long.
    return entry && ageMs <= maxAgeMs && ageMs >= -AHEAD_MS ? entry : null
  }

  const market: Market = {
    price: (token) => (token.poolOnly ? priceOfPool(token) : priceOfFeed(token)),
    lastPrice: (token) =>
      market.price(token) ?? lastPools.get(keyOf(token)) ?? prices.get(token.group ?? token.symbol)?.usd ?? null,
    priceRead(token) {
      const group = token.group ?? token.symbol
      return { at: prices.get(group)?.at ?? null, answered: options.prices.answered?.(group) ?? null }
    },
    balance: (token) => fresh(balances.get(keyOf(token))),
    free(token) {
      const entry = fresh(balances.get(keyOf(token)))
      if (!entry) return null
      return entry.units > entry.promised ? entry.units - entry.promised : 0n
    },
    completionMs: (source, destination) =>
      durations.between(catalogue.network(source.network), catalogue.network(destination.network)),
    refreshDurations: durations.refresh,
    feesOf(network) {
      const entry = fees.get(network)
      if (!entry) return 'unread'
      return fresh(entry) ? 'known' : 'stale'
    },
    isRoute: (source, destination) =>
      source !== destination && !source.unlisted && !destination.unlisted && !rules(source, destination)?.closed,
    provider: (source, destination) =>
      rules(source, destination)?.provider ?? listedProvider(source) ?? listedProvider(destination),
    plans: (source, destination) =>
      plansFor(providers, source, destination).filter(
        ({ sale, purchase }) => (!sale || priceOfPool(source)) && (!purchase || priceOfPool(destination)),
      ),
    exchanges: (token, side) => providers.options(token, side),
    refuel({ nativeToken: token }) {
      const price = market.price(token)
      if (!price) return null
      const units = roundToDisplay(fromUsd(usdOf(config.refuelUsd), token, price, 'down'), token, 'down')
      return { token, units, usd: toUsd(units, token, price, 'up') }
    },
    pricing(route, liquidityUnits) {
      const { source, destination } = route
      const rule = rules(source, destination)
      if (source === destination || source.unlisted || destination.unlisted || rule?.closed) return null
      const { plan = {} } = route
      if ((source.poolOnly && !plan.sale) || (destination.poolOnly && !plan.purchase)) return null
      const sale = plan.sale && legPricing(plan.sale)
      const purchase = plan.purchase && legPricing(plan.purchase)
      if (sale === null || purchase === null) return null
      const sourcePrice = market.price(source)
      const destinationPrice = market.price(destination)
      const network = catalogue.network(destination.network)
      const native = network.nativeToken
      const refuel = market.refuel(network)
      const sent = purchase ? costUsd(destination, 'exchange') : costUsd(destination, 'payout')
      const sold = sale ? costUsd(source, 'exchange') : 0n
      const refuelSent = route.refuel ? costUsd(native, 'payout') : 0n
      const swept = route.usesDepositAddress ? costUsd(source, 'sweep') : 0n
      const relayed = route.usesGasless ? costUsd(source, 'relay') : 0n
      // Recipient code runs only when the native coin is sent. That happens once: a refuel comes only with token
      // outputs.
      const run = route.effort ? costUsd(native, 'effort', route.effort) : 0n
      if (!sourcePrice || !destinationPrice || !refuel) return null
      if (sent === null || sold === null || refuelSent === null) return null
      if (swept === null || relayed === null || run === null) return null
      const offersRefuel = route.refuel && destination.contract !== null
      return {
        source,
        destination,
        sourcePrice,
        destinationPrice,
        blockchainFeeUsd: sent + sold + swept + relayed + run + (offersRefuel ? refuelSent : 0n),
        ...bounds,
        ...(rule && overrides(rule)),
        liquidityUnits,
        refuel: offersRefuel ? refuel : null,
        ...(sale && { sale }),
        ...(purchase && { purchase }),
      }
    },
    sendingFee(token) {
      const price = market.price(token)
      const cost = costUsd(token, 'payout')
      if (!price || cost === null || !isUsualNow(token)) return null
      return roundToDisplay(fromUsd(cost, token, price, 'up'), token, 'up')
    },
    dust(token) {
      const price = market.price(token)
      return price ? fromUsd(usdOf(config.dustUsd), token, price, 'down') : 0n
    },
    gas(network) {
      const entry = fresh(fees.get(network))
      if (!entry) return null
      const { nativeTransfer, tokenTransfer } = entry.fees
      const dearest = nativeTransfer > tokenTransfer ? nativeTransfer : tokenTransfer
      return (dearest * FEE_MARGIN_NUMERATOR) / FEE_MARGIN_DENOMINATOR
    },
    async refresh(network) {
      const chain = chains.get(network.name)
      if (chain) await adopt(await readings.ask(chain, now()))
    },
    async refreshStored(network, paceMs) {
      const chain = chains.get(network.name)
      const due = chain && (await readings.due(network, paceMs, now()))
      try {
        if (chain && due) await readings.ask(chain, now())
      } finally {
        await market.adoptStored(network)
      }
    },
    async adoptStored(network) {
      const stored = readings.stored(network)
      if (stored) await adopt(stored)
    },
    readStored: () => readings.read(),
    async refreshPools(network) {
      await providers.refresh(network)
      for (const token of network.tokens) {
        const price = token.poolOnly ? priceOfPool(token) : null
        if (price) lastPools.set(keyOf(token), price)
      }
    },
    async refreshPrices() {
      const at = now()
      const groups = new Set(
        catalogue.networks.flatMap(({ tokens }) => tokens.map((token) => token.group ?? token.symbol)),
      )
      for (const [group, value] of await options.prices.read([...groups]))
        prices.set(group, { usd: value, at: options.prices.fetchedAt?.(group) ?? at })
      for (const group of groups) if (options.prices.isDisputed?.(group)) prices.delete(group)
    },
  }

  function priceOfFeed(token: Token): Usd | null {
    return fresh(prices.get(token.group ?? token.symbol), config.priceMaxAgeMs)?.usd ?? null
  }

  /** The price of the token's deepest pool; null if the price sources know the token and disagree. */
  function priceOfPool(token: Token): Usd | null {
    const price = poolPrice(providers, token, priceOfFeed)
    const feed = priceOfFeed(token)
    if (price === null || feed === null) return price
    return isAgreed(price, feed, BigInt(config.providerPriceDeviationBps)) ? price : null
  }

  function legPricing(option: LegOption): LegPricing | null {
    const hubPrice = priceOfFeed(option.hub)
    if (hubPrice === null) return null
    const maxSlippage = (ONE * BigInt(config.providerSlippageBps)) / ALL_BPS
    return { ...option, hubPrice, maxImpactBps: BigInt(config.maxPriceImpactBps), maxSlippage }
  }

  function listedProvider(token: Token): string | null {
    if (!token.poolOnly || token.contract === null) return null
    const { contract } = token
    const { providers: all = [] } = catalogue.network(token.network)
    return all.find(({ pools }) => pools.some((one) => [one.token0, one.token1].includes(contract)))?.name ?? null
  }

  function isUsualNow({ network, contract }: Token): boolean {
    const entry = fresh(fees.get(network))
    const kind = contract === null ? 'nativeTransfer' : 'tokenTransfer'
    const rule = { now: now().getTime(), multiple: USUAL_MULTIPLE, of: (sample: FeeSample) => sample[kind] }
    return entry !== null && isUsual(entry.fees[kind], entry.recent, rule)
  }

  function costUsd(token: Token, what: 'payout' | 'exchange' | 'sweep' | 'relay' | 'effort', times = 1n): Usd | null {
    const native = catalogue.network(token.network).nativeToken
    const price = market.price(native)
    const entry = fresh(fees.get(token.network))
    if (!price || !entry) return null
    const payout = token.contract === null ? entry.fees.nativeTransfer : entry.fees.tokenTransfer
    const { sweep, relay, recipientGasUnit: effort, tokenTransfer } = entry.fees
    const units = { payout, exchange: tokenTransfer * EXCHANGE_TRANSFERS, sweep, relay, effort }[what]
    if (units === undefined) return null
    const cost = toUsd(units * times, native, price, 'up')
    return (cost * FEE_MARGIN_NUMERATOR) / FEE_MARGIN_DENOMINATOR
  }

  return market
}

function boundsOf(config: Config) {
  return {
    serviceFeeBps: BigInt(config.serviceFeeBps),
    serviceFeeUsd: usdOf(config.serviceFeeUsd),
    minUsd: usdOf(config.minSwapUsd),
    maxUsd: usdOf(config.maxSwapUsd),
  }
}

function overrides({ fee_bps, fee_usd, min_usd, max_usd }: RouteRule): Partial<ReturnType<typeof boundsOf>> {
  return {
    ...(fee_bps !== undefined && { serviceFeeBps: BigInt(fee_bps) }),
    ...(fee_usd !== undefined && { serviceFeeUsd: usdOf(fee_usd) }),
    ...(min_usd !== undefined && { minUsd: usdOf(min_usd) }),
    ...(max_usd !== undefined && { maxUsd: usdOf(max_usd) }),
  }
}

function keyOf(token: Token): string {
  return `${token.network} ${tokenKey(token)}`
}
