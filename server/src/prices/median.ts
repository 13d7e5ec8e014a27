/**
 * One price out of several sources: the median of those that are young enough, provided that most of them agree. A source
 * that is down or wrong is outvoted; where too few agree there is no price, and nothing is quoted.
 */
import { mulDiv, ONE, type Usd } from '@causeway/core'
import type { PriceSource } from './source.ts'

export interface MedianOptions {
  maxAgeMs: number
  /** How far from the median a source may stand, as a fraction of ONE. */
  maxDeviation: bigint
  now: () => Date
  warn: (fields: Record<string, unknown>, message: string) => void
}

export function medianPrices(sources: readonly PriceSource[], options: MedianOptions): PriceSource {
  const fetched = new Map<string, Date>()
  return {
    name: sources.map(({ name }) => name).join(','),
    fetchedAt: (group) => fetched.get(group) ?? null,
    async read(groups) {
      const answers = await Promise.all(sources.map((source) => readOne(source, groups, options)))
      const agreed = new Map<string, Usd>()
      for (const group of groups) {
        const quoted = answers.flatMap((answer) => answer.get(group) ?? [])
        const price = agree(quoted, options.maxDeviation)
        if (price === null) {
          if (quoted.length > 0) options.warn({ group, prices: quoted.map(({ usd }) => `${usd}`) }, 'prices disagree')
          continue
        }
        agreed.set(group, price)
        fetched.set(group, new Date(Math.min(...quoted.map(({ at }) => at.getTime()))))
      }
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

/** Null where no price was given, or no majority stands near the median. */
export function agree(quoted: readonly { usd: Usd }[], maxDeviation: bigint): Usd | null {
  if (quoted.length === 0) return null
  const middle = medianOf(quoted.map(({ usd }) => usd))
  const near = quoted.filter(({ usd }) => distance(usd, middle) <= mulDiv(middle, maxDeviation, ONE, 'down'))
  if (near.length * 2 <= quoted.length) return null
  return medianOf(near.map(({ usd }) => usd))
}

function medianOf(prices: readonly Usd[]): Usd {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0n
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0n) + upper) / 2n
}

function distance(a: Usd, b: Usd): Usd {
  return a > b ? a - b : b - a
}
