/** Networks and tokens in wire format. */
import { listedTokens, type Network, type Token } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import { depositMethods } from '../../catalogue/chains.ts'
import { asConstant } from '../http/json.ts'
import { fraction } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'

export function presentToken(viewpoint: PresentationContext, token: Token): wire.Token {
  return remembered(viewpoint.shown?.tokens, token, () => drawToken(viewpoint, token))
}

export function presentNetwork(viewpoint: PresentationContext, network: Network): wire.Network {
  return remembered(viewpoint.shown?.networks, network, () => drawNetwork(viewpoint, network))
}

function remembered<Key, Shown extends object>(known: Map<Key, Shown> | undefined, key: Key, draw: () => Shown): Shown {
  if (!known) return draw()
  const before = known.get(key)
  if (before !== undefined) return before
  const shown = asConstant(draw())
  known.set(key, shown)
  return shown
}

function drawToken({ services, baseUrl }: PresentationContext, token: Token): wire.Token {
  return {
    symbol: token.symbol,
    display_asset: token.displayAsset,
    logo: `${baseUrl}/logos/tokens/${encodeURIComponent(token.group ?? token.symbol)}.svg`,
    contract: token.contract ?? services.chains.get(token.network)?.walletContracts?.native ?? null,
    decimals: token.decimals,
    // A token without a price cannot be swapped, but the field must be a number.
    price_in_usd: fraction(services.market.price(token) ?? 0n),
    precision: token.precision,
    listing_date: token.listingDate,
    source_rank: token.sourceRank,
    destination_rank: token.destinationRank,
    group: token.group,
    supports_gasless_deposit: services.chains.get(token.network)?.gasless?.supports(token) ?? false,
  }
}

function drawNetwork(viewpoint: PresentationContext, network: Network): wire.Network {
  const { services, baseUrl } = viewpoint
  const nodes = shownNodes(viewpoint, network)
  const chain = services.chains.get(network.name)
  const contracts = chain?.walletContracts?.byName()
  const contractOf = (name: string) => contracts?.[name] ?? setting(network, name)
  return {
    name: network.name,
    display_name: network.displayName,
    logo: `${baseUrl}/logos/networks/${network.name}.svg`,
    chain_id: network.chainId,
    node_url: nodes[0] ?? null,
    nodes,
    type: network.type,
    transaction_explorer_template: network.transactionExplorer,
    account_explorer_template: network.accountExplorer,
    source_rank: network.sourceRank,
    destination_rank: network.destinationRank,
    token: presentToken(viewpoint, network.nativeToken),
    metadata: {
      listing_date: network.listingDate,
      evm_oracle_contract: contractOf('evm_oracle_contract'),
      evm_multicall_contract: contractOf('evm_multicall_contract'),
      zks_paymaster_contract: contractOf('zks_paymaster_contract'),
      watchdog_contract: contractOf('watchdog_contract'),
    },
    deposit_methods: depositMethods(chain),
    ...(network.notice !== undefined && { notice: network.notice }),
  }
}

export function presentListedNetwork(viewpoint: PresentationContext, network: Network): wire.ListedNetwork {
  return {
    ...presentNetwork(viewpoint, network),
    tokens: listedTokens(network).map((token) => presentToken(viewpoint, token)),
  }
}

/**
 * The network files list public nodes. Nodes that the operator configured may carry an access key and are hidden,
 * except nodes on this machine: the sandbox's wallets need those.
 */
function shownNodes({ services }: PresentationContext, { name, nodes }: Network): string[] {
  const shown = services.config.nodes[name] === undefined ? nodes : nodes.filter(isLocal)
  return shown.filter((address) => !mayHoldSecret(address))
}

/**
 * Whether a node's address may contain an access key: in the user part, the query, a path segment, or a long subdomain.
 */
function mayHoldSecret(address: string): boolean {
  const { username, password, search, pathname, hostname } = new URL(address)
  const isLikeKey = (part: string) => part.length > 16 || (part.length > 8 && /\d/.test(part) && /[A-Z]/.test(part))
  const isLikeLabel = (label: string) => /^[0-9a-f-]{16,}$|^[0-9a-z]{24,}$/.test(label)
  return (
    username !== '' ||
    password !== '' ||
    search !== '' ||
    pathname.split('/').some(isLikeKey) ||
    hostname.split('.').some(isLikeLabel)
  )
}

function isLocal(address: string): boolean {
  const { hostname } = new URL(address)
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

function setting({ settings }: Network, name: string): string | null {
  const value = settings[name]
  return typeof value === 'string' ? value : null
}
