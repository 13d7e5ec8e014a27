/**
 * Networks and tokens as the catalogue (`networks/*.json`) describes them, and how a caller names one: a network by
 * name or chain id, a token by contract, by the family's zero address, or by symbol. A symbol is only a label.
 */
import type { Address } from './address.ts'
import { Bug } from './errors.ts'
import { NAMED_BY_CHAIN_ID, type NetworkType } from './vocabulary.ts'

export interface Token {
  network: string
  symbol: string
  displayAsset: string
  /** The contract address in the family's canonical form; null for the native token. */
  contract: string | null
  decimals: number
  /** The number of decimals shown to users. */
  precision: number
  /** The number of decimals that a transfer can carry, if the chain supports fewer than `decimals`. */
  sentDecimals?: number
  /** The asset that the token represents (ETH, USDC), the same on all networks. */
  group: string | null
  listingDate: string
  sourceRank: number
  destinationRank: number
  /** New swaps from or to this token are rejected; existing swaps finish. */
  unlisted?: true
  /** A pool token: the treasury does not hold it, and a swap provider of the network exchanges it. */
  poolOnly?: true
}

export const POOL_KINDS = ['uniswap_v2', 'uniswap_v3'] as const
export type PoolKind = (typeof POOL_KINDS)[number]

/** A pool of an on-chain exchange. */
export interface Pool {
  kind: PoolKind
  address: Address
  /** The two token contracts in the pool's own order. The native token is named by its wrapped contract. */
  token0: Address
  token1: Address
  /** The pool's fee in parts per million: 3000 is 0.3 %. For V3 it is the fee tier. */
  feePpm: number
}

/** A swap provider of a network: the contracts of an exchange, and the pools that may be used. */
export interface Provider {
  name: string
  kind: PoolKind
  factory: Address
  router: Address
  /** The contract that quotes exactly; null for V2, whose router does. */
  quoter: Address | null
  /** The token that the treasury holds: one side of every pool. */
  hub: Token
  /** The contract by which pools name the native token. */
  wrappedNative: Address | null
  pools: readonly Pool[]
}

export const AGGREGATOR_KINDS = ['oneinch_v6'] as const
export type AggregatorKind = (typeof AGGREGATOR_KINDS)[number]

/** An HTTP aggregator of a network. It may execute an exchange whose pair a provider's pool quotes. */
export interface Aggregator {
  name: string
  kind: AggregatorKind
  /** The only contract that its calls may go to, and that may be approved for them. */
  router: Address
  /** The address of its API, without the chain id. */
  url: string
}

/** The methods by which private endpoints take a signed transaction. */
export const PRIVATE_METHODS = ['eth_sendRawTransaction', 'eth_sendPrivateTransaction'] as const

/** An endpoint that takes transactions without showing them to public nodes. */
export interface PrivateSubmission {
  url: string
  method: (typeof PRIVATE_METHODS)[number]
}

/** Confirmations required for a deposit worth up to `upToUsd`; the last tier has no bound. */
export interface ConfirmationTier {
  upToUsd: number | null
  confirmations: number
}

export interface Network {
  name: string
  displayName: string
  type: NetworkType
  chainId: string | null
  nodes: string[]
  transactionExplorer: string
  accountExplorer: string
  listingDate: string
  sourceRank: number
  destinationRank: number
  nativeToken: Token
  /** Every token, including the native one. */
  tokens: Token[]
  confirmations: ConfirmationTier[]
  /** The depth at which a block counts as final. Invalidation proofs and reconciliation read at this depth. */
  finalDepth: number
  /** How often the watcher polls the head. */
  pollMs: number
  /** The poll interval while no swap or payout waits for this network. Default: `pollMs`. */
  idlePollMs?: number
  /** Limit of node requests per minute and process. Default: unlimited. */
  maxRequestsPerMinute?: number
  /** How many nodes must agree on anything that money depends on. Default: 1. */
  quorum?: number
  /** The block time. Omit it if it is a few seconds or less. */
  blockMs?: number
  /** After this time a broadcast transaction without a block counts as stuck. Default: the service's setting. */
  stuckAfterMs?: number
  /** Other names that callers may use. */
  aliases?: readonly string[]
  /** How long a deposit that nearly covers the request waits for the rest. Default: `TOP_UP_MS`. */
  topUpMs?: number
  /** The swap providers; none if absent. */
  providers?: readonly Provider[]
  /** The aggregators that may execute an exchange; none if absent. */
  aggregators?: readonly Aggregator[]
  /** Where exchanges are sent instead of the nodes; to the nodes if absent. */
  privateSubmission?: PrivateSubmission
  /** A sentence that clients show beside its name, such as why it is closed. */
  notice?: string
  /** Settings that only the family reads. */
  settings: Record<string, unknown>
}

/**
 * Finds a network by name or alias. Only EVM networks are also found by chain id: chain ids of other families are not
 * unique.
 */
export function findNetwork(networks: readonly Network[], text: string): Network | null {
  return (
    networks.find((network) => network.name === text) ??
    networks.find((network) => NAMED_BY_CHAIN_ID.includes(network.type) && network.chainId === text) ??
    networks.find((network) => network.name === text.toUpperCase()) ??
    networks.find((network) => network.aliases?.includes(text.toUpperCase())) ??
    null
  )
}

/** The tokens that new swaps may use. */
export function listedTokens({ tokens }: Network): Token[] {
  return tokens.filter(({ unlisted }) => !unlisted)
}

/** What `findToken` needs from a family to parse token names. */
export interface TokenNaming {
  /** How callers write the native token in place of a contract address. */
  nativeAddress: string
  parseAddress(text: string): Address | null
}

/** Finds a token by contract, zero address or symbol. If the native token has a contract, its address works, too. */
export function findToken(
  network: Network,
  text: string,
  naming: TokenNaming & { walletContracts?: { native?: Address } },
): Token | null {
  const address = naming.parseAddress(text)
  const native = naming.nativeAddress
  if (text.toLowerCase() === native.toLowerCase()) return network.nativeToken
  const natives = [native, naming.walletContracts?.native ?? native]
  if (address !== null && natives.some((known) => naming.parseAddress(known) === address)) return network.nativeToken
  // Prefer listed tokens: a symbol may have moved to another contract.
  const bySymbol = [...listedTokens(network), ...network.tokens]
  return (
    network.tokens.find((token) => token.contract !== null && token.contract === address) ??
    bySymbol.find((token) => token.symbol === text) ??
    bySymbol.find((token) => token.symbol.toUpperCase() === text.toUpperCase()) ??
    null
  )
}

/** Confirmations required for a deposit worth `usd`. */
export function confirmationsFor(network: Network, usd: number): number {
  const tier = network.confirmations.find(({ upToUsd }) => upToUsd === null || usd <= upToUsd)
  return tier?.confirmations ?? network.finalDepth
}

/** The asset that price sources know a token by, on any network. */
export function assetOf({ group, symbol }: Pick<Token, 'group' | 'symbol'>): string {
  return group ?? symbol
}

/** A token's key in the database. It is the contract, since symbols may change. */
export function tokenKey(token: Pick<Token, 'contract'>): string {
  return token.contract ?? NATIVE
}

/** The part of a token that the ledger stores. The token may be delisted by now. */
export type Coin = Pick<Token, 'network' | 'contract'>

export function coinOf(network: string, key: string): Coin {
  return { network, contract: key === NATIVE ? null : key }
}

const NATIVE = 'native'

/** All known networks and tokens. Lookups use keys from the database, so a missing key is a bug. */
export interface Catalogue {
  /** The networks listed now. Networks that were removed are found only by key. */
  networks: readonly Network[]
  /** Halted or retired networks: shown only. Their nodes are never called, and no route uses them. */
  closed: readonly Network[]
  network(name: string): Network
  token(network: string, key: string): Token
}

/** `known`: delisted networks and tokens that stored swaps may still name. `closed`: networks that are only shown. */
export function catalogueOf(
  networks: readonly Network[],
  known: { networks: readonly Network[]; tokens: readonly Token[] } = { networks: [], tokens: [] },
  closed: readonly Network[] = [],
): Catalogue {
  const former = known.tokens.map((token): Token => ({ ...token, unlisted: true }))
  const byName = new Map([...known.networks, ...networks].map((network) => [network.name, network]))
  const byKey = new Map(
    [...former, ...networks.flatMap(({ tokens }) => tokens)].map((token) => [
      keyOf(token.network, tokenKey(token)),
      token,
    ]),
  )
  return {
    networks,
    closed,
    network: (name) => found(byName.get(name), name),
    token: (network, key) => found(byKey.get(keyOf(network, key)), `${network} ${key}`),
  }
}

function keyOf(network: string, key: string): string {
  return `${network} ${key}`
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Bug('the catalogue has no such entry', { name })
  return value
}
