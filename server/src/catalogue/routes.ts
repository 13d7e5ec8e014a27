/**
 * What the operator set for single routes in `networks/routes.json`: fees, bounds, and pairs that are closed or need a
 * swap provider. The first entry that fits a route decides; where none fits, the configuration's defaults hold.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Token } from '@causeway/core'
import { z } from 'zod'
import { ConfigError } from '../config.ts'

/** One end of a route: a network, a token (its symbol, family or contract), both, or anything. */
const End = z.strictObject({ network: z.string().optional(), token: z.string().optional() })

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

/** Null where the operator said nothing about the route. */
export type RouteRules = (source: Token, destination: Token) => RouteRule | null

export function readRouteRules(file: string): RouteRules {
  if (!existsSync(file)) return () => null
  const parsed = Rules.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (parsed.success) return routeRules(parsed.data)
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError(`${file} has problems:\n  - ${problems.join('\n  - ')}`)
}

export function routeRules(rules: readonly z.input<typeof Rule>[]): RouteRules {
  const parsed = Rules.parse(rules)
  return (source, destination) =>
    parsed.find((rule) => fits(rule.source, source) && fits(rule.destination, destination)) ?? null
}

function fits({ network, token }: z.infer<typeof End>, { network: name, symbol, group, contract }: Token): boolean {
  if (network !== undefined && network !== name) return false
  return token === undefined || token === symbol || token === group || token === contract
}
