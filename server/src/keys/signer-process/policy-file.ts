/** Parses the policy file: networks, tokens, limits and approvers, checked against the signer's own catalogue. */
import { type Catalogue, type Family, findToken, type Network, parseDecimal, tokenKey } from '@causeway/core'
import { z } from 'zod'
import type { Families } from '../../catalogue/chains.ts'
import { ConfigError } from '../../config.ts'
import { readPublicKey } from '../approvals/approval.ts'
import { type ExchangeRules, ExchangesFile, exchangeRulesOf } from './exchange-rules.ts'

const Decimal = z.string().regex(/^\d+(\.\d+)?$/, 'must be a plain decimal in quotes, such as "2.5"')

const KINDS = ['transfers', 'sweep', 'call'] as const
export type Kind = (typeof KINDS)[number]

/** Amounts are in whole tokens. */
const TokenCeilings = z.strictObject({
  /** The limit for one transaction. */
  max: Decimal,
  /** The limits for any 60 minutes and for any 24 hours. */
  max_per_hour: Decimal,
  max_per_day: Decimal.optional(),
  /** A payment above the first amount needs one approval, above the second amount two. */
  approval_above: Decimal.optional(),
  two_approvals_above: Decimal.optional(),
})

const PolicyFile = z.strictObject({
  /** The accepted approvers: Ed25519 public keys in hex, by name. */
  approvers: z.record(z.string(), z.string()).default({}),
  networks: z.record(
    z.string(),
    z.strictObject({
      kinds: z.array(z.enum(KINDS)).default(['transfers', 'sweep']),
      /** The only recipients that a transfer may pay; absent allows any recipient. */
      destinations: z.array(z.string()).optional(),
      /** The only addresses that a withdrawal may pay; absent allows no withdrawal. */
      withdrawals: z.array(z.string()).default([]),
      tokens: z.record(z.string(), TokenCeilings),
      /** The highest fee in native coins of one transaction, and of all transactions within any 60 minutes. */
      max_fee: Decimal.optional(),
      max_fees_per_hour: Decimal.optional(),
      max_orders_per_hour: z.int().positive().optional(),
      /** Allows exchanges through swap providers, and the approvals that they need; absent allows none. */
      exchanges: ExchangesFile.optional(),
    }),
  ),
})

interface Ceilings {
  max: bigint
  perHour: bigint
  perDay: bigint | null
  approvalAbove: bigint | null
  twoApprovalsAbove: bigint | null
}

export interface NetworkRules {
  kinds: ReadonlySet<Kind>
  destinations: ReadonlySet<string> | null
  withdrawals: ReadonlySet<string>
  tokens: ReadonlyMap<string, Ceilings>
  /**
   * The fee limit of one transaction; null if the family cannot compute a fee. `each`: the limit is per payment or
   * address in it.
   */
  maxFee: { units: bigint; each: boolean } | null
  maxFeesPerHour: bigint | null
  maxOrdersPerHour: number | null
  /** Null if no exchange is allowed. */
  exchanges: ExchangeRules | null
}

export interface PolicyRules {
  networks: ReadonlyMap<string, NetworkRules>
  /** The approvers' public keys. */
  approvers: ReadonlySet<string>
}

export async function readRules(file: unknown, catalogue: Catalogue, families: Families): Promise<PolicyRules> {
  const parsed = PolicyFile.safeParse(file)
  if (!parsed.success) {
    throw problemsOf(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
  }
  const problems: string[] = []
  const approvers = new Set(Object.values(parsed.data.approvers))
  for (const [name, key] of Object.entries(parsed.data.approvers)) {
    if (!readPublicKey(key)) problems.push(`approvers.${name}: not an ed25519 public key in hex`)
  }
  if (approvers.size < Object.keys(parsed.data.approvers).length) problems.push('approvers: one key has two names')
  const networks = new Map<string, NetworkRules>()
  for (const [name, entry] of Object.entries(parsed.data.networks)) {
    const network = catalogue.networks.find((candidate) => candidate.name === name)
    if (!network) problems.push(`${name}: there is no such network`)
    else networks.set(name, rulesOf(network, await families(network.type), entry, approvers.size, problems))
  }
  if (problems.length > 0) throw problemsOf(problems)
  return { networks, approvers }
}

function problemsOf(problems: readonly string[]): ConfigError {
  return new ConfigError(`the signer's policy has problems:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
}

type Entry = z.infer<typeof PolicyFile>['networks'][string]

function rulesOf(network: Network, family: Family, entry: Entry, approvers: number, problems: string[]): NetworkRules {
  const complain = (problem: string) => void problems.push(`${network.name}: ${problem}`)
  const unitsOf = (text: string, decimals: number, what: string): bigint => {
    const units = parseDecimal(text, decimals)
    if (units === null) complain(`${what}: ${text} has more than ${decimals} decimals`)
    return units ?? 0n
  }
  const tokens = new Map<string, Ceilings>()
  for (const [label, ceilings] of Object.entries(entry.tokens)) {
    const token = findToken(network, label, family)
    if (!token) {
      complain(`there is no token ${label}`)
      continue
    }
    const units = (text: string) => unitsOf(text, token.decimals, label)
    const optional = (text: string | undefined) => (text === undefined ? null : units(text))
    const read: Ceilings = {
      max: units(ceilings.max),
      perHour: units(ceilings.max_per_hour),
      perDay: optional(ceilings.max_per_day),
      approvalAbove: optional(ceilings.approval_above),
      twoApprovalsAbove: optional(ceilings.two_approvals_above),
    }
    if (tokens.has(tokenKey(token))) complain(`${label}: the token is listed twice`)
    for (const problem of approvalProblems(read, approvers)) complain(`${label}: ${problem}`)
    tokens.set(tokenKey(token), read)
  }
  const addressIn = (text: string) => {
    const address = family.parseAddress(text)
    if (address === null) complain(`${text} is no address of this network`)
    return address ?? text
  }
  const native = (text: string, what: string) => unitsOf(text, network.nativeToken.decimals, what)
  const bounds = family.feeBounds?.(network) ?? null
  if (entry.max_fee && bounds === null) complain('max_fee: the family cannot tell its fees to a signer')
  const usual = bounds && { units: bounds.payment, each: true }
  const maxFee = entry.max_fee ? { units: native(entry.max_fee, 'max_fee'), each: false } : usual
  return {
    kinds: new Set(entry.kinds),
    destinations: entry.destinations ? new Set(entry.destinations.map(addressIn)) : null,
    withdrawals: new Set(entry.withdrawals.map(addressIn)),
    tokens,
    maxFee,
    maxFeesPerHour: entry.max_fees_per_hour
      ? native(entry.max_fees_per_hour, 'max_fees_per_hour')
      : (bounds?.hour ?? null),
    maxOrdersPerHour: entry.max_orders_per_hour ?? null,
    exchanges: entry.exchanges
      ? exchangeRulesOf(
          entry.exchanges,
          { token: (label) => findToken(network, label, family), address: addressIn },
          complain,
        )
      : null,
  }
}

function approvalProblems({ approvalAbove, twoApprovalsAbove }: Ceilings, approvers: number): string[] {
  const problems: string[] = []
  if (approvalAbove !== null && approvers === 0) problems.push('approval_above needs somebody among the approvers')
  if (twoApprovalsAbove === null) return problems
  if (approvers < 2) problems.push('two_approvals_above needs two approvers')
  if (approvalAbove === null || twoApprovalsAbove < approvalAbove) {
    problems.push('two_approvals_above must not be below approval_above, which it needs')
  }
  return problems
}
