/** Prices of the signer's own sources in memory, so that an order is judged without waiting for a source. */
import { assetOf, type Catalogue, type Token, type Usd } from '@causeway/core'
import type { PriceSource } from '../../prices/source.ts'

export interface SignerPrices {
  /** The present price; null if no recent one is known. */
  priceOf(token: Token): Usd | null
  refresh(): Promise<void>
}

export function createSignerPrices(
  source: PriceSource | null,
  catalogue: Catalogue,
  { maxAgeMs, now }: { maxAgeMs: number; now: () => Date },
): SignerPrices {
  const known = new Map<string, { usd: Usd; at: Date }>()
  const groups = [...new Set(catalogue.networks.flatMap(({ tokens }) => tokens.map(assetOf)))]
  return {
    priceOf(token) {
      const entry = known.get(assetOf(token))
      return entry && now().getTime() - entry.at.getTime() <= maxAgeMs ? entry.usd : null
    },
    async refresh() {
      if (!source) return
      const at = now()
      for (const [group, usd] of await source.read(groups))
        known.set(group, { usd, at: source.fetchedAt?.(group) ?? at })
      for (const group of groups) if (source.isDisputed?.(group)) known.delete(group)
    },
  }
}
