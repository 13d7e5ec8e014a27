/**
 * Operator settings for single routes in `networks/routes.json`: fees, bounds, and pairs that are closed or need a swap
 * provider. The first matching entry decides; without one the configuration's defaults apply.
 */
import { existsSync } from 'node:fs'
import type { Network, Token } from '@causeway/core'
import { z } from 'zod'
import { readJson } from '../config/json.ts'
import { ConfigError } from '../config.ts'

/** One end of a route: a network, a token (its symbol, family or contract), both, or anything. */
const End = z.strictObject({ network: z.string().optional(), token: z.string().optional() })
type End = z.infer<typeof End>

const Rule = z.strictObject({
  source: End.default({}),
  destination: End.default({}),
  /** True: the route is not offered at all. */
  closed: z.boolean().default(false),
  /** The swap provider that this pair goes through. Such a swap needs a refund address. */
  provider: z.string().min(1).nullable().default(null),
  fee_bps: z.int().min(0).max(1000).optional(),
  fee_usd: z.number().min(0).max(1000).optional(),
  min_usd: z.number().min(0).optional(),
  max_usd: z.number().positive().optional(),
})
export type RouteRule = z.infer<typeof Rule>

const Rules = z.array(Rule)

/** The operator's rule for a route; null if there is none. */
export type RouteRules = (source: Token, destination: Token) => RouteRule | null

interface Listed {
  /** All networks with a file, including those that are left out now. */
  files: readonly string[]
  networks: readonly Network[]
  /** All tokens ever listed: a rule may name a delisted one. */
  known: readonly Token[]
}

/**
 * A pair closed by a name that never existed would stay open, so that is an error. `gone` is called for rules that no
 * longer match anything.
 */
export function readRouteRules(file: string, listed: Listed, gone: (rule: string) => void = () => {}): RouteRules {
  if (!existsSync(file)) return () => null
  const parsed = Rules.safeParse(readJson(file))
  const problems = parsed.success
    ? parsed.data.flatMap((rule, at) => [
        ...strange(rule.source, `${at}.source`, listed, gone),
        ...strange(rule.destination, `${at}.destination`, listed, gone),
      ])
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError(`${file} has problems:\n  - ${problems.join('\n  - ')}`)
  }
  return routeRules(parsed.data)
}

function strange(end: End, at: string, { files, networks, known }: Listed, gone: (rule: string) => void): string[] {
  const { network, token } = end
  const found = networks.find(({ name }) => network !== undefined && isSame(network, name))
  if (network !== undefined && !found && !files.some((name) => isSame(name, network))) {
    if (!known.some((one) => isSame(network, one.network))) return [`${at}.network: there is no network ${network}`]
    gone(`${at}.network: ${network} is not listed any more`)
    return []
  }
  // The tokens of a network that is left out are unknown, so they cannot be checked.
  if (!found || token === undefined || found.tokens.some((one) => fits(end, one))) return []
  if (!known.some((one) => fits(end, one))) return [`${at}.token: there is no ${token} on ${found.name}`]
  gone(`${at}.token: ${token} is not listed on ${found.name} any more`)
  return []
}

export function routeRules(rules: readonly z.input<typeof Rule>[]): RouteRules {
  const parsed = Rules.parse(rules)
  return (source, destination) =>
    parsed.find((rule) => fits(rule.source, source) && fits(rule.destination, destination)) ?? null
}

/** Whether a token matches one end of a rule. Case-insensitive: explorers write contracts in mixed case. */
function fits({ network, token }: End, { network: name, symbol, group, contract }: Token): boolean {
  if (network !== undefined && !isSame(network, name)) return false
  return token === undefined || [symbol, group, contract].some((known) => known !== null && isSame(token, known))
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
