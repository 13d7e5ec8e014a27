/**
 * Keeps what quotes are made of fresh: prices, durations, campaigns, rules, and each network's fees and balances. Each has a
 * loop of its own, so that a network that does not answer leaves its own numbers to age and nobody else's.
 */
import type { Services } from '../services.ts'
import { pause } from './pause.ts'

/** Prices and fees age slowly against quotes that live for minutes. */
const REFRESH_MS = 3_000

type Refreshed = Pick<Services, 'market' | 'safeguards' | 'campaigns' | 'catalogue' | 'log'>

export async function keepMarketFresh(
  { market, safeguards, campaigns, catalogue, log }: Refreshed,
  signal: AbortSignal,
  everyMs = REFRESH_MS,
): Promise<void> {
  const keep = async (what: string, refresh: () => Promise<void>) => {
    while (!signal.aborted) {
      await refresh().catch((error) => log.warn({ what, err: error }, 'market data could not be refreshed'))
      await pause(everyMs, signal)
    }
  }
  await Promise.all([
    keep('prices', () => market.refreshPrices()),
    keep('durations', () => market.refreshDurations()),
    keep('campaigns', () => campaigns.refresh()),
    keep('safeguards', () => safeguards.refresh()),
    ...catalogue.networks.map((network) => keep(network.name, () => market.refresh(network))),
  ])
}
