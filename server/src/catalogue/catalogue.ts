/** Reads the network files of one environment, checks them, and brings contract addresses to their canonical form. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Catalogue, catalogueOf, NETWORK_TYPES, type Network, type TokenNaming } from '@causeway/core'
import { z } from 'zod'
import { ConfigError } from '../config.ts'
import { FamilyMissing } from './chains.ts'

const TokenFile = z.strictObject({
  symbol: z.string().min(1),
  display_asset: z.string().min(1),
  contract: z.string().nullable(),
  decimals: z.int().min(0).max(36),
  precision: z.int().min(0).max(18),
  group: z.string().nullable(),
  listing_date: z.iso.datetime({ offset: true }),
  source_rank: z.int(),
  destination_rank: z.int(),
  /** False: no new swaps of it; those that there are still end. */
  listed: z.boolean().default(true),
})

const NetworkFile = z.strictObject({
  name: z.string().regex(/^[A-Z0-9_]+$/),
  display_name: z.string().min(1),
  type: z.enum(NETWORK_TYPES),
  chain_id: z.string().nullable(),
  nodes: z.array(z.url()),
  transaction_explorer: z.string().includes('{0}'),
  account_explorer: z.string().includes('{0}'),
  listing_date: z.iso.datetime({ offset: true }),
  source_rank: z.int(),
  destination_rank: z.int(),
  confirmations: z
    .array(z.strictObject({ up_to_usd: z.number().positive().nullable(), confirmations: z.int().min(1) }))
    .min(1)
    .refine((tiers) => tiers.at(-1)?.up_to_usd === null, 'the last tier must have no bound (up_to_usd: null)'),
  final_depth: z.int().min(1),
  poll_ms: z.int().min(20),
  /** While nobody waits for the network; a late deposit is still to be seen within a minute. */
  idle_poll_ms: z.int().min(20).max(45_000).optional(),
  max_requests_per_minute: z.int().min(30).optional(),
  quorum: z.int().min(1).max(9).optional(),
  stuck_after_seconds: z.number().positive().optional(),
  top_up_seconds: z.number().positive().optional(),
  /** How long a block takes, where that is minutes: a quote holds for two of them. */
  block_seconds: z.number().positive().optional(),
  tokens: z
    .array(TokenFile)
    .refine((tokens) => tokens.filter(({ contract }) => contract === null).length === 1, 'exactly one token is native'),
  settings: z.record(z.string(), z.unknown()),
})

/** How each family of the files names its tokens. */
export type Namings = (type: Network['type']) => Promise<TokenNaming>

export async function readCatalogue(
  folder: string,
  nodes: Record<string, string[]>,
  naming: Namings,
  onSkipped: (network: string, reason: string) => void = () => undefined,
): Promise<Catalogue> {
  const problems: string[] = []
  const skipped: string[] = []
  const networks: Network[] = []
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const parsed = NetworkFile.safeParse(JSON.parse(readFileSync(path.join(folder, file), 'utf8')))
    if (!parsed.success) {
      problems.push(...parsed.error.issues.map((issue) => `${file}: ${issue.path.join('.')}: ${issue.message}`))
      continue
    }
    const family = await naming(parsed.data.type).catch((error) => {
      if (error instanceof FamilyMissing) return error
      throw error
    })
    if (family instanceof FamilyMissing) {
      skipped.push(parsed.data.name)
      onSkipped(parsed.data.name, family.message)
      continue
    }
    const { parseAddress } = family
    const network = toNetwork(parsed.data, nodes)
    for (const token of network.tokens) {
      if (token.contract === null) continue
      const contract = parseAddress(token.contract)
      if (contract === null) problems.push(`${file}: ${token.symbol}: ${token.contract} is no address of this network`)
      else token.contract = contract
    }
    networks.push(network)
  }
  for (const name of Object.keys(nodes)) {
    if (!networks.some((network) => network.name === name) && !skipped.includes(name))
      problems.push(`NODES_${name}: there is no such network`)
  }
  if (networks.length === 0 && problems.length === 0) problems.push(`${folder} holds no network file`)
  if (problems.length > 0) throw new ConfigError(`the network files have problems:\n  - ${problems.join('\n  - ')}`)
  return catalogueOf(networks)
}

function toNetwork(file: z.infer<typeof NetworkFile>, nodes: Record<string, string[]>): Network {
  const tokens = file.tokens.map((token) => ({
    network: file.name,
    symbol: token.symbol,
    displayAsset: token.display_asset,
    contract: token.contract,
    decimals: token.decimals,
    precision: Math.min(token.precision, token.decimals),
    group: token.group,
    listingDate: token.listing_date,
    sourceRank: token.source_rank,
    destinationRank: token.destination_rank,
    ...(token.listed ? {} : { unlisted: true as const }),
  }))
  const nativeToken = tokens.find(({ contract }) => contract === null)
  if (!nativeToken) throw new ConfigError(`${file.name} has no native token`)
  return {
    name: file.name,
    displayName: file.display_name,
    type: file.type,
    chainId: file.chain_id,
    nodes: nodes[file.name] ?? file.nodes,
    transactionExplorer: file.transaction_explorer,
    accountExplorer: file.account_explorer,
    listingDate: file.listing_date,
    sourceRank: file.source_rank,
    destinationRank: file.destination_rank,
    nativeToken,
    tokens,
    confirmations: file.confirmations.map((tier) => ({ upToUsd: tier.up_to_usd, confirmations: tier.confirmations })),
    finalDepth: file.final_depth,
    pollMs: file.poll_ms,
    idlePollMs: file.idle_poll_ms ?? idleOf(file.poll_ms),
    ...(file.max_requests_per_minute ? { maxRequestsPerMinute: file.max_requests_per_minute } : {}),
    ...(file.quorum ? { quorum: file.quorum } : {}),
    ...(file.stuck_after_seconds ? { stuckAfterMs: file.stuck_after_seconds * 1000 } : {}),
    ...(file.top_up_seconds ? { topUpMs: file.top_up_seconds * 1000 } : {}),
    ...(file.block_seconds ? { blockMs: file.block_seconds * 1000 } : {}),
    settings: file.settings,
  }
}

/** Networks of quick polls are local ones: they cost nobody anything. */
function idleOf(pollMs: number): number {
  return pollMs < QUICK_POLL_MS ? pollMs : Math.max(pollMs, IDLE_POLL_MS)
}

const QUICK_POLL_MS = 300
const IDLE_POLL_MS = 30_000
