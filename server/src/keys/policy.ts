/**
 * What the signer process signs for: a file of its own that lists networks, tokens and their ceilings. What is not
 * listed is refused. Reasons name no running totals, so that a payout held for one is told of once.
 */
import {
  type Catalogue,
  type Family,
  findToken,
  type Network,
  type Order,
  parseDecimal,
  tokenKey,
} from '@causeway/core'
import { z } from 'zod'
import type { Families } from '../catalogue/chains.ts'
import { ConfigError } from '../config.ts'

const Decimal = z.string().regex(/^\d+(\.\d+)?$/, 'must be a plain decimal in quotes, such as "2.5"')

const KINDS = ['transfers', 'sweep', 'call'] as const
type Kind = (typeof KINDS)[number]

const PolicyFile = z.strictObject({
  networks: z.record(
    z.string(),
    z.strictObject({
      kinds: z.array(z.enum(KINDS)).default(['transfers', 'sweep']),
      /** Whom a transfer may pay; anybody where it is absent. */
      destinations: z.array(z.string()).optional(),
      /** Whole tokens: in one transaction, and within any sixty minutes. */
      tokens: z.record(z.string(), z.strictObject({ max: Decimal, max_per_hour: Decimal })),
      /** The most native coins that one transaction may offer for fees. */
      max_fee: Decimal.optional(),
      max_orders_per_hour: z.int().positive().optional(),
      /** Paths of keys whose digests are signed here without proof of what they encode. */
      unproven_keys: z.array(z.string()).default([]),
    }),
  ),
})

interface Ceilings {
  max: bigint
  perHour: bigint
}

interface NetworkRules {
  kinds: ReadonlySet<Kind>
  destinations: ReadonlySet<string> | null
  tokens: ReadonlyMap<string, Ceilings>
  maxFee: bigint | null
  feeCeiling: Family['feeCeiling']
  maxOrdersPerHour: number | null
  unprovenKeys: readonly string[]
}

/** What was signed for within the last hour. */
export interface Outflow {
  units(network: string, token: string): bigint
  orders(network: string): number
}

export interface Policy {
  /** Why this order is not signed for at any time; null where nothing stands against it. */
  judge(network: string, order: Order): string | null
  /** Why it is not signed for now, if it is a new one. */
  judgeRate(network: string, order: Order, outflow: Outflow): string | null
  /** Why these terms are not signed; null where the fee is bounded, or not asked about. */
  judgeFee(network: string, draft: string | undefined): string | null
  isUnproven(network: string, path: string): boolean
}

export async function readPolicy(file: unknown, catalogue: Catalogue, families: Families): Promise<Policy> {
  const parsed = PolicyFile.safeParse(file)
  if (!parsed.success) {
    throw problemsOf(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
  }
  const problems: string[] = []
  const rules = new Map<string, NetworkRules>()
  for (const [name, entry] of Object.entries(parsed.data.networks)) {
    const network = catalogue.networks.find((candidate) => candidate.name === name)
    if (network) rules.set(name, rulesOf(network, await families(network.type), entry, problems))
    else problems.push(`${name}: there is no such network`)
  }
  if (problems.length > 0) throw problemsOf(problems)
  return policyOf(rules)
}

function problemsOf(problems: readonly string[]): ConfigError {
  return new ConfigError(`the signer's policy has problems:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
}

type Entry = z.infer<typeof PolicyFile>['networks'][string]

function rulesOf(network: Network, family: Family, entry: Entry, problems: string[]): NetworkRules {
  const complain = (problem: string) => void problems.push(`${network.name}: ${problem}`)
  const unitsOf = (text: string, decimals: number, what: string): bigint => {
    const units = parseDecimal(text, decimals)
    if (units === null) complain(`${what}: ${text} has more than ${decimals} decimals`)
    return units ?? 0n
  }
  const tokens = new Map<string, Ceilings>()
  for (const [label, { max, max_per_hour }] of Object.entries(entry.tokens)) {
    const token = findToken(network, label, family)
    if (!token) {
      complain(`there is no token ${label}`)
      continue
    }
    const { decimals } = token
    tokens.set(tokenKey(token), { max: unitsOf(max, decimals, label), perHour: unitsOf(max_per_hour, decimals, label) })
  }
  const destinations = entry.destinations?.map((text) => {
    const address = family.parseAddress(text)
    if (address === null) complain(`${text} is no address of this network`)
    return address ?? text
  })
  if (entry.max_fee && !family.feeCeiling) complain('max_fee: the family cannot tell its fees to a signer')
  return {
    kinds: new Set(entry.kinds),
    destinations: destinations ? new Set(destinations) : null,
    tokens,
    maxFee: entry.max_fee ? unitsOf(entry.max_fee, network.nativeToken.decimals, 'max_fee') : null,
    feeCeiling: family.feeCeiling,
    maxOrdersPerHour: entry.max_orders_per_hour ?? null,
    unprovenKeys: entry.unproven_keys,
  }
}

function policyOf(rules: ReadonlyMap<string, NetworkRules>): Policy {
  return {
    judge(name, order) {
      const network = rules.get(name)
      if (!network) return `the policy does not list the network ${name}`
      // It pays nobody, and keeps what was signed before in its slot from paying: nothing leaves but the fee.
      if (order.kind === 'cancel') return null
      const kind = order.kind === 'transfers' && order.call !== undefined ? 'call' : order.kind
      if (!network.kinds.has(kind)) return `the policy allows no ${kind} on ${name}`
      return order.kind === 'transfers' ? judgeTransfers(network, order, kind) : null
    },
    judgeRate(name, order, outflow) {
      const network = rules.get(name)
      if (!network) return `the policy does not list the network ${name}`
      if (network.maxOrdersPerHour !== null && outflow.orders(name) >= network.maxOrdersPerHour) {
        return `the orders of an hour on ${name} are used up`
      }
      for (const [token, units] of totalsOf(order)) {
        const ceilings = network.tokens.get(token)
        if (!ceilings || outflow.units(name, token) + units > ceilings.perHour) {
          return `the ceiling of an hour for ${token} on ${name} is reached`
        }
      }
      return null
    },
    judgeFee(name, draft) {
      const network = rules.get(name)
      if (!network || network.maxFee === null) return null
      if (draft === undefined || !network.feeCeiling) return 'the fee is not told, and the policy bounds it'
      const fee = feeOf(network.feeCeiling, draft)
      if (fee === null) return 'the fee cannot be read from the draft'
      return fee <= network.maxFee ? null : `the fee may reach ${fee} base units, above the ceiling`
    },
    isUnproven: (name, path) => rules.get(name)?.unprovenKeys.some((pattern) => matches(pattern, path)) ?? false,
  }
}

function judgeTransfers(
  { tokens, destinations }: NetworkRules,
  order: Extract<Order, { kind: 'transfers' }>,
  kind: Kind,
): string | null {
  if (order.transfers.length === 0 && kind !== 'call') return 'the order pays nobody'
  for (const { to, amount } of order.transfers) {
    if (destinations && !destinations.has(to)) return `the policy does not list the destination ${to}`
    if (amount.units <= 0n) return 'a transfer needs an amount'
  }
  for (const [token, units] of totalsOf(order)) {
    const ceilings = tokens.get(token)
    if (!ceilings) return `the policy does not list the token ${token}`
    if (units > ceilings.max) return `${units} base units of ${token} are above the ceiling of ${ceilings.max}`
  }
  return null
}

/** Base units by token that leave the wallet. A sweep only brings home. */
export function totalsOf(order: Order): Map<string, bigint> {
  const totals = new Map<string, bigint>()
  for (const { amount } of order.kind === 'transfers' ? order.transfers : []) {
    const key = tokenKey(amount.token)
    totals.set(key, (totals.get(key) ?? 0n) + amount.units)
  }
  return totals
}

function feeOf(feeCeiling: NonNullable<Family['feeCeiling']>, draft: string): bigint | null {
  try {
    return feeCeiling(draft)
  } catch {
    return null
  }
}

/** A path, or all paths below one that ends in `/*`. */
function matches(pattern: string, path: string): boolean {
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}
