/**
 * Keeps the inputs of quotes fresh: the clock, prices, durations, campaigns, rules, and each network's fees and balances. Each has
 * its own loop, so that a network without an answer ages only its own numbers. One process reads the nodes for all,
 * more often while a swap waits for the network.
 */
import type { Network } from '@causeway/core'
import { logFailure } from '../../observe/log.ts'
import type { Services } from '../../services.ts'
import { type AssetPrice, savePrices } from '../../store/market/asset-prices.ts'
import { hasPendingWork } from '../../store/watch/pending-work.ts'
import { sleep } from '../lib/sleep.ts'

/** Prices and fees change slowly compared with quotes, which are valid for minutes. */
const REFRESH_MS = 3_000
/** Fees and balances of a real network: while a swap waits for it, and while none does. */
const AWAITED_MS = 15_000
const IDLE_MS = 60_000
/** How often prices are stored for operator commands, which accept a price of some minutes ago. */
const PRICES_MS = 60_000

type Refreshed = Pick<Services, 'market' | 'safeguards' | 'campaigns' | 'catalogue' | 'log' | 'database' | 'clock'>

export async function keepMarketFresh(
  { market, safeguards, campaigns, catalogue, log, database, clock }: Refreshed,
  signal: AbortSignal,
  everyMs = REFRESH_MS,
): Promise<void> {
  const keep = async (what: string, refresh: () => Promise<void>) => {
    while (!signal.aborted) {
      await refresh().catch((error) => logFailure(log, { what }, error, 'market data could not be refreshed'))
      await sleep(everyMs, signal)
    }
  }
  const paceOf = async ({ name, pollMs, idlePollMs = pollMs }: Network) => {
    if (idlePollMs === pollMs) return 0
    return (await hasPendingWork(database, name)) ? AWAITED_MS : IDLE_MS
  }
  let savedAt = Number.NEGATIVE_INFINITY
  await market.readStored().catch((error) => log.warn({ err: error }, 'market data could not be read'))
  await Promise.all([
    keep('clock', () => clock.check()),
    keep('prices', async () => {
      await market.refreshPrices()
      if (performance.now() - savedAt < PRICES_MS) return
      await savePrices(database, pricesIn({ catalogue, market }))
      savedAt = performance.now()
    }),
    keep('durations', () => market.refreshDurations()),
    keep('campaigns', () => campaigns.refresh()),
    keep('safeguards', () => safeguards.refresh()),
    keep('readings', () => market.readStored()),
    ...catalogue.networks.map((network) =>
      keep(network.name, async () => market.refreshStored(network, await paceOf(network))),
    ),
    // Every process reads pools for itself: they change with each block, and all of a network are one request.
    ...catalogue.networks
      .filter(({ providers = [] }) => providers.length > 0)
      .map((network) => keep(`pools of ${network.name}`, () => market.refreshPools(network))),
  ])
}

/** The present prices by asset. A pool's own token has no price that holds without its pool. */
function pricesIn({ catalogue, market }: Pick<Services, 'catalogue' | 'market'>): AssetPrice[] {
  const found = new Map<string, AssetPrice>()
  for (const token of catalogue.networks.flatMap(({ tokens }) => tokens)) {
    const name = token.group ?? token.symbol
    const usd = token.poolOnly ? null : market.price(token)
    const { at } = market.priceRead(token)
    if (usd !== null && at !== null) found.set(name, { name, usd, at })
  }
  return [...found.values()]
}
