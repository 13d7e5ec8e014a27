/**
 * What quotes are made of, kept in memory: prices, network fees, and what the wallets hold. Refreshed in the background,
 * so that no node and no price source is ever asked on a request's path. Anything too old counts as unknown.
 */
import {
  type Catalogue,
  type Fees,
  fromUsd,
  type Network,
  ONE,
  type Pricing,
  parseDecimal,
  roundToDisplay,
  type Token,
  tokenKey,
  toUsd,
  type Usd,
} from '@causeway/core'
import type { Chains } from '../catalogue/chains.ts'
import type { RouteRule, RouteRules } from '../catalogue/routes.ts'
import type { Config } from '../config.ts'
import type { PriceSource } from '../prices/source.ts'
import type { Database } from '../store/db/database.ts'
import type { MarketReading } from '../store/market/market-snapshots.ts'
import { reservedByToken } from '../store/payouts/liquidity-reservations.ts'
import { createDurations } from './durations.ts'
import { AHEAD_MS, createMarketSnapshots } from './market-snapshot.ts'

interface Route {
  source: Token
  destination: Token
  refuel: boolean
  usesDepositAddress: boolean
  /** The deposit is signed for, and sent by us. */
  usesGasless?: boolean
  /** What the recipient's own code takes of us beyond what every payout includes. */
  effort?: bigint
}

export interface Market {
  price(token: Token): Usd | null
  /** When its price was read last, also where that is too long ago to count, and how many sources had one then. */
  priceRead(token: Token): { at: Date | null; answered: number | null }
  /** What the treasury held at a moment. */
  balance(token: Token): { units: bigint; at: Date } | null
  /** What of it was not promised to anybody: good for a quote; a promise itself is made under a lock in the database. */
  free(token: Token): bigint | null
  /** Whether the fees of a network were ever read, and whether that was recently enough to quote with. */
  feesOf(network: string): 'known' | 'stale' | 'unread'
  /** Whether there is such a route at all, whatever the prices and wallets say now. */
  isRoute(source: Token, destination: Token): boolean
  /** The swap provider that a route goes through; null where we pay it from our own wallets. */
  provider(source: Token, destination: Token): string | null
  /** What a refuel on this network is; null where its price is unknown. */
  refuel(network: Network): { token: Token; units: bigint; usd: Usd } | null
  /** Null where a price or a fee is unknown, the two tokens are one, or the operator closed the route. */
  pricing(route: Route, liquidityUnits: bigint): Pricing | null
  /** What sending this token costs now, in the token itself. */
  sendingFee(token: Token): bigint | null
  /** What a transfer of any token takes of the network's native coin, with room for a rise; null where nobody has told lately. */
  gas(network: string): bigint | null
  /** How long a swap takes, in milliseconds. */
  completionMs(source: Token, destination: Token): number
  /** Asks the network's nodes now, and tells all processes. */
  refresh(network: Network): Promise<void>
  /** Asks them where nobody has for so long and it is this process's turn; takes over what was read last, by whomever. */
  refreshStored(network: Network, paceMs: number): Promise<void>
  /** Reads what was asked of all networks, by whomever. */
  readStored(): Promise<void>
  refreshPrices(): Promise<void>
  refreshDurations(): Promise<void>
}

/** Older than that, a fee or balance is no base for a quote. */
const STALE_AFTER_MS = 5 * 60_000
/** Estimates move between quote and payout: what is charged covers a rise by half. */
const FEE_MARGIN_NUMERATOR = 3n
const FEE_MARGIN_DENOMINATOR = 2n

export function createMarket(options: {
  config: Config
  database: Database
  catalogue: Catalogue
  chains: Chains
  prices: PriceSource
  rules: RouteRules
  now: () => Date
}): Market {
  const { config, database, catalogue, chains, rules, now } = options
  const durations = createDurations(database, now)
  const prices = new Map<string, { usd: Usd; at: Date }>()
  const fees = new Map<string, { fees: Fees; at: Date }>()
  const balances = new Map<string, { units: bigint; promised: bigint; at: Date }>()
  const bounds = boundsOf(config)
  const readings = createMarketSnapshots(database, chains)
  const adopt = async ({ network, fees: read, balances: held, at }: MarketReading) => {
    fees.set(network, { fees: read, at })
    // Those paid since count as promised: a balance that was read a while ago promises nothing twice.
    const promised = await reservedByToken(database, network, at)
    for (const [token, units] of held)
      balances.set(`${network} ${token}`, { units, promised: promised.get(token) ?? 0n, at })
  }
  const fresh = <T extends { at: Date }>(entry: T | undefined, maxAgeMs = STALE_AFTER_MS): T | null => {
    const ageMs = entry ? now().getTime() - entry.at.getTime() : Number.POSITIVE_INFINITY
    // What another process read by a clock that is ahead would stay young for as long.
    return entry && ageMs <= maxAgeMs && ageMs >= -AHEAD_MS ? entry : null
  }

  const market: Market = {
    price: (token) => fresh(prices.get(token.group ?? token.symbol), config.priceMaxAgeMs)?.usd ?? null,
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
    provider: (source, destination) => rules(source, destination)?.provider ?? null,
    refuel({ nativeToken: token }) {
      const price = market.price(token)
      if (!price) return null
      const units = roundToDisplay(fromUsd(usd(config.refuelUsd), token, price, 'down'), token, 'down')
      return { token, units, usd: toUsd(units, token, price, 'up') }
    },
    pricing(route, liquidityUnits) {
      const { source, destination } = route
      const rule = rules(source, destination)
      if (source === destination || source.unlisted || destination.unlisted || rule?.closed) return null
      const sourcePrice = market.price(source)
      const destinationPrice = market.price(destination)
      const network = catalogue.network(destination.network)
      const native = network.nativeToken
      const refuel = market.refuel(network)
      const sent = costUsd(destination, 'payout')
      const refuelSent = route.refuel ? costUsd(native, 'payout') : 0n
      const swept = route.usesDepositAddress ? costUsd(source, 'sweep') : 0n
      const relayed = route.usesGasless ? costUsd(source, 'relay') : 0n
      // It runs where the native coin is sent: once, for a refuel comes beside tokens only.
      const run = route.effort ? costUsd(native, 'effort', route.effort) : 0n
      if (!sourcePrice || !destinationPrice || !refuel) return null
      if (sent === null || refuelSent === null || swept === null || relayed === null || run === null) return null
      const offersRefuel = route.refuel && destination.contract !== null
      return {
        source,
        destination,
        sourcePrice,
        destinationPrice,
        blockchainFeeUsd: sent + swept + relayed + run + (offersRefuel ? refuelSent : 0n),
        ...bounds,
        ...(rule && overrides(rule)),
        liquidityUnits,
        refuel: offersRefuel ? refuel : null,
      }
    },
    sendingFee(token) {
      const price = market.price(token)
      const cost = costUsd(token, 'payout')
      if (!price || cost === null) return null
      return roundToDisplay(fromUsd(cost, token, price, 'up'), token, 'up')
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
        const stored = readings.stored(network)
        if (stored) await adopt(stored)
      }
    },
    readStored: () => readings.read(),
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

  function costUsd(token: Token, what: 'payout' | 'sweep' | 'relay' | 'effort', times = 1n): Usd | null {
    const native = catalogue.network(token.network).nativeToken
    const price = market.price(native)
    const entry = fresh(fees.get(token.network))
    if (!price || !entry) return null
    const payout = token.contract === null ? entry.fees.nativeTransfer : entry.fees.tokenTransfer
    const units = { payout, sweep: entry.fees.sweep, relay: entry.fees.relay, effort: entry.fees.effort }[what]
    if (units === undefined) return null
    const cost = toUsd(units * times, native, price, 'up')
    return (cost * FEE_MARGIN_NUMERATOR) / FEE_MARGIN_DENOMINATOR
  }

  return market
}

function boundsOf(config: Config) {
  return {
    serviceFeeBps: BigInt(config.serviceFeeBps),
    serviceFeeUsd: usd(config.serviceFeeUsd),
    minUsd: usd(config.minSwapUsd),
    maxUsd: usd(config.maxSwapUsd),
  }
}

function overrides({ fee_bps, fee_usd, min_usd, max_usd }: RouteRule): Partial<ReturnType<typeof boundsOf>> {
  return {
    ...(fee_bps !== undefined && { serviceFeeBps: BigInt(fee_bps) }),
    ...(fee_usd !== undefined && { serviceFeeUsd: usd(fee_usd) }),
    ...(min_usd !== undefined && { minUsd: usd(min_usd) }),
    ...(max_usd !== undefined && { maxUsd: usd(max_usd) }),
  }
}

function keyOf(token: Token): string {
  return `${token.network} ${tokenKey(token)}`
}

/** Dollars of the configuration, a small plain number, to fixed point. */
function usd(value: number): Usd {
  return parseDecimal(value.toFixed(6), 18) ?? BigInt(Math.round(value)) * ONE
}
