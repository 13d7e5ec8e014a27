/** Assembles the service and runs its roles until it is stopped. `main` and the sandbox both start it here. */
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { isLoopback } from '@causeway/chain-kit'
import { type Catalogue, type ContractSurvey, catalogueOf, RetryLater } from '@causeway/core'
import type { FastifyInstance } from 'fastify'
import { createInternal } from './api/internal.ts'
import { requireFreePorts } from './api/ports.ts'
import { describeSwap } from './api/resources/swaps/swap-snapshot.ts'
import { createApi } from './api/server.ts'
import { sandboxKey } from './apps/accounts.ts'
import { forCallers } from './catalogue/caller-budget.ts'
import { readCampaigns } from './catalogue/campaigns.ts'
import { readCatalogue, withNodes, withSubmissions } from './catalogue/catalogue.ts'
import { type Chains, type Families, onlyFamilies, openChains } from './catalogue/chains.ts'
import { readExchanges } from './catalogue/exchanges.ts'
import { budgeted, createNodeBudgets } from './catalogue/node-budget.ts'
import { readRouteRules } from './catalogue/routes.ts'
import { unsafeLines } from './config/unsafe.ts'
import { type Config, ConfigError, isKeyless, listedNetworks } from './config.ts'
import { consoleRoutes } from './console/routes.ts'
import { lookAtWallets } from './flow/checks/history.ts'
import { sleep } from './flow/lib/sleep.ts'
import { fillAddressPools } from './flow/run/address-pool.ts'
import { keepCounting } from './flow/run/counters.ts'
import { keepMarketFresh } from './flow/run/market-loop.ts'
import { runPeriodicTasks } from './flow/run/scheduler.ts'
import { openSigning, signAlone } from './flow/run/sign-alone.ts'
import { startWorker } from './flow/run/worker.ts'
import { watchNetwork } from './flow/watch/watch.ts'
import { openSigner } from './keys/backends/signer.ts'
import { knownTestMnemonics } from './keys/keystore/known-test-mnemonics.ts'
import { readOnlySigner, recordingSigner } from './keys/public-keys/public-key-store.ts'
import { createQuoteSigner } from './keys/quotes/quote-signer.ts'
import { refuseSharedDomains } from './keys/signer-process/replay-domains.ts'
import { createCampaigns, declareCampaigns } from './market/campaigns.ts'
import { createClock, TRUSTED_CLOCK } from './market/clock.ts'
import { createMarket } from './market/market.ts'
import { createNftHoldings } from './market/nft-holdings.ts'
import { createSafeguards } from './market/safeguards.ts'
import { createLog } from './observe/log.ts'
import { createMetrics, startCounters } from './observe/metrics.ts'
import { openTraces } from './observe/traces.ts'
import { offersAnything } from './offer/readiness.ts'
import { openPrices } from './prices/open.ts'
import { createAggregators } from './providers/aggregators.ts'
import { createScopeReader } from './providers/scope.ts'
import { openScreener } from './screening/open.ts'
import type { Services } from './services.ts'
import { admitSandboxApp } from './store/apps/apps.ts'
import { type Database, openDatabase, openPool, prepareDatabase, unsafeSettings } from './store/db/database.ts'
import { endWriter } from './store/journal/writers.ts'
import { claimTreasury, swapsAtFormer } from './store/ledger/treasuries.ts'
import { readKnown, rememberListed } from './store/market/known-assets.ts'
import { admitSandbox, rememberDualControl } from './store/operators/operators.ts'
import { API_STATEMENT_MS, openCallerPools } from './store/standby/caller-pools.ts'
import { createAddressBranch } from './store/watch/address-branch.ts'
import { utxoSet } from './store/watch/utxos.ts'

export interface Service {
  services: Services
  /** The API's URL; null if the `api` role does not run here. */
  url: string | null
  /** The internal port with metrics and readiness, for all roles. */
  internalUrl: string
  stop(): Promise<void>
}

export interface StartOptions {
  families?: Families
  now?: () => Date
  /** A sandbox inside this process: the checks for real money are skipped while every node is on this machine. */
  isSandbox?: boolean
  /** How long the API port waits until something can be offered. Tests without an offer can skip it. */
  offeringTimeoutMs?: number
  /** Adds routes; used by the sandbox. */
  extend?: (api: FastifyInstance) => void
}

/** Separate connections for watchers, besides those of the API. */
const WATCH_CONNECTIONS = 6
const CONSOLE_CONNECTIONS = 3
/** Prices, fees and a first scan take a second or two if nodes answer. */
const OFFERING_TIMEOUT_MS = 10_000
const OFFERING_POLL_MS = 50
/** A role that does not stop within this time is left behind: everything important is in the database. */
const STOP_TIMEOUT_MS = 10_000

export async function startService(config: Config, options: StartOptions = {}): Promise<Service> {
  await requireFreePorts(config)
  const { services, callers } = await assemble(config, options)
  const { log, catalogue, chains } = services
  const stopping = new AbortController()
  const { signal } = stopping
  const apart: Database[] = []
  const openApart = (connections: number, statementMs?: number): Database => {
    const database = openDatabase(config.databaseUrl, openPool(config.databaseUrl, connections, statementMs))
    apart.push(database)
    return database
  }
  const answering = (asked: Chains): Services => {
    const { opened, ...pools } = openCallerPools(config.databaseUrl, config.databaseReadUrl, {
      maxWaitMs: config.databaseReadWaitMs,
      onChange: (isUsed) =>
        log.warn(isUsed ? 'the standby answers reads again' : 'the standby lags or is gone: the primary answers reads'),
      onRead: (server) => services.metrics.reads.inc({ server }),
    })
    apart.push(...opened)
    return { ...services, ...pools, chains: asked }
  }
  // The internal port opens first, so that the start can be observed.
  let isListening = false
  const internal = createInternal(services, () => isListening)
  // Separate connections: a flood of logins must not delay payments.
  const house = {
    ...services,
    database: openApart(CONSOLE_CONNECTIONS, API_STATEMENT_MS),
    isSandbox: options.isSandbox === true,
  }
  consoleRoutes(internal, house)
  await internal.listen({ port: config.internalPort, host: config.internalHost })
  // Checked before anything is decided by a clock that may be hours ahead.
  await services.clock.check()
  const onEnded = () => {
    log.fatal(
      {},
      'this process must restart: another one signs now, it was silent for too long, or its database was rolled back',
    )
    process.exit(1)
  }
  const running: Promise<void>[] = [keepMarketFresh(services, signal), keepCounting(services, signal, onEnded)]
  let endSigning = async (): Promise<void> => undefined
  if (config.roles.includes('watch')) {
    const watching = { ...services, database: openApart(WATCH_CONNECTIONS) }
    running.push(...[...chains.values()].map((chain) => watchNetwork(watching, chain, signal)))
  }
  if (config.roles.includes('work')) {
    const alone = await signAlone(services, signal, async () => {
      // Called after the journal was compared: in a rolled-back database our own transactions would look like theft.
      await lookAtWallets(services)
      const { over } = await startWorker(services, signal)
      running.push(over)
    })
    endSigning = alone.end
    running.push(alone.over, runPeriodicTasks(services, signal), fillAddressPools(services, signal))
  }
  const api = callers && (await createApi(answering(callers)))
  if (api) {
    options.extend?.(api)
    // The console is on the internal port, away from the internet, unless the operator configures otherwise.
    if (options.isSandbox || config.operatorPublic) consoleRoutes(api, house)
    await untilOffering(services, options.offeringTimeoutMs ?? OFFERING_TIMEOUT_MS)
    await api.listen({ port: config.port, host: config.host })
  }
  isListening = true
  const url = api && addressOf(api, config.host)
  const names = catalogue.networks.map(({ name }) => name)
  log.info({ roles: config.roles, networks: names, ...(url && placesOf(url, config)) }, 'service started')
  return {
    services,
    url,
    internalUrl: addressOf(internal, config.internalHost),
    async stop() {
      stopping.abort()
      await Promise.all([api?.close(), internal.close()])
      const patience = sleep(STOP_TIMEOUT_MS, AbortSignal.timeout(STOP_TIMEOUT_MS))
      const stopped = await Promise.race([Promise.allSettled(running), patience])
      await endSigning().catch((error) => log.warn({ err: error }, 'the signing journal was not closed'))
      await endWriter(services.database, services.signing.writer).catch(() => undefined)
      await services.traces.stop()
      await Promise.all([services.database, ...apart].map((database) => database.destroy()))
      log.info({ clean: stopped !== undefined }, 'service stopped')
    },
  }
}

/**
 * Opens the port when something can be quoted, but not later than the timeout: otherwise users could not see their
 * existing swaps; routes then answer that they are not ready.
 */
async function untilOffering(services: Services, timeoutMs: number): Promise<void> {
  const patience = AbortSignal.timeout(timeoutMs)
  while (services.addressBranch.branch === null || !(await offersAnything(services))) {
    if (patience.aborted) return services.log.warn('no route can be offered yet: the API opens without any')
    await sleep(OFFERING_POLL_MS, patience)
  }
}

/** The addresses that people open, as far as they are known here. */
function placesOf(url: string, { publicUrl = url }: Config) {
  return { pages: publicUrl, api: `${publicUrl}/api/v2`, docs: `${publicUrl}/docs` }
}

function addressOf({ server }: FastifyInstance, host: string): string {
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

/** The services, and separate chains for API requests if that role runs. */
async function assemble(
  config: Config,
  options: StartOptions,
): Promise<{ services: Services; callers: Chains | null }> {
  const metrics = createMetrics()
  const log = createLog(config.logLevel, undefined, () => metrics.logErrors.inc())
  const now = options.now ?? (() => new Date())
  const families = onlyFamilies(config.families, options.families)
  const leaveOut = (network: string, reason: string) => log.warn({ network, reason }, 'network left out')
  const read = await readCatalogue(config.networksFolder, config.nodes, families, leaveOut)
  const files = withSubmissions(withNodes(read, leaveOut), config.privateSubmissions)
  startCounters(metrics, files.networks)
  // Two names for one chain would both allocate its nonces, and count one wallet's money twice.
  await refuseSharedDomains(files, families)
  const database = openDatabase(config.databaseUrl)
  const telling = isKeyless(config) ? null : recordingSigner(await openSigner(config), database)
  const signer = telling ?? (await openSigner(config, readOnlySigner(database)))
  const migrate = () => prepareDatabase(config.databaseUrl)
  // A process without keys reads the public keys from the database. All others are checked before the database is used.
  if (isKeyless(config)) await migrate()
  const coins = (network: string) => utxoSet(database, network)
  const traffics = createNodeBudgets(metrics, now)
  const opened = await openChains(files, families, signer, log, traffics, coins).catch((error) => {
    if (!isKeyless(config) || !(error instanceof RetryLater)) throw error
    const first = 'start a process that holds keys once (ROLES=watch,work)'
    throw new ConfigError(`ROLES=api without keys: ${first}; ${error.message}`)
  })
  const chains = budgeted(opened, traffics)
  await refuseUnsafe(config, files, chains, options)
  if (!isKeyless(config)) await migrate()
  if (config.environment === 'mainnet' && !options.isSandbox) await refuseUnsynced(database)
  const asked = config.roles.includes('api') ? await openChains(files, families, signer, log, traffics, coins) : null
  const callers = asked && forCallers(budgeted(asked, traffics, 'callers'))
  await rememberListed(database, files.networks)
  await knowTreasuries(database, chains, config)
  await rememberDualControl(database, config.fourEyesUsd)
  await telling?.begin()
  if (options.isSandbox) await openSandbox(database, config)
  const known = await readKnown(database)
  const catalogue = catalogueOf(files.networks, known, files.closed)
  const listing = { files: listedNetworks(config.networksFolder), networks: catalogue.networks, known: known.tokens }
  const rules = readRouteRules(config.routesFile, listing, (rule) =>
    log.warn({ file: config.routesFile, rule }, 'route rule refers to an unknown route'),
  )
  const told = { prices: openPrices(config, log, now), exchangeScope: createScopeReader(telling, database, now), rules }
  const market = createMarket({ config, database, catalogue, chains: surveying(chains, callers), ...told, now })
  const safeguards = createSafeguards({ config, database, catalogue, market, now })
  const screener = openScreener(config, chains)
  const listed = readCampaigns(config.campaignsFile, catalogue, chains)
  await declareCampaigns(database, listed)
  const holdings = createNftHoldings(callers ?? chains, log, now)
  const campaigns = createCampaigns(listed, { database, market, chains, holdings })
  const services: Services = {
    config,
    database,
    reading: database,
    polling: database,
    catalogue,
    chains,
    exchanges: readExchanges(config.exchangesFile),
    aggregators: createAggregators({ catalogue, keys: config.aggregatorKeys, scopeOf: told.exchangeScope }),
    campaigns,
    market,
    safeguards,
    screener,
    log,
    metrics,
    traces: openTraces(config, { metrics, log }),
    now,
    // Tests and tools that set the time do so on purpose.
    clock: options.now ? TRUSTED_CLOCK : createClock({ database, now, log, metrics }),
    addressBranch: createAddressBranch(),
    randomBytes,
    quoteSigner: await createQuoteSigner(signer),
    signing: await openSigning(database, { signs: config.roles.includes('work'), hasKeys: !isKeyless(config) }),
    describeSwap: (queries, swapId, reader) => describeSwap(services, queries, swapId, reader),
  }
  return { services, callers }
}

/** A sandbox needs no operator key and no integrator key: both are created. */
async function openSandbox(database: Database, { environment }: Config): Promise<void> {
  await admitSandbox(database)
  const keys = (['public', 'secret'] as const).map((kind) => ({ kind, ...sandboxKey(environment, kind) }))
  await admitSandboxApp(database, environment, keys)
}

/**
 * Stores the wallets, and throws if one changed: another mnemonic with the same ledger would misread every wallet and
 * could not pay what is owed.
 */
async function knowTreasuries(database: Database, chains: Chains, { newTreasury }: Config): Promise<void> {
  const problems: string[] = []
  for (const { network, treasury, scansPresentTreasuryOnly } of chains.values()) {
    const waiting = scansPresentTreasuryOnly ? await swapsAtFormer(database, network.name, treasury) : 0
    if (waiting > 0 && newTreasury.includes(network.name)) {
      problems.push(`${waiting} swaps wait for deposits at the former wallet of ${network.name}, which is not watched`)
      continue
    }
    const known = await claimTreasury(database, network.name, treasury, newTreasury.includes(network.name))
    if (known !== null) {
      problems.push(`the wallet of ${network.name} is ${treasury}, and was ${known} (NEW_TREASURY=${network.name})`)
    }
  }
  if (problems.length === 0) return
  const reason = 'these keys are not the ones of this database: use its own recovery phrase, or another database'
  throw new ConfigError(`${reason}\n${problems.map((line) => `  - ${line}`).join('\n')}`)
}

/** On mainnet, settings that are fine in a sandbox are refused, all at once, before anything is opened. */
async function refuseUnsafe(
  config: Config,
  { networks }: Catalogue,
  chains: Chains,
  { families: given, isSandbox }: StartOptions,
): Promise<void> {
  const families = onlyFamilies(config.families, given)
  if (isSandbox && networks.every(({ nodes }) => nodes.every(isLoopback))) return
  if (config.environment !== 'mainnet') return refuseDisguised(networks, families)
  const here = {
    signer: isKeyless(config) ? 'none' : config.signer,
    prices: config.prices,
    allowPrivateWebhooks: config.allowPrivateWebhooks !== 'none',
    hasOutflowLimit: config.hourlyOutflowUsd !== null,
    publicWallets: await knownTestMnemonics(chains, families),
    networks,
  }
  const lines = [...unsafeLines(here, config.allowOnMainnet), ...missingJournal(config)]
  if (lines.length === 0) return
  throw new ConfigError(`this is no way to keep real money:\n${lines.map((line) => `  - ${line}`).join('\n')}`)
}

/** Throws if the database does not sync commits to disk: a crash would lose payouts that it has confirmed to us. */
async function refuseUnsynced(database: Database): Promise<void> {
  const settings = await unsafeSettings(database)
  if (settings.length === 0) return
  throw new ConfigError(`the database may lose what it has committed (${settings.join(', ')}): not with real money`)
}

/** Real money needs a signing journal that is not on the database's disk. */
function missingJournal({ roles, signer, journalFolder }: Config): string[] {
  // A signer process has its own journal.
  return roles.includes('work') && signer !== 'remote' && !journalFolder
    ? ['JOURNAL_FOLDER: is needed on mainnet; not on the disk of the database']
    : []
}

/**
 * Throws if a mainnet is configured as a test network: the name of a folder or a setting cannot turn real money into
 * test money.
 */
async function refuseDisguised(networks: Catalogue['networks'], families: Families): Promise<void> {
  const judged = networks.map(async (network) => {
    const family = await families(network.type)
    return network.name.endsWith('_MAINNET') || (family.holdsRealMoney?.(network) ?? false) ? [network.name] : []
  })
  const real = (await Promise.all(judged)).flat()
  if (real.length === 0) return
  throw new ConfigError(`${real.join(', ')}: coins there are worth something, so ENVIRONMENT=mainnet is needed`)
}

/** One survey serves both sets of chains; each keeps the result in its own memory. */
function surveying(chains: Chains, callers: Chains | null): Chains {
  if (!callers) return chains
  return new Map(
    [...chains].map(([name, chain]) => [
      name,
      chain.contractSurvey
        ? { ...chain, contractSurvey: sharedWith(callers.get(name)?.contractSurvey, chain.contractSurvey) }
        : chain,
    ]),
  )
}

function sharedWith(other: ContractSurvey | undefined, survey: ContractSurvey): ContractSurvey {
  return {
    ...survey,
    restoreSurvey(seen) {
      survey.restoreSurvey(seen)
      other?.restoreSurvey(seen)
    },
  }
}
