/**
 * Networks and tokens as the catalogue (`networks/*.json`) describes them, and how a caller names one: a network by
 * name or chain id, a token by contract, by the family's zero address, or by symbol. A symbol is only a label.
 */
import type { Address } from './chain.ts'

export const NETWORK_TYPES = [
  'evm',
  'starknet',
  'solana',
  'cosmos',
  'starkex',
  'zksynclite',
  'ton',
  'paradex',
  'tron',
  'fuel',
  'bitcoin',
  'hyperliquid',
] as const

/** The families of the specification. The simulated family, used by tests, borrows one of these names. */
export type NetworkType = (typeof NETWORK_TYPES)[number]

export interface Token {
  network: string
  symbol: string
  displayAsset: string
  /** Canonical for its family; null for the native token. */
  contract: string | null
  decimals: number
  /** How many decimals people are shown. */
  precision: number
  /** The token family (ETH, USDC), the same across networks. */
  group: string | null
  listingDate: string
  sourceRank: number
  destinationRank: number
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

/** What the catalogue must know of a family to tell its tokens apart. */
export interface TokenNaming {
  /** How the family names its native token where an address is wanted. */
  nativeAddress: string
  parseAddress(text: string): Address | null
}

export function findToken(network: Network, text: string, naming: TokenNaming): Token | null {
  if (text.toLowerCase() === naming.nativeAddress.toLowerCase()) return network.nativeToken
  const address = naming.parseAddress(text)
  return (
    network.tokens.find((token) => token.contract !== null && token.contract === address) ??
    network.tokens.find((token) => token.symbol === text) ??
    network.tokens.find((token) => token.symbol.toUpperCase() === text.toUpperCase()) ??
    null
  )
}

/** Confirmations for a deposit of this worth. */
export function confirmationsFor(network: Network, usd: number): number {
  const tier = network.confirmations.find(({ upToUsd }) => upToUsd === null || usd <= upToUsd)
  return tier?.confirmations ?? network.finalDepth
}
