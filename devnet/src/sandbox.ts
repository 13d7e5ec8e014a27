/**
 * Everything on one machine: a database, local chains, a rich treasury, and the service over them. The sandbox, the
 * demo, the tests and the benchmark all start here. Chains are fresh at each start, and so is the database.
 */
import type { Address, Catalogue, Devnet } from '@causeway/core'
import {
  type Config,
  type Families,
  loadFamily,
  mnemonicSigner,
  parseConfig,
  readCatalogue,
  type Service,
  startService,
} from '@causeway/server'
import { sandboxRoutes } from './api/routes.ts'
import { fundTreasury, type LocalChains, startChains } from './chains.ts'
import { type DevnetFamilies, loadDevnet } from './families.ts'
import { stageNetworks } from './networks.ts'
import { freePort, isFree } from './ports.ts'
import { startPostgres } from './postgres.ts'
import { DEFAULT_NETWORKS, overridesIn, SANDBOX_DEFAULTS, SANDBOX_MNEMONIC } from './settings.ts'
import { createSteps, type Progress, SandboxError, type Steps } from './steps.ts'

export interface SandboxOptions {
  /** 0 or absent: any free one. */
  port?: number
  /** The folder of network files; `networks/sandbox` where absent. */
  networks?: string
  /** Settings of the service; those that would lead out of the sandbox are ignored. */
  env?: Readonly<Record<string, string | undefined>>
  onProgress?: (progress: Progress) => void
  /** False: only the database and the chains; `env` is then what a `server/src/main.ts` process needs. */
  runService?: boolean
  /** Other ways to load families: tests bring the simulated one. */
  families?: Families
  devnets?: DevnetFamilies
  /** Ends a start between two steps. */
  signal?: AbortSignal
}

export interface Sandbox {
  url: string
  databaseUrl: string
  catalogue: Catalogue
  /** Networks of the folder that have no local chain. */
  leftOut: readonly string[]
  /** By network name; networks of one family share one. */
  devnets: ReadonlyMap<string, Devnet>
  treasuries: Readonly<Record<string, Address>>
  env: Readonly<Record<string, string>>
  /** Null with `runService: false`. */
  service: Service | null
  stop(): Promise<void>
}

/** Fees and balances of every network are read in well under a second. */
const READY_TIMEOUT_MS = 20_000
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
  const { families = loadFamily, devnets = loadDevnet, runService = true } = options
  const settings = await steps.run(
    'settings',
    () => readSettings(options, steps),
    ({ told }) => told,
  )
  const databaseUrl = await steps.run(
    'database',
    () => openDatabase(steps),
    () => 'PostgreSQL, a fresh database',
  )
  const { catalogue } = settings
  const chains = await steps.run(
    'local chains',
    () => startChains({ catalogue, signer: mnemonicSigner(SANDBOX_MNEMONIC), families, devnets }),
    (started) => `${started.devnets.size} networks: ${enginesOf(started).join(', ')}`,
  )
  steps.atEnd(chains.stop)
  await steps.run(
    'treasury',
    () => fundTreasury(catalogue, chains, settings.config.PRICES_FILE),
    (tokens) => `funded with ${tokens} tokens`,
  )
  const env = { ...settings.env, DATABASE_URL: databaseUrl, ...nodesOf(chains) }
  const service = runService ? await runOne(env, catalogue, chains, families, steps) : null
  return {
    url: service?.url ?? `http://${settings.config.HOST}:${env.PORT}`,
    databaseUrl,
    catalogue,
    leftOut: settings.leftOut,
    devnets: chains.devnets,
    treasuries: chains.treasuries,
    env,
    service,
    stop: steps.end,
  }
}

interface Settings {
  env: Record<string, string> & { PORT: string }
  config: Config
  catalogue: Catalogue
  leftOut: string[]
  told: string
}

/** Everything that can be wrong without anything running yet. */
async function readSettings(options: SandboxOptions, steps: Steps): Promise<Settings> {
  const { families = loadFamily, devnets = loadDevnet, runService = true } = options
  const folder = options.networks ?? DEFAULT_NETWORKS
  const staged = await stageNetworks(folder, devnets)
  steps.atEnd(staged.remove)
  const overrides = { ...SANDBOX_DEFAULTS, ...overridesIn(options.env ?? {}) }
  const host = overrides.HOST ?? ''
  const port = options.port ?? 0
  if (port !== 0 && !(await isFree(host, port))) throw portTaken(host, port)
  const env = {
    ...overrides,
    PORT: String(port === 0 && !runService ? await freePort(host) : port),
    NETWORKS: staged.folder,
    SIGNER: 'mnemonic',
    MNEMONIC: SANDBOX_MNEMONIC,
  }
  // The database's address is not known yet; everything else is checked now.
  const config = parseConfig({ ...env, DATABASE_URL: 'postgres://not-started-yet' })
  const catalogue = await readCatalogue(staged.folder, {}, families)
  return { env, config, catalogue, leftOut: staged.leftOut, told: `${catalogue.networks.length} networks of ${folder}` }
}

async function openDatabase(steps: Steps): Promise<string> {
  const postgres = await startPostgres()
  steps.atEnd(postgres.stop)
  return postgres.createDatabase()
}

async function runOne(
  env: Record<string, string>,
  catalogue: Catalogue,
  chains: LocalChains,
  families: Families,
  steps: Steps,
): Promise<Service> {
  const config = parseConfig(env)
  const extend = sandboxRoutes({ config, catalogue, chains, families })
  const service = await steps.run(
    'service',
    () => listen(config, families, extend),
    ({ url }) => url ?? 'no API here',
  )
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
    return await startService(config, { families, extend })
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    throw isTaken ? portTaken(config.HOST, config.PORT) : error
  }
}

/** The service reads these in the background; a sandbox that says it is ready can quote every route that has prices. */
async function untilQuotable({ services }: Service, catalogue: Catalogue): Promise<void> {
  const { market } = services
  const deadline = performance.now() + READY_TIMEOUT_MS
  const tokens = catalogue.networks.flatMap((network) => network.tokens)
  // A network's balances are read after its fees, and all prices at once.
  const missing = () => tokens.filter((token) => market.balance(token) === null)
  while (missing().length > 0 || tokens.every((token) => market.price(token) === null)) {
    if (performance.now() > deadline) {
      const names = [...new Set(missing().map(({ network }) => network))]
      throw new Error(`not read within ${READY_TIMEOUT_MS / 1000} s: ${names.join(', ') || 'prices'}`)
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

function portTaken(host: string, port: number): SandboxError {
  return new SandboxError('port', `${port} on ${host} is taken. Stop what listens there, or choose: PORT=${port + 1}`)
}
