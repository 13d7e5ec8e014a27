/**
 * Facts about chains and tokens from pinned packages: our network files are compared with them and drafted from them.
 */
import { tokens as aaveTokens } from '@bgd-labs/aave-address-book/tokenlist'
import uniswap from '@uniswap/default-token-list/build/uniswap-default.tokenlist.json' with { type: 'json' }
import type { Chain } from 'viem'
import * as viemChains from 'viem/chains'
import { tokens as viemTokens } from 'viem/tokens'

/** A token as one package lists it. */
export interface BookToken {
  source: Source
  chainId: number
  /** In the chain's own spelling. */
  address: string
  symbol: string
  decimals: number
}

export interface Books {
  /** All chains with this id: old test networks share some ids. */
  chains(id: number): Chain[]
  /** By its export name in `viem/chains`. */
  chainNamed(name: string): Chain | null
  tokens(chainId: number): BookToken[]
}

/** The packages that may confirm an address, by their name in our files. */
export const SOURCES = ['viem/tokens', '@uniswap/default-token-list', '@bgd-labs/aave-address-book'] as const
type Source = (typeof SOURCES)[number]

/** The token list's chain id for Solana. */
export const SOLANA = 501_000_101

export function openBooks(): Books {
  const named = new Map<string, Chain>()
  for (const [name, chain] of Object.entries<unknown>(viemChains)) if (isChain(chain)) named.set(name, chain)
  const all = [...new Set(named.values())]
  const tokens = Map.groupBy(everyToken(), ({ chainId }) => chainId)
  return {
    chains: (id) => all.filter((chain) => chain.id === id),
    chainNamed: (name) => named.get(name) ?? null,
    tokens: (chainId) => tokens.get(chainId) ?? [],
  }
}

function isChain(value: unknown): value is Chain {
  return typeof value === 'object' && value !== null && 'id' in value && 'nativeCurrency' in value
}

function everyToken(): BookToken[] {
  return [
    ...viemTokens.all.flatMap(({ addresses, symbol, decimals }) =>
      Object.entries(addresses).map(([chainId, address]) => ({
        source: 'viem/tokens' as const,
        chainId: Number(chainId),
        address: String(address),
        symbol,
        decimals,
      })),
    ),
    ...uniswap.tokens.map(({ chainId, address, symbol, decimals }) => ({
      source: '@uniswap/default-token-list' as const,
      chainId,
      address,
      symbol,
      decimals,
    })),
    // Aave's own receipt tokens (aTokens and the like) are not offered.
    ...aaveTokens
      .filter(({ tags }) => tags.some((tag) => tag === 'underlying'))
      .map(({ chainId, address, symbol, decimals }) => ({
        source: '@bgd-labs/aave-address-book' as const,
        chainId,
        address,
        symbol,
        decimals,
      })),
  ]
}

export function sameAddress(a: string, b: string): boolean {
  return a.startsWith('0x') ? a.toLowerCase() === b.toLowerCase() : a === b
}

/** Some names differ between packages and contracts; a bridged coin's `.e` is part of its name. */
export function sameSymbol(a: string, b: string): boolean {
  return spelled(a) === spelled(b)
}

function spelled(symbol: string): string {
  return symbol
    .replaceAll('₮', 'T')
    .toUpperCase()
    .replace(/^USDT0$/, 'USDT')
}
