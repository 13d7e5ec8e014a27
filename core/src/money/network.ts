/**
 * Networks and tokens as the catalogue (`networks/*.json`) describes them, and how a caller names one: a network by
 * name or chain id, a token by contract, by the family's zero address, or by symbol. A symbol is only a label.
 */
import type { Address } from './address.ts'
import { Bug } from './errors.ts'
import type { NetworkType } from './vocabulary.ts'

export interface Token {
  network: string
  symbol: string
  displayAsset: string
  /** Canonical for its family; null for the native token. */
  contract: string | null
  decimals: number
  /** How many decimals people are shown. */
  precision: number
  /** How many decimals an amount that is sent may have, where the chain cannot write them all. */
  sentDecimals?: number
  /** The token family (ETH, USDC), the same across networks. */
  group: string | null
  listingDate: string
  sourceRank: number
  destinationRank: number
  /** No new swap is made of it or into it; those that there are come to their end. */
  unlisted?: true
}

/** Confirmations wanted for a deposit worth up to so many dollars; the last tier has no bound. */
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
  /** Every token, the native one included. */
  tokens: Token[]
  confirmations: ConfirmationTier[]
  /** The depth at which a block is taken as final: proof of death and reconciliation read there. */
  finalDepth: number
  /** How often the head is asked for. */
  pollMs: number
  /** The same while nobody waits for the network; `pollMs` where absent. */
  idlePollMs?: number
  /** Requests that its nodes may be asked a minute by one process; as many as are needed where absent. */
  maxRequestsPerMinute?: number
  /** Nodes that must agree on what money depends on; one where absent. */
  quorum?: number
  /** How long a block takes; absent where that is a matter of seconds. */
  blockMs?: number
  /** After how long a transfer that is sent and not in a block counts as stuck; the service's own setting where absent. */
  stuckAfterMs?: number
  /** How long a deposit that is nearly what was asked for waits for the rest; `TOP_UP_MS` where absent. */
  topUpMs?: number
  /** The family's own settings, read by the family only. */
  settings: Record<string, unknown>
}

export function findNetwork(networks: readonly Network[], text: string): Network | null {
  return (
    networks.find((network) => network.name === text) ??
    networks.find((network) => network.chainId !== null && network.chainId === text) ??
    networks.find((network) => network.name === text.toUpperCase()) ??
    null
  )
}

/** What is offered of a network. */
export function listedTokens({ tokens }: Network): Token[] {
  return tokens.filter(({ unlisted }) => !unlisted)
}

/** What the catalogue must know of a family to tell its tokens apart. */
export interface TokenNaming {
  /** How the family names its native token where an address is wanted. */
  nativeAddress: string
  parseAddress(text: string): Address | null
}

export function findToken(network: Network, text: string, naming: TokenNaming): Token | null {
  const address = naming.parseAddress(text)
  const native = naming.nativeAddress
  if (text.toLowerCase() === native.toLowerCase()) return network.nativeToken
  if (address !== null && address === naming.parseAddress(native)) return network.nativeToken
  // A symbol may have passed on to another contract.
  const bySymbol = [...listedTokens(network), ...network.tokens]
  return (
    network.tokens.find((token) => token.contract !== null && token.contract === address) ??
    bySymbol.find((token) => token.symbol === text) ??
    bySymbol.find((token) => token.symbol.toUpperCase() === text.toUpperCase()) ??
    null
  )
}

/** Confirmations for a deposit of this worth. */
export function confirmationsFor(network: Network, usd: number): number {
  const tier = network.confirmations.find(({ upToUsd }) => upToUsd === null || usd <= upToUsd)
  return tier?.confirmations ?? network.finalDepth
}

/** How a token of a network is named in the database: by contract, since symbols may change. */
export function tokenKey(token: Pick<Token, 'contract'>): string {
  return token.contract ?? NATIVE
}

/** All that the books know of a token: it may be off the list by now. */
export type Coin = Pick<Token, 'network' | 'contract'>

export function coinOf(network: string, key: string): Coin {
  return { network, contract: key === NATIVE ? null : key }
}

const NATIVE = 'native'

/** Every network that the service knows. Lookups by stored keys; a key that was never there is a bug of ours. */
export interface Catalogue {
  /** Those that are listed now; what was listed once is found by its key only. */
  networks: readonly Network[]
  /** Halted or retired: they are shown, and that is all. Nobody asks their nodes, and no route leads there. */
  closed: readonly Network[]
  network(name: string): Network
  token(network: string, key: string): Token
}

/** `known`: what was listed once, and may be named by swaps that are stored. `closed`: what is only shown. */
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
