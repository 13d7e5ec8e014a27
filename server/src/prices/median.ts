/**
 * One price from several sources: the median of those that agree, if they are a majority of all configured sources, not
 * only of those that answered. A source that is down or wrong is outvoted, and a single survivor is not trusted.
 * Without a majority there is no price and no quote.
 */
import { mulDiv, ONE, type Usd } from '@causeway/core'
import type { PriceSource } from './source.ts'

export interface MedianOptions {
  maxAgeMs: number
  /** How far sources may differ and still agree, as a fraction of ONE. */
  maxDeviation: bigint
  now: () => Date
  warn: (fields: Record<string, unknown>, message: string) => void
}

export function medianPrices(sources: readonly PriceSource[], options: MedianOptions): PriceSource {
  const fetched = new Map<string, Date>()
  const answered = new Map<string, number>()
  let disputed: ReadonlySet<string> = new Set()
  return {
    name: sources.map(({ name }) => name).join(','),
    fetchedAt: (group) => fetched.get(group) ?? null,
    isDisputed: (group) => disputed.has(group),
    answered: (group) => answered.get(group) ?? null,
    async read(groups) {
      const answers = await Promise.all(sources.map((source) => readOne(source, groups, options)))
      const agreed = new Map<string, Usd>()
      const open = new Set<string>()
      for (const group of groups) {
        const quoted = answers.flatMap((answer) => answer.get(group) ?? [])
        answered.set(group, quoted.length)
        const price = agree(quoted, options.maxDeviation, sources.length)
        if (price === null) {
          if (quoted.length > 1) open.add(group)
          const fields = { group, prices: quoted.map(({ usd }) => `${usd}`), sources: sources.length }
          if (quoted.length > 0) options.warn(fields, 'too few price sources agree')
          continue
        }
        agreed.set(group, price)
        fetched.set(group, new Date(Math.min(...quoted.map(({ at }) => at.getTime()))))
      }
      disputed = open
      return agreed
    },
  }
}

interface Quoted {
  usd: Usd
  at: Date
}

async function readOne(
  source: PriceSource,
  groups: readonly string[],
  { maxAgeMs, now, warn }: MedianOptions,
): Promise<Map<string, Quoted>> {
  const found = await source.read(groups).catch((error) => {
    warn({ source: source.name, err: error }, 'a price source does not answer')
    return new Map<string, Usd>()
  })
  const moment = now()
  const young = new Map<string, Quoted>()
  for (const [group, usd] of found) {
    const at = source.fetchedAt?.(group) ?? moment
    if (moment.getTime() - at.getTime() <= maxAgeMs) young.set(group, { usd, at })
  }
  return young
}

/**
 * The agreed price; null without a majority of the configured sources. Every source that belongs to any majority
 * counts, so if one source is between two majorities, the overall median is used.
 */
export function agree(quoted: readonly { usd: Usd }[], maxDeviation: bigint, configured: number): Usd | null {
  const prices = quoted.map(({ usd }) => usd)
  const beside = (lowest: Usd) =>
    prices.filter((usd) => usd >= lowest && usd - lowest <= mulDiv(lowest, maxDeviation, ONE, 'down'))
  const majorities = prices.filter((lowest) => beside(lowest).length * 2 > configured)
  if (majorities.length === 0) return null
  return medianOf(prices.filter((usd) => majorities.some((lowest) => beside(lowest).includes(usd))))
}

function medianOf(prices: readonly Usd[]): Usd {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0n
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0n) + upper) / 2n
}
