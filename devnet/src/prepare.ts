/** Checks everything that can be checked before the start: network files, settings, the port. */
import type { Catalogue } from '@causeway/core'
import {
  type Config,
  ConfigError,
  environmentOf,
  type Families,
  parseConfig,
  readCatalogue,
  WantedFamilies,
} from '@causeway/server'
import type { DevnetFamilies } from './families.ts'
import { stageNetworks } from './networks.ts'
import { freePort, isFree } from './ports.ts'
import { DEFAULT_NETWORKS, overridesIn, SANDBOX_DEFAULTS, SANDBOX_MNEMONIC } from './settings.ts'
import { SandboxError, type Steps } from './steps.ts'

export interface Prepared {
  /** All settings of the service except the URLs of what is not running yet. */
  env: Record<string, string> & { PORT: string }
  config: Config
  catalogue: Catalogue
  folder: string
  leftOut: string[]
}

export async function prepare(
  options: {
    port?: number
    networks?: string
    only?: readonly string[]
    env?: Readonly<Record<string, string | undefined>>
    runService: boolean
    families: Families
    devnets: DevnetFamilies
  },
  steps: Steps,
): Promise<Prepared> {
  const { port = 0, networks: folder = DEFAULT_NETWORKS, runService } = options
  const wanted = wantedFamilies(options.env?.FAMILIES)
  const devnets: DevnetFamilies = async (type) => (wanted && !wanted.includes(type) ? null : options.devnets(type))
  const staged = await stageNetworks(folder, devnets, options.only)
  steps.atEnd(staged.remove)
  const env = {
    ...SANDBOX_DEFAULTS,
    // The environment is derived from the named folder, not from the path of its copy.
    ENVIRONMENT: environmentOf(folder),
    ...overridesIn(options.env ?? {}),
    PORT: String(port),
    NETWORKS: staged.folder,
    SIGNER: 'mnemonic',
    MNEMONIC: SANDBOX_MNEMONIC,
  }
  // The database URL is not known yet; everything else is checked now.
  const config = parseConfig({ ...env, DATABASE_URL: 'postgres://not-started-yet' })
  if (port !== 0 && !(await isFree(config.host, port))) throw portTaken(config.host, port)
  // A process that is started later needs a fixed port; a service in this process picks its own.
  if (port === 0 && !runService) env.PORT = String(await freePort(config.host))
  const catalogue = await readCatalogue(staged.folder, {}, options.families)
  return { env, config, catalogue, folder, leftOut: staged.leftOut }
}

/** The wanted families. Checked before the files are read: an unwanted network need not be valid. */
function wantedFamilies(text: string | undefined): readonly string[] | undefined {
  const { success, data, error } = WantedFamilies.safeParse(text)
  if (success) return data
  throw new ConfigError(`FAMILIES: ${error.issues.map(({ message }) => message).join('; ')}`)
}

export function portTaken(host: string, port: number): SandboxError {
  return new SandboxError(
    'port',
    `${port} on ${host} is taken. Stop what listens there, or choose another, as in PORT=${port + 1} npm start`,
  )
}
