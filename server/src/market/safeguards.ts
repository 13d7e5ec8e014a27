/**
 * Risk limits and kill switches: what is paused, how much may be paid out, and above which value an operator must
 * approve. Cached for quotes and new swaps, read fresh before a payout.
 */
import {
  type Catalogue,
  isReturned,
  type PayoutKind,
  type Pricing,
  type Token,
  tokenKey,
  toUsd,
  type Usd,
  usdOf,
} from '@causeway/core'
import type { Config } from '../config.ts'
import type { Queries } from '../store/db/database.ts'
import type { LimitKind, Scope } from '../store/db/schema.ts'
import {
  type LimitRow,
  listLimits,
  listSwitches,
  openQuotes,
  outflowWithin,
  quoteUseBps,
  type SwitchRow,
  unpaidDeposits,
} from '../store/limits/safeguards.ts'
import type { Market } from './market.ts'

export interface Rules {
  switches: SwitchRow[]
  limits: LimitRow[]
  /** Dollars that left, by budget. A budget is a limit, separately for deliveries and for refunds. */
  spent: ReadonlyMap<string, Usd>
}

export interface Safeguards {
  /** The cached rules. */
  current(): Rules
  /** Dollars of a token's deposits that are seen but not paid out yet, cached. */
  exposed(token: Token): Usd
  /** Dollars of a token's open quotes, by their chance of use, cached. */
  quoted(token: Token): Usd
  refresh(): Promise<void>
}

const NONE: Rules = { switches: [], limits: [], spent: new Map() }
/** The limits on what leaves, with their windows in hours. */
const OUTFLOW = { hourly_outflow: 1, daily_outflow: 24 } as const
const OUTFLOW_KINDS = ['hourly_outflow', 'daily_outflow'] as const

export function createSafeguards(options: {
  config?: Pick<Config, 'hourlyOutflowUsd'>
  database: Queries
  catalogue: Catalogue
  market: Pick<Market, 'price'>
  now: () => Date
}): Safeguards {
  let rules = NONE
  let exposed: ReadonlyMap<string, Usd> = new Map()
  let quoted: ReadonlyMap<string, Usd> = new Map()
  return {
    current: () => rules,
    exposed: (token) => exposed.get(tokenScope(token)) ?? 0n,
    quoted: (token) => quoted.get(tokenScope(token)) ?? 0n,
    async refresh() {
      const { database, catalogue, market, now, config } = options
      exposed = inUsd(await unpaidDeposits(database), catalogue, market)
      const useBps = await quoteUseBps(database, now())
      const open = useBps === 0n ? [] : await openQuotes(database, now())
      const used = open.map(({ units, ...token }) => ({ ...token, units: (units * useBps) / ALL_BPS }))
      quoted = inUsd(used, catalogue, market)
      rules = await readRules(database, catalogue, now(), config)
    },
  }
}

export async function readRules(
  queries: Queries,
  catalogue: Catalogue,
  now: Date,
  config?: Pick<Config, 'hourlyOutflowUsd'>,
): Promise<Rules> {
  const [switches, set] = await Promise.all([listSwitches(queries), listLimits(queries)])
  const limits = [...set, ...usualLimits(catalogue, set, config?.hourlyOutflowUsd ?? null, now)]
  const spent = new Map<string, Usd>()
  for (const kind of OUTFLOW_KINDS) {
    if (!limits.some((limit) => limit.kind === kind)) continue
    for (const { network, token, isReturn, usd } of await outflowWithin(queries, OUTFLOW[kind]))
      for (const scope of [networkScope(network), `token:${network}/${token}`]) {
        const name = budgetName(kind, scope, isReturn)
        spent.set(name, (spent.get(name) ?? 0n) + usd)
      }
  }
  return { switches, limits, spent }
}

function budgetName(kind: LimitKind, scope: string, isReturn: boolean): string {
  return `${kind} ${scope}${isReturn ? ' returned' : ''}`
}

/**
 * The budgets that a payout draws on. Refunds and returns have budgets of their own, as large as those of deliveries: a user who
 * deposits and is refunded, for the price of gas, must not use up the limit of others.
 */
export function budgetsOf(token: Token, kind: PayoutKind): string[] {
  return [...budgetsIn(networkScope(token.network), kind), ...tokenBudgetsOf(token, kind)]
}

/** Those of the token alone: whatever draws on them draws on those of its network, too. */
export function tokenBudgetsOf(token: Token, kind: PayoutKind): string[] {
  return budgetsIn(tokenScope(token), kind)
}

function budgetsIn(scope: Scope, kind: PayoutKind): string[] {
  return OUTFLOW_KINDS.map((limit) => budgetName(limit, scope, isReturned(kind)))
}

/** The remaining dollars of each budget with a limit. */
export function budgetsLeft(rules: Rules): Map<string, Usd> {
  const rest = (name: string, usd: Usd) => usd - (rules.spent.get(name) ?? 0n)
  return new Map([...wholeBudgets(rules)].map(([name, usd]) => [name, rest(name, usd) > 0n ? rest(name, usd) : 0n]))
}

/** The dollars of each budget with a limit, whatever was spent. */
export function wholeBudgets({ limits }: Rules): Map<string, Usd> {
  const whole = new Map<string, Usd>()
  for (const { kind, scope, usd } of limits) {
    if (!OUTFLOW_KINDS.some((one) => one === kind)) continue
    for (const isReturn of [false, true]) whole.set(budgetName(kind, scope, isReturn), usd)
  }
  return whole
}

/** Delisted tokens are not offered, so they are not counted. */
function inUsd(
  amounts: readonly { network: string; token: string; units: bigint }[],
  { networks }: Catalogue,
  market: Pick<Market, 'price'>,
): Map<string, Usd> {
  const sums = new Map<string, Usd>()
  for (const { network, token: key, units } of amounts) {
    const token = networks.find(({ name }) => name === network)?.tokens.find((each) => tokenKey(each) === key)
    const price = token ? market.price(token) : null
    if (token && price !== null) sums.set(tokenScope(token), toUsd(units, token, price, 'up'))
  }
  return sums
}

/** The default hourly outflow limit per network: a fault must not empty a wallet before an operator notices. */
function usualLimits(catalogue: Catalogue, set: LimitRow[], hourlyUsd: number | null, now: Date): LimitRow[] {
  if (hourlyUsd === null) return []
  const usd = usdOf(hourlyUsd)
  return catalogue.networks
    .map(({ name }) => networkScope(name))
    .filter((scope) => !set.some((limit) => limit.kind === 'hourly_outflow' && limit.scope === scope))
    .map((scope) => ({ kind: 'hourly_outflow', scope, usd, at: now }))
}

const ALL_BPS = 10_000n
/** The default exposure limit, in swaps of the largest size. */
const DEFAULT_EXPOSURE = 5

/** The exposure limit: of deposits in one token that are not paid out, and of settlements of one asset at old prices. */
export function exposureLimit({ maxExposureUsd, maxSwapUsd }: Pick<Config, 'maxExposureUsd' | 'maxSwapUsd'>): Usd {
  return usdOf(maxExposureUsd ?? DEFAULT_EXPOSURE * maxSwapUsd)
}

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

/** The scope of a campaign: pausing it stops new rewards and their payouts. */
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
export function limitOn(
  { limits }: Pick<Rules, 'limits'>,
  kind: LimitKind,
  token: Token,
  route: Scope | null = null,
): Usd | null {
  const scopes = [SERVICE_SCOPE, networkScope(token.network), tokenScope(token), ...(route ? [route] : [])]
  const found = limits.filter((limit) => limit.kind === kind && scopes.includes(limit.scope)).map(({ usd }) => usd)
  return found.length === 0 ? null : found.reduce((least, usd) => (usd < least ? usd : least))
}

/** The pricing, capped at the limit for a single swap. */
export function capped(rules: Rules, pricing: Pricing): Pricing {
  const { source, destination } = pricing
  const route = routeScope(source, destination)
  const caps = [limitOn(rules, 'swap_max', source, route), limitOn(rules, 'swap_max', destination, route)]
  const maxUsd = caps.reduce((least: Usd, cap) => (cap !== null && cap < least ? cap : least), pricing.maxUsd)
  return { ...pricing, maxUsd }
}

/** The dollars of a token that may still be delivered, by the lowest of its limits; null if unlimited. */
export function outflowLeft(rules: Rules, token: Token): Usd | null {
  const left = budgetsLeft(rules)
  const all = budgetsOf(token, 'output').flatMap((name) => left.get(name) ?? [])
  return all.length === 0 ? null : all.reduce((a, b) => (b < a ? b : a))
}
