/** Puts the service together and runs its roles until it is told to stop. `main` and the sandbox both start it here. */
import type { AddressInfo } from 'node:net'
import { catalogueOf } from '@causeway/core'
import type { FastifyInstance } from 'fastify'
import { runMigrations } from 'graphile-worker'
import { describeSwap } from './api/describe.ts'
import { createApi } from './api/server.ts'
import { readCampaigns } from './catalogue/campaigns.ts'
import { readCatalogue } from './catalogue/catalogue.ts'
import { type Families, loadFamily, openChains } from './catalogue/chains.ts'
import { readExchanges } from './catalogue/exchanges.ts'
import { readRouteRules } from './catalogue/routes.ts'
import type { Config } from './config.ts'
import { lookAtWallets } from './flow/history.ts'
import { keepHouse } from './flow/keephouse.ts'
import { pause } from './flow/pause.ts'
import { keepMarketFresh } from './flow/refresh.ts'
import { watchNetwork } from './flow/watch.ts'
import { runWorker } from './flow/worker.ts'
import { createQuoteSigner } from './keys/quotesigner.ts'
import { openSigner } from './keys/signer.ts'
import { createCampaigns, declareCampaigns } from './market/campaigns.ts'
import { createHoldings } from './market/holdings.ts'
import { createMarket } from './market/quoting.ts'
import { createSafeguards } from './market/safeguards.ts'
import { createLog } from './observe/log.ts'
import { createMetrics } from './observe/metrics.ts'
import { openPrices } from './prices/open.ts'
import { openScreener } from './screening/open.ts'
import type { Services } from './services.ts'
import { type Database, migrate, openDatabase, openPool } from './store/database.ts'
import { readKnown, rememberListed } from './store/known.ts'

export interface Service {
  services: Services
  /** Null where the `api` role is not run here. */
  url: string | null
  stop(): Promise<void>
}

export interface StartOptions {
  families?: Families
  now?: () => Date
  /** Adds routes of its own: the sandbox does. */
  extend?: (api: FastifyInstance) => void
}

/**
 * Connections of those who answer clients and of those who watch chains, beside the ones of all others: two hundred deposits
 * that come at once must not keep anybody's request waiting. All together they leave room for two processes more.
 */
const API_CONNECTIONS = 8
const WATCH_CONNECTIONS = 6
/** After this long a role that does not stop is left behind: everything that matters is in the database. */
const STOP_TIMEOUT_MS = 10_000

export async function startService(config: Config, options: StartOptions = {}): Promise<Service> {
  const services = await assemble(config, options)
  const { log, catalogue, chains } = services
  const stopping = new AbortController()
  const { signal } = stopping
  const apart: Database[] = []
  const withOwnPool = (connections: number): Services => {
    const database = openDatabase(config.DATABASE_URL, openPool(config.DATABASE_URL, connections))
    apart.push(database)
    return { ...services, database }
  }
  // Before anything is promised or paid: a database that went back in time is noticed here, and pauses everything.
  if (!isApiOnly(config)) await lookAtWallets(services)
  const running: Promise<void>[] = [keepMarketFresh(services, signal)]
  if (config.ROLES.includes('work')) running.push(runWorker(services, signal), keepHouse(services, signal))
  if (config.ROLES.includes('watch')) {
    const watching = withOwnPool(WATCH_CONNECTIONS)
    running.push(...[...chains.values()].map((chain) => watchNetwork(watching, chain, signal)))
  }
  const api = config.ROLES.includes('api') ? await createApi(withOwnPool(API_CONNECTIONS)) : null
  if (api) {
    options.extend?.(api)
    await api.listen({ port: config.PORT, host: config.HOST })
  }
  log.info({ roles: config.ROLES, networks: catalogue.networks.map(({ name }) => name) }, 'service started')
  return {
    services,
    url: api && `http://${config.HOST}:${(api.server.address() as AddressInfo).port}`,
    async stop() {
      stopping.abort()
      await api?.close()
      const stopped = await Promise.race([
        Promise.allSettled(running),
        pause(STOP_TIMEOUT_MS, AbortSignal.timeout(STOP_TIMEOUT_MS)),
      ])
      await Promise.all([services.database, ...apart].map((database) => database.destroy()))
      log.info({ clean: stopped !== undefined }, 'service stopped')
    },
  }
}

function isApiOnly({ ROLES }: Config): boolean {
  return !ROLES.includes('work') && !ROLES.includes('watch')
}

async function assemble(config: Config, options: StartOptions): Promise<Services> {
  const log = createLog(config.LOG_LEVEL)
  const now = options.now ?? (() => new Date())
  const families = options.families ?? loadFamily
  const signer = await openSigner(config)
  const files = await readCatalogue(config.NETWORKS, config.nodes, families, (network, reason) =>
    log.warn({ network, reason }, 'network left out'),
  )
  const chains = await openChains(files, families, signer, log)
  const database = openDatabase(config.DATABASE_URL)
  await runMigrations({ connectionString: config.DATABASE_URL })
  await migrate(database)
  await rememberListed(database, files.networks)
  const catalogue = catalogueOf(files.networks, await readKnown(database))
  const rules = readRouteRules(config.ROUTES_FILE)
  const prices = openPrices(config, log, now)
  const market = createMarket({ config, database, catalogue, chains, prices, rules, now })
  const safeguards = createSafeguards({ database, catalogue, market, now })
  const screener = openScreener(config)
  const exchanges = readExchanges(config.EXCHANGES_FILE)
  const listed = readCampaigns(config.CAMPAIGNS_FILE, catalogue, chains)
  await declareCampaigns(database, listed)
  const holdings = createHoldings(chains, log, now)
  const campaigns = createCampaigns(listed, { database, market, chains, holdings })
  const services: Services = {
    config,
    database,
    catalogue,
    chains,
    exchanges,
    campaigns,
    market,
    safeguards,
    screener,
    log,
    metrics: createMetrics(),
    now,
    quoteSigner: await createQuoteSigner(signer),
    describeSwap: (queries, swapId) => describeSwap(services, queries, swapId),
  }
  return services
}
