/**
 * Everything on one machine: a database, local chains, a funded treasury, and the service. Used by the sandbox, the
 * demo, the tests and the benchmark. Chains and database are new at each start.
 */
import type { Address, Catalogue, Devnet } from '@causeway/core'
import {
  type Config,
  type Families,
  hasBeenRead,
  loadFamily,
  mnemonicSigner,
  parseConfig,
  type Service,
  startService,
} from '@causeway/server'
import { sandboxRoutes } from './api/routes.ts'
import type { World } from './api/world.ts'
import { fundTreasury, type LocalChains, startChains } from './chains.ts'
import { type DevnetFamilies, loadDevnet } from './families.ts'
import { keysOf, type SandboxKeys } from './keys.ts'
import { startPostgres } from './postgres.ts'
import { portTaken, prepare } from './prepare.ts'
import { SANDBOX_MNEMONIC } from './settings.ts'
import { createSteps, type Progress, type Steps } from './steps.ts'

export interface SandboxOptions {
  /** The port; 0 or absent for any free one. */
  port?: number
  /** The folder of network files. Default: `networks/sandbox`. */
  networks?: string
  /** The wanted networks of the folder, by name. Default: all. */
  only?: readonly string[]
  /** Settings of the service; those that would reach outside the sandbox are ignored. */
  env?: Readonly<Record<string, string | undefined>>
  onProgress?: (progress: Progress) => void
  /** False starts only the database and the chains; `env` is then what a `server/src/main.ts` process needs. */
  runService?: boolean
  /** Other loaders of families: tests use the simulated one. */
  families?: Families
  devnets?: DevnetFamilies
  /** Replaces the sandbox's own database; stopped with the sandbox. Tests share a server. */
  database?: () => Promise<{ url: string; stop(): Promise<void> }>
  /** Aborts a start between two steps. */
  signal?: AbortSignal
}

export interface Sandbox {
  url: string
  /** Metrics and readiness; null with `runService: false`. */
  internalUrl: string | null
  databaseUrl: string
  catalogue: Catalogue
  /** Networks of the folder that have no local chain. */
  leftOut: readonly string[]
  /** By network name; networks of one family share one. */
  devnets: ReadonlyMap<string, Devnet>
  treasuries: Readonly<Record<string, Address>>
  env: Readonly<Record<string, string>>
  keys: SandboxKeys
  /** The running service; null with `runService: false`. */
  service: Service | null
  stop(): Promise<void>
}

/** Fees and balances of one network take well under a second; forty at once take longer. */
const READY_TIMEOUT_MS = 20_000
const READY_EACH_MS = 1_000
const READY_POLL_MS = 25

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const steps = createSteps(options.onProgress ?? (() => undefined), options.signal)
  try {
    return await start(options, steps)
  } catch (error) {
    await steps.end()
    throw error
  }
}

async function start(options: SandboxOptions, steps: Steps): Promise<Sandbox> {
  const { families = loadFamily, devnets = loadDevnet, database = ownDatabase, runService = true } = options
  const settings = await steps.run(
    'settings',
    () => prepare({ ...options, families, devnets, runService }, steps),
    ({ catalogue: { networks }, folder }) => `${counted(networks.length, 'network')} of ${folder}`,
  )
  const databaseUrl = await steps.run(
    'database',
    () => openDatabase(database, steps),
    () => 'PostgreSQL, a fresh database',
  )
  const { catalogue } = settings
  const chains = await steps.run(
    'local chains',
    () => startChains({ catalogue, signer: mnemonicSigner(SANDBOX_MNEMONIC), families, devnets }),
    (started) => `${counted(started.devnets.size, 'network')} on ${enginesOf(started).join(', ')}`,
  )
  steps.atEnd(chains.stop)
  await steps.run(
    'treasury',
    () => fundTreasury(catalogue, chains, settings.config.pricesFile),
    (tokens) => `funded with ${counted(tokens, 'token')}`,
  )
  const env = { ...settings.env, DATABASE_URL: databaseUrl, ...nodesOf(chains) }
  const service = runService ? await runOne(env, catalogue, chains, families, steps) : null
  return {
    url: service?.url ?? `http://${settings.config.host}:${env.PORT}`,
    internalUrl: service?.internalUrl ?? null,
    databaseUrl,
    catalogue,
    leftOut: settings.leftOut,
    devnets: chains.devnets,
    treasuries: chains.treasuries,
    env,
    keys: keysOf(settings.config),
    service,
    stop: steps.end,
  }
}

async function openDatabase(start: typeof ownDatabase, steps: Steps): Promise<string> {
  const { url, stop } = await start()
  steps.atEnd(stop)
  return url
}

async function ownDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const { createDatabase, stop } = await startPostgres()
  return { url: await createDatabase(), stop }
}

async function runOne(
  env: Record<string, string>,
  catalogue: Catalogue,
  chains: LocalChains,
  families: Families,
  steps: Steps,
): Promise<Service> {
  const config = parseConfig(env)
  const world: World = { config, catalogue, chains, families, services: null }
  const extend = sandboxRoutes(world)
  const service = await steps.run(
    'service',
    () => listen(config, families, extend),
    ({ url }) => url ?? 'no API here',
  )
  world.services = service.services
  steps.atEnd(service.stop)
  await steps.run(
    'prices and fees',
    () => untilQuotable(service, catalogue),
    () => 'ready to quote',
  )
  return service
}

async function listen(config: Config, families: Families, extend: ReturnType<typeof sandboxRoutes>): Promise<Service> {
  try {
    return await startService(config, { families, extend, isSandbox: true })
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    throw isTaken ? portTaken(config.host, config.port) : error
  }
}

/**
 * Waits until every route with prices can be quoted. The service reads fees and balances in the background, and a
 * sandbox reports ready only after that.
 */
async function untilQuotable({ services }: Service, catalogue: Catalogue): Promise<void> {
  const { market } = services
  const patienceMs = READY_TIMEOUT_MS + READY_EACH_MS * catalogue.networks.length
  const deadline = performance.now() + patienceMs
  const tokens = catalogue.networks.flatMap((network) => network.tokens)
  // A network's balances are read after its fees, and all prices at once.
  const missing = () => tokens.filter((token) => market.balance(token) === null)
  const isWatched = async () => {
    const read = await Promise.all(catalogue.networks.map(({ name }) => hasBeenRead(services.database, name)))
    return read.every(Boolean)
  }
  // Swaps are accepted only on networks that were scanned once.
  const reads = services.config.roles.includes('watch')
  while (
    missing().length > 0 ||
    tokens.every((token) => market.price(token) === null) ||
    (reads && !(await isWatched()))
  ) {
    if (performance.now() > deadline) {
      const names = [...new Set(missing().map(({ network }) => network))]
      throw new Error(`not read within ${patienceMs / 1000} s: ${names.join(', ') || 'prices'}`)
    }
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
}

function nodesOf({ devnets }: LocalChains): Record<string, string> {
  return Object.fromEntries([...devnets].map(([name, { nodes }]) => [`NODES_${name}`, nodes[name] ?? '']))
}

function enginesOf({ devnets }: LocalChains): string[] {
  return [...new Set([...devnets.values()].map(({ engine }) => engine))]
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
