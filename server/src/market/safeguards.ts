/**
 * Risk limits and kill switches: what is paused, how much may be paid out, and above which value an operator must
 * approve. Cached for quotes and new swaps, read fresh before a payout.
 */
import { type Catalogue, type Pricing, parseDecimal, type Token, tokenKey, toUsd, type Usd } from '@causeway/core'
import type { Config } from '../config.ts'
import type { Queries } from '../store/db/database.ts'
import type { LimitKind, Scope } from '../store/db/schema.ts'
import {
  type LimitRow,
  listLimits,
  listSwitches,
  outflowSince,
  type SwitchRow,
  unpaidDeposits,
} from '../store/limits/safeguards.ts'
import type { Market } from './market.ts'

export interface Rules {
  switches: SwitchRow[]
  limits: LimitRow[]
  /** Dollars paid out in the last hour and day, by scope. */
  hourly: ReadonlyMap<string, Usd>
  daily: ReadonlyMap<string, Usd>
}

export interface Safeguards {
  /** The cached rules. */
  current(): Rules
  /** Dollars of a token's deposits that are seen but not paid out yet, cached. */
  exposed(token: Token): Usd
  refresh(): Promise<void>
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NONE: Rules = { switches: [], limits: [], hourly: new Map(), daily: new Map() }

export function createSafeguards(options: {
  config?: Pick<Config, 'hourlyOutflowUsd'>
  database: Queries
  catalogue: Catalogue
  market: Pick<Market, 'price'>
  now: () => Date
}): Safeguards {
  let rules = NONE
  let exposed: ReadonlyMap<string, Usd> = new Map()
  return {
    current: () => rules,
    exposed: (token) => exposed.get(tokenScope(token)) ?? 0n,
    async refresh() {
      const { database, catalogue, market, now, config } = options
      exposed = await exposure(database, catalogue, market)
      rules = await readRules(database, catalogue, market, now(), config)
    },
  }
}

export async function readRules(
  queries: Queries,
  catalogue: Catalogue,
  market: Pick<Market, 'price'>,
  now: Date,
  config?: Pick<Config, 'hourlyOutflowUsd'>,
): Promise<Rules> {
  const worth = async (ms: number) => {
    const sums = new Map<string, Usd>()
    for (const { network, token: key, units } of await outflowSince(queries, new Date(now.getTime() - ms))) {
      const token = catalogue.token(network, key)
      const price = market.price(token)
      const usd = price === null ? 0n : toUsd(units, token, price, 'up')
      for (const scope of [networkScope(network), tokenScope(token)]) sums.set(scope, (sums.get(scope) ?? 0n) + usd)
    }
    return sums
  }
  const [switches, set] = await Promise.all([listSwitches(queries), listLimits(queries)])
  const limits = [...set, ...usualLimits(catalogue, set, config?.hourlyOutflowUsd ?? null, now)]
  const isLimited = (kind: LimitKind) => limits.some((limit) => limit.kind === kind)
  const [hourly, daily] = await Promise.all([
    isLimited('hourly_outflow') ? worth(HOUR_MS) : new Map<string, Usd>(),
    isLimited('daily_outflow') ? worth(DAY_MS) : new Map<string, Usd>(),
  ])
  return { switches, limits, hourly, daily }
}

/** Delisted tokens are not offered, so they are not counted. */
async function exposure(
  queries: Queries,
  { networks }: Catalogue,
  market: Pick<Market, 'price'>,
): Promise<Map<string, Usd>> {
  const sums = new Map<string, Usd>()
  for (const { network, token: key, units } of await unpaidDeposits(queries)) {
    const token = networks.find(({ name }) => name === network)?.tokens.find((each) => tokenKey(each) === key)
    const price = token ? market.price(token) : null
    if (token && price !== null) sums.set(tokenScope(token), toUsd(units, token, price, 'up'))
  }
  return sums
}

/** The default hourly outflow limit per network: a fault must not empty a wallet before an operator notices. */
function usualLimits(catalogue: Catalogue, set: LimitRow[], hourlyUsd: number | null, now: Date): LimitRow[] {
  if (hourlyUsd === null) return []
  const usd = parseDecimal(hourlyUsd.toFixed(2), USD_DECIMALS) ?? 0n
  return catalogue.networks
    .map(({ name }) => networkScope(name))
    .filter((scope) => !set.some((limit) => limit.kind === 'hourly_outflow' && limit.scope === scope))
    .map((scope) => ({ kind: 'hourly_outflow', scope, usd, at: now }))
}

const USD_DECIMALS = 18
const SERVICE_SCOPE = 'service'

function networkScope(network: string): Scope {
  return `network:${network}`
}

export function tokenScope(token: Token): Scope {
  return `token:${token.network}/${tokenKey(token)}`
}

export function routeScope(source: Token, destination: Token): Scope {
  return `route:${source.network}/${tokenKey(source)}>${destination.network}/${tokenKey(destination)}`
}

/** Pausing this scope stops promises and payouts of the campaign. */
export function campaignScope(name: string): Scope {
  return `campaign:${name}`
}

/** Why new swaps of a route are paused; null if they are not. */
export function pausedRoute({ switches }: Rules, source: Token, destination: Token): string | null {
  const scopes = [SERVICE_SCOPE, routeScope(source, destination)]
  for (const token of [source, destination]) scopes.push(networkScope(token.network), tokenScope(token))
  return switches.find(({ scope, stops_swaps }) => stops_swaps && scopes.includes(scope))?.reason ?? null
}

/** Why payouts of a token are paused; `route` also checks the switch of the swap's route. */
export function pausedPayout({ switches }: Rules, token: Token, route: string | null): SwitchRow | null {
  const scopes = [SERVICE_SCOPE, networkScope(token.network), tokenScope(token), ...(route ? [route] : [])]
  return switches.find(({ scope, stops_payouts }) => stops_payouts && scopes.includes(scope)) ?? null
}

/** The lowest limit of a kind that applies to a token; null if there is none. */
export function limitOn({ limits }: Rules, kind: LimitKind, token: Token, route: Scope | null = null): Usd | null {
  const scopes = [SERVICE_SCOPE, networkScope(token.network), tokenScope(token), ...(route ? [route] : [])]
  const found = limits.filter((limit) => limit.kind === kind && scopes.includes(limit.scope)).map(({ usd }) => usd)
  return found.length === 0 ? null : found.reduce((least, usd) => (usd < least ? usd : least))
}

/** The same pricing under the limit for a single swap. */
export function capped(rules: Rules, pricing: Pricing): Pricing {
  const { source, destination } = pricing
  const route = routeScope(source, destination)
  const caps = [limitOn(rules, 'swap_max', source, route), limitOn(rules, 'swap_max', destination, route)]
  const maxUsd = caps.reduce((least: Usd, cap) => (cap !== null && cap < least ? cap : least), pricing.maxUsd)
  return { ...pricing, maxUsd }
}

/** The remaining outflow limit of a token, the lower of hour and day; null if unlimited. */
export function outflowLeft(rules: Rules, token: Token): Usd | null {
  const left = (kind: LimitKind, spent: ReadonlyMap<string, Usd>) =>
    rules.limits
      .filter((limit) => limit.kind === kind)
      .filter(({ scope }) => scope === networkScope(token.network) || scope === tokenScope(token))
      .map(({ scope, usd }) => usd - (spent.get(scope) ?? 0n))
  const all = [...left('hourly_outflow', rules.hourly), ...left('daily_outflow', rules.daily)]
  if (all.length === 0) return null
  const least = all.reduce((a, b) => (b < a ? b : a))
  return least > 0n ? least : 0n
}

/** The rules after `usd` more of a token was paid out. */
export function withOutflow(rules: Rules, token: Token, usd: Usd): Rules {
  if (usd === 0n) return rules
  const more = (spent: ReadonlyMap<string, Usd>) =>
    [networkScope(token.network), tokenScope(token)].reduce(
      (sums, scope) => sums.set(scope, (sums.get(scope) ?? 0n) + usd),
      new Map(spent),
    )
  return { ...rules, hourly: more(rules.hourly), daily: more(rules.daily) }
}
