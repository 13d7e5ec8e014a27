/** The inputs of quotes are kept fresh, even if some source does not answer. */
import { catalogueOf, type Network } from '@causeway/core'
import { expect, test } from 'vitest'
import { simulatedNetwork } from '../../../../chains/simulated/local/src/index.ts'
import { TRUSTED_CLOCK } from '../../market/clock.ts'
import type { Market } from '../../market/market.ts'
import { createLog } from '../../observe/log.ts'
import type { Services } from '../../services.ts'
import { keepMarketFresh } from './market-loop.ts'

test('a network that never answers and one that always fails keep no other from being refreshed', async () => {
  const stop = new AbortController()
  const never = new Promise<void>(() => undefined)
  let refreshed = 0
  const answers: Record<string, () => Promise<void>> = {
    SILENT: () => never,
    BROKEN: () => Promise.reject(new Error('down')),
    WELL: async () => {
      if (++refreshed === 3) stop.abort()
    },
  }
  const nothing = async () => undefined
  const market = {
    refreshPrices: nothing,
    price: () => null,
    priceRead: () => ({ at: null, answered: null }),
    refreshDurations: nothing,
    readStored: nothing,
    refreshStored: (network: Network) => answers[network.name]?.() ?? nothing(),
  } as Partial<Market> as Market
  const services = {
    market,
    safeguards: { refresh: nothing } as Partial<Services['safeguards']> as Services['safeguards'],
    campaigns: { refresh: nothing } as Partial<Services['campaigns']> as Services['campaigns'],
    catalogue: catalogueOf(Object.keys(answers).map((name) => simulatedNetwork(name))),
    log: createLog('silent'),
    database: {} as Services['database'],
    clock: TRUSTED_CLOCK,
  }
  void keepMarketFresh(services, stop.signal, 1)
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
  expect(refreshed).toBe(3)
})
