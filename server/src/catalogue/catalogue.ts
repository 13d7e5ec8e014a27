/** Reads the network files of one environment, checks them, and brings contract addresses to their canonical form. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { type Catalogue, catalogueOf, type Network, type PrivateSubmission, type TokenNaming } from '@causeway/core'
import { readJson } from '../config/json.ts'
import { ConfigError } from '../config.ts'
import { FamilyMissing } from './chains.ts'
import { NetworkFile } from './network-file.ts'
import { aggregatorsOf, providersOf } from './network-providers.ts'

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
  const closed: Network[] = []
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const parsed = NetworkFile.safeParse(readJson(path.join(folder, file)))
    if (!parsed.success) {
      problems.push(...parsed.error.issues.map((issue) => `${file}: ${issue.path.join('.')}: ${issue.message}`))
      continue
    }
    const { name, inactive } = parsed.data
    if (inactive) {
      skipped.push(name)
      // The nodes of a closed network are never called, even if some are configured.
      closed.push({ ...toNetwork(parsed.data, {}), nodes: [] })
      onSkipped(name, inactive)
      continue
    }
    const family = await naming(parsed.data.type).catch((error) => {
      if (error instanceof FamilyMissing) return error
      throw error
    })
    if (family instanceof FamilyMissing) {
      skipped.push(name)
      onSkipped(name, family.message)
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
    const providers = providersOf(parsed.data.providers ?? [], network.tokens, parseAddress, (text) => {
      problems.push(`${file}: ${text}`)
    })
    if (providers.length > 0) network.providers = providers
    const aggregators = aggregatorsOf(parsed.data.aggregators ?? [], providers, parseAddress, (text) => {
      problems.push(`${file}: ${text}`)
    })
    if (aggregators.length > 0) network.aggregators = aggregators
    networks.push(network)
  }
  for (const name of Object.keys(nodes)) {
    if (!networks.some((network) => network.name === name) && !skipped.includes(name))
      problems.push(`NODES_${name}: there is no such network`)
  }
  if (networks.length === 0 && problems.length === 0) problems.push(`${folder} holds no network file`)
  if (problems.length > 0) throw new ConfigError(`the network files have problems:\n  - ${problems.join('\n  - ')}`)
  return catalogueOf(networks, undefined, closed)
}

/**
 * Only networks with a node: without one, no deposit could be seen or paid, and an error would be logged every second.
 * Stored swaps wait until a node is configured.
 */
export function withNodes(catalogue: Catalogue, onSkipped: (network: string, reason: string) => void): Catalogue {
  const networks = catalogue.networks.filter(({ name, nodes }) => {
    if (nodes.length === 0) onSkipped(name, `no node is known: name one in NODES_${name}`)
    return nodes.length > 0
  })
  if (networks.length === 0) throw new ConfigError('no network has a node: name some in NODES_<NETWORK>')
  return catalogueOf(networks, undefined, catalogue.closed)
}

/** Adds the private endpoints of the settings. */
export function withSubmissions(catalogue: Catalogue, submissions: Record<string, PrivateSubmission>): Catalogue {
  const problems = Object.keys(submissions).flatMap((name) => {
    const network = [...catalogue.networks, ...catalogue.closed].find((one) => one.name === name)
    if (!network) return [`PRIVATE_SUBMISSION_${name}: there is no such network, or it has no node`]
    return network.providers ? [] : [`PRIVATE_SUBMISSION_${name}: the network's file lists no exchanges`]
  })
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const networks = catalogue.networks.map((network) => {
    const privateSubmission = submissions[network.name]
    return privateSubmission ? { ...network, privateSubmission } : network
  })
  return catalogueOf(networks, undefined, catalogue.closed)
}

export function toNetwork(file: NetworkFile, nodes: Record<string, string[]>): Network {
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
    ...(token.sent_decimals === undefined ? {} : { sentDecimals: token.sent_decimals }),
    ...(token.listed ? {} : { unlisted: true as const }),
    ...(token.pool_only ? { poolOnly: true as const } : {}),
  }))
  const nativeToken = tokens.find(({ contract }) => contract === null)
  if (!nativeToken) throw new ConfigError(`${file.name} has no native token`)
  const notice = file.notice ?? file.inactive
  return {
    name: file.name,
    ...(file.aliases ? { aliases: file.aliases } : {}),
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
    ...(notice === undefined ? {} : { notice }),
    settings: file.settings,
  }
}

/** The idle poll interval. Networks with a short poll interval are local ones: their requests cost nothing. */
function idleOf(pollMs: number): number {
  return pollMs < QUICK_POLL_MS ? pollMs : Math.max(pollMs, IDLE_POLL_MS)
}

const QUICK_POLL_MS = 300
const IDLE_POLL_MS = 30_000
