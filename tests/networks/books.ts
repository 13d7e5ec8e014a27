/** What pinned packages say of chains and their tokens: what our network files are compared with and drafted from. */
import { tokens as aaveTokens } from '@bgd-labs/aave-address-book/tokenlist'
import uniswap from '@uniswap/default-token-list/build/uniswap-default.tokenlist.json' with { type: 'json' }
import type { Chain } from 'viem'
import * as viemChains from 'viem/chains'
import { tokens as viemTokens } from 'viem/tokens'

/** A token as one package has it. */
export interface BookToken {
  source: Source
  chainId: number
  /** In the chain's own spelling. */
  address: string
  symbol: string
  decimals: number
}

export interface Books {
  /** All that have this number: test networks of old share some with others. */
  chains(id: number): Chain[]
  /** By the name that `viem/chains` exports it under. */
  chainNamed(name: string): Chain | null
  tokens(chainId: number): BookToken[]
}

/** The packages that may confirm an address, by the name that a file gives. */
export const SOURCES = ['viem/tokens', '@uniswap/default-token-list', '@bgd-labs/aave-address-book'] as const
type Source = (typeof SOURCES)[number]

/** The number that the token list gives to Solana. */
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
    // Its own receipts (aTokens and the like) are no coins that anybody swaps.
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

/** Packages and contracts spell some in their own way; a bridged coin's `.e` is part of its name. */
export function sameSymbol(a: string, b: string): boolean {
  return spelled(a) === spelled(b)
}

function spelled(symbol: string): string {
  return symbol
    .replaceAll('₮', 'T')
    .toUpperCase()
    .replace(/^USDT0$/, 'USDT')
}
