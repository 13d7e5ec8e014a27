/** The order of the picker: groups, popular tokens, and full names. */
import type { RouteNetwork } from '@causeway/sdk/light'
import type { Found } from '../logic.ts'

export interface Group {
  name: 'inWallet' | 'recent' | 'allTokens'
  entries: Found[]
}

/** Held tokens come first, the most valuable on top; then recent ones, then the rest. Empty groups are left out. */
export function groupsOf(
  found: readonly Found[],
  held: Readonly<Record<string, { usd: number }>>,
  recent: readonly string[],
): Group[] {
  const worth = ({ key }: Found) => held[key]?.usd ?? 0
  const isHeld = (entry: Found) => held[entry.key] !== undefined && entry.token.status === 'active'
  const isRecent = (entry: Found) => !isHeld(entry) && recent.includes(entry.key)
  const groups: Group[] = [
    { name: 'inWallet', entries: found.filter(isHeld).sort((a, b) => worth(b) - worth(a)) },
    { name: 'recent', entries: found.filter(isRecent) },
    { name: 'allTokens', entries: found.filter((entry) => !isHeld(entry) && !isRecent(entry)) },
  ]
  return groups.filter(({ entries }) => entries.length > 0)
}

const MOST_POPULAR = 5

/** One entry per symbol: first those on most networks, then by rank. */
export function popularOf(
  networks: readonly RouteNetwork[],
  side: 'source' | 'destination',
): { symbol: string; logo: string }[] {
  const open = networks.flatMap((network) =>
    network.tokens
      .filter(({ status }) => status === 'active')
      .map((token) => ({ token, rank: network[`${side}_rank`] + token[`${side}_rank`] })),
  )
  const bySymbol = Map.groupBy(open, ({ token }) => token.symbol)
  return [...bySymbol]
    .map(([symbol, all]) => ({
      symbol,
      logo: all[0]?.token.logo ?? '',
      count: all.length,
      rank: Math.min(...all.map(({ rank }) => rank)),
    }))
    .sort((a, b) => b.count - a.count || a.rank - b.rank)
    .slice(0, MOST_POPULAR)
}
