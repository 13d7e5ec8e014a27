/** The environment, parsed once. Every problem is listed at once, and the service refuses to start with any. */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { ENVIRONMENTS, NETWORK_TYPES } from '@causeway/core'
import { z } from 'zod'
import { type Settings, withFile } from './config/file.ts'
import { nameProblems, nearestOf } from './config/names.ts'
import { PROXIES, trustedProxies } from './config/proxies.ts'
import { ALLOWANCES } from './config/unsafe.ts'
import { SIGNER_SHAPE, signerProblems } from './keys/backends/settings.ts'

const ROLES = ['api', 'watch', 'work'] as const

const ROOT = path.join(import.meta.dirname, '../..')

const seconds = (fallback: number) =>
  z.coerce
    .number()
    .positive()
    .default(fallback)
    .transform((value) => value * 1000)

const count = (fallback: number) => z.coerce.number().int().positive().default(fallback)

/** The kinds of networks that are wanted; networks of any other kind are left out. All of them where it is not said. */
export const WantedFamilies = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  )
  .pipe(z.array(z.enum(NETWORK_TYPES)).min(1))
  .optional()

const Environment = z
  .object({
    DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgres:// address'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
    HOST: z.string().default('127.0.0.1'),
    /** Metrics and readiness, for the operator's own machines. */
    INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(8081),
    INTERNAL_HOST: z.string().default('127.0.0.1'),
    /** The console is on the internal port; this puts it on the public one as well. */
    OPERATOR_PUBLIC: z.stringbool().default(false),
    /** Two people open what is closed, and give away what is worth more than so many dollars; without it one may. */
    FOUR_EYES_USD: z.coerce.number().min(0).optional(),
    ROLES: z
      .string()
      .default(ROLES.join(','))
      .transform((text) => text.split(',').map((role) => role.trim()))
      .pipe(z.array(z.enum(ROLES)).min(1)),
    NETWORKS: z
      .string()
      .default('networks/testnet')
      .transform((folder) => path.resolve(ROOT, folder)),
    PRICES_FILE: z
      .string()
      .default('networks/prices.json')
      .transform((file) => path.resolve(ROOT, file)),
    /** `fixed`, or names of sources in the file below: of several, the median counts. */
    PRICES: z
      .string()
      .default('fixed')
      .transform((text) => text.split(',').map((name) => name.trim()))
      .pipe(z.array(z.string().min(1)).min(1))
      // It would outvote others with itself.
      .refine((names) => new Set(names).size === names.length, 'names a source twice'),
    PRICE_SOURCES_FILE: z
      .string()
      .default('networks/price-sources.json')
      .transform((file) => path.resolve(ROOT, file)),
    /** Older prices of a source do not count. */
    PRICE_MAX_AGE_SECONDS: seconds(300),
    /** How far from each other price sources may stand that agree; 0.02 is two percent. */
    PRICE_MAX_DEVIATION: z.coerce.number().positive().max(0.5).default(0.02),
    /** Fees, bounds and closed pairs of single routes; may be absent. */
    ROUTES_FILE: z
      .string()
      .default('networks/routes.json')
      .transform((file) => path.resolve(ROOT, file)),
    /** Exchanges that swaps may name; may be absent. */
    EXCHANGES_FILE: z
      .string()
      .default('networks/exchanges.json')
      .transform((file) => path.resolve(ROOT, file)),
    /** Reward campaigns; may be absent. */
    CAMPAIGNS_FILE: z
      .string()
      .default('networks/campaigns.json')
      .transform((file) => path.resolve(ROOT, file)),
    /** Says `pending_refund` for both refund states, for clients that know only that word. */
    ONE_REFUND_STATUS: z.stringbool().default(false),
    /** How long an answer about a swap is kept that nothing was heard of; 0 keeps none. Changes are heard at once. */
    ANSWER_CACHE_MS: z.coerce.number().int().min(0).max(5_000).default(500),
    ...SIGNER_SHAPE,
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    DEPOSIT_WINDOW_SECONDS: seconds(6 * 3600),
    /** How long a quote holds, whatever the tokens; without it 15 or 5 minutes, as they are. */
    QUOTE_TTL_SECONDS: z.coerce
      .number()
      .positive()
      .transform((value) => value * 1000)
      .optional(),
    /** Token families that are dollars: between two of them a quote holds as long as between tokens of one family. */
    DOLLAR_GROUPS: z
      .string()
      .default('USDC,USDT,DAI')
      .transform((text) => text.split(',').map((group) => group.trim())),
    /** How much worse for us than today's price a quote may have become that is still paid, in hundredths of a percent. */
    QUOTE_DEVIATION_BPS: z.coerce.number().int().min(0).max(1000).default(100),
    /** How long a payout that the chain refuses is tried again before the swap is refunded. */
    PAYOUT_PATIENCE_SECONDS: seconds(10 * 60),
    /** How long a payout that could not even be started (node down, wallet empty) waits before the swap is refunded. */
    PAYOUT_GIVE_UP_SECONDS: seconds(2 * 3600),
    /** How long a node may keep silent on a send before the next one follows; 0 waits for every answer. */
    SEND_PATIENCE_MS: z.coerce.number().int().min(0).max(5_000).default(200),
    STUCK_AFTER_SECONDS: seconds(90),
    SWEEP_INTERVAL_SECONDS: seconds(60),
    /** How often wallets are compared with the books. */
    RECONCILE_INTERVAL_SECONDS: seconds(60),
    /** Addresses not to be dealt with: a file, a service, or both. */
    SCREENING_FILE: z.string().optional(),
    SCREENING_URL: z.url().optional(),
    SCREENING_TOKEN_FILE: z.string().optional(),
    SERVICE_FEE_BPS: z.coerce.number().int().min(0).max(1000).default(10),
    SERVICE_FEE_USD: z.coerce.number().min(0).max(1000).default(0),
    MIN_SWAP_USD: z.coerce.number().min(0).default(1),
    MAX_SWAP_USD: z.coerce.number().positive().default(50_000),
    /** Deposits that count and are not final yet, in dollars a network: what comes above it waits until it is final. */
    MAX_UNFINAL_USD: z.coerce.number().positive().default(250_000),
    /** Deposits seen and not yet paid, in dollars a token: above it no more of the token is taken; 5 × MAX_SWAP_USD by default. */
    MAX_EXPOSURE_USD: z.coerce.number().positive().optional(),
    /** Relayed deposits that may fail on chain in a day, on each network: above it none is relayed there. */
    RELAY_FAILURES_PER_DAY: count(20),
    REFUEL_USD: z.coerce.number().positive().default(1),
    FAMILIES: WantedFamilies,
    /** Whose keys are good here. Without it the folder of networks tells: `mainnet`, anything else is a testnet. */
    ENVIRONMENT: z.enum(ENVIRONMENTS).optional(),
    /** How the outside reaches us, for links where no request tells it (webhooks). */
    PUBLIC_URL: z
      .url()
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    /** Where `npm run build` put the pages; without them only the API is served. */
    PAGES: z
      .string()
      .default('web/dist')
      .transform((folder) => path.resolve(ROOT, folder)),
    /** What the pages call the service, and where its operator can be written to. */
    SITE_NAME: z.string().trim().min(1).max(40).default('Causeway'),
    SITE_CONTACT: z
      .string()
      .regex(/^(https:\/\/|mailto:)\S+$/, 'must be an https: or mailto: address')
      .optional(),
    /** Whose `X-Forwarded-For` is believed: that of so many proxies in a row, or of these addresses and subnets. */
    TRUST_PROXY: z
      .string()
      .default('false')
      .transform((text, context) => {
        const trusted = trustedProxies(text)
        if (trusted === null) context.addIssue({ code: 'custom', message: PROXIES })
        return trusted ?? false
      }),
    /** Requests a minute for an address; a key has so many times more. */
    RATE_LIMIT_READS: count(1_200),
    RATE_LIMIT_CREATIONS: count(120),
    RATE_LIMIT_KEY_FACTOR: count(10),
    /** Webhooks to private addresses and by plain http: for sandboxes only. */
    ALLOW_PRIVATE_WEBHOOKS: z.stringbool().default(false),
    /** Dollars that may leave a network within an hour where the operator has set no limit of it; `none` for no such limit. */
    HOURLY_OUTFLOW_USD: z.union([z.literal('none').transform(() => null), z.coerce.number().positive()]).optional(),
    /** Dangers that the operator takes on mainnet, by name. */
    ALLOW_ON_MAINNET: z
      .string()
      .default('')
      .transform((text) =>
        text
          .split(',')
          .map((word) => word.trim())
          .filter((word) => word !== ''),
      )
      .pipe(z.array(z.enum(ALLOWANCES))),
    /** Networks whose wallet is another one than this database has known, on purpose. */
    NEW_TREASURY: z
      .string()
      .default('')
      .transform((text) =>
        text
          .split(',')
          .map((word) => word.trim())
          .filter((word) => word !== ''),
      ),
  })
  .superRefine((env, context) => {
    const keys = isKeyless(env) ? [] : signerProblems(env)
    for (const { name, problem } of keys) {
      const orNone = env.ROLES.every((role) => role === 'api')
        ? ' (or QUOTE_KEY_FILE alone: ROLES=api needs no other key)'
        : ''
      context.addIssue({ code: 'custom', path: [name], message: problem + orNone })
    }
    if (env.MIN_SWAP_USD >= env.MAX_SWAP_USD) {
      context.addIssue({ code: 'custom', path: ['MIN_SWAP_USD'], message: 'must be below MAX_SWAP_USD' })
    }
  })

/** With the words of the documents: `npm run serve -- --help` lists them. */
export const SETTINGS = [...Object.keys(Environment.shape), 'CONFIG_FILE']
/** Of the signer process and of the admin commands, which may share an environment or a file with the service. */
const OF_OTHERS = ['OPERATOR_KEY_FILE', 'SIGNER_HOST', 'SIGNER_PORT', 'SIGNER_POLICY_FILE', 'SIGNER_JOURNAL_FILE']
/** So many of the largest swaps may leave a network within an hour. */
const SWAPS_AN_HOUR = 20

/** A process that only answers callers may sign quotes and nothing else: where no other key is named, it holds none. */
export function isKeyless(env: {
  ROLES: readonly string[]
  QUOTE_KEY_FILE?: string | undefined
  KEYSTORE_FILE?: string | undefined
  MNEMONIC?: string | undefined
  SIGNER_URL?: string | undefined
  KMS_KEYS_FILE?: string | undefined
}): boolean {
  const named = [env.KEYSTORE_FILE, env.MNEMONIC, env.SIGNER_URL, env.KMS_KEYS_FILE]
  return env.ROLES.every((role) => role === 'api') && !!env.QUOTE_KEY_FILE && named.every((name) => !name)
}

export type Config = Omit<z.infer<typeof Environment>, 'ENVIRONMENT' | 'HOURLY_OUTFLOW_USD'> & {
  ENVIRONMENT: (typeof ENVIRONMENTS)[number]
  /** Dollars; null for no limit but the operator's own. */
  HOURLY_OUTFLOW_USD: number | null
  /** Node addresses by network, from `NODES_<NETWORK>`; they replace those of the network's file. */
  nodes: Record<string, string[]>
}

/** Thrown with all problems in the message; its text is meant to be printed as it is. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const NODES_PREFIX = 'NODES_'

export function parseConfig(given: Settings): Config {
  const { env: written, inFile, problems } = withFile(given)
  // A name without a value says nothing: it is no zero and no "none".
  const env = Object.fromEntries(
    Object.entries(written).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  const parsed = Environment.safeParse(env)
  if (!parsed.success)
    problems.push(...parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`))
  const nodes: Record<string, string[]> = {}
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(NODES_PREFIX) || !value) continue
    const urls = value.split(',').map((url) => url.trim())
    const bad = urls.filter((url) => !URL.canParse(url))
    if (bad.length > 0) problems.push(`${name}: ${bad.length} of ${urls.length} entries are not addresses`)
    if (new Set(urls).size < urls.length) problems.push(`${name}: names a node twice`)
    nodes[name.slice(NODES_PREFIX.length)] = urls
  }
  // NODE_ETHEREUM_MAINNET is a mistake too.
  const listed = listedNetworks(parsed.data?.NETWORKS).map((name) => `${NODES_PREFIX}${name}`)
  problems.push(...strangeNames(Object.keys(env), inFile, listed), ...missingFiles(env, parsed.data))
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError(`the configuration has problems:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
  const { ENVIRONMENT = environmentOf(parsed.data.NETWORKS) } = parsed.data
  // Where coins are worth something, something bounds what a fault can send away.
  const usual = ENVIRONMENT === 'mainnet' ? SWAPS_AN_HOUR * parsed.data.MAX_SWAP_USD : null
  const { HOURLY_OUTFLOW_USD = usual } = parsed.data
  return { ...parsed.data, ENVIRONMENT, HOURLY_OUTFLOW_USD, nodes }
}

/** Networks that have a file, as the files are called. */
export function listedNetworks(folder: string | undefined): string[] {
  if (!folder || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.map((name) => path.basename(name, '.json'))
}

function strangeNames(names: string[], inFile: string[], listed: string[]): string[] {
  const known = [...SETTINGS, ...OF_OTHERS, ...listed]
  const isKnown = (name: string) => known.includes(name) || name.startsWith(NODES_PREFIX)
  const inOwnFile = inFile
    .filter((name) => !isKnown(name))
    .map((name) => {
      const near = nearestOf(name, known)
      return `CONFIG_FILE: ${name} is no setting${near ? `; did you mean ${near}?` : ''}`
    })
  const outside = names.filter((name) => !isKnown(name) && !inFile.includes(name))
  return [...inOwnFile, ...nameProblems(outside, known)]
}

/** Of what somebody has named; what is named by default may be absent. */
function missingFiles(env: Settings, parsed: Record<string, unknown> | undefined): string[] {
  return SETTINGS.filter((name) => /(_FILE|^NETWORKS)$/.test(name) && name !== 'CONFIG_FILE').flatMap((name) => {
    const given = env[name]
    if (!given) return []
    const place = parsed?.[name]
    const found = statSync(typeof place === 'string' ? place : path.resolve(given), { throwIfNoEntry: false })
    const wanted = name === 'NETWORKS' ? 'folder' : 'file'
    if (!found) return [`${name}: there is no ${wanted} ${given}`]
    return found.isDirectory() === (wanted === 'folder') ? [] : [`${name}: ${given} is no ${wanted}`]
  })
}

/** By the name of the folder of networks. */
export function environmentOf(networks: string): Config['ENVIRONMENT'] {
  return path.basename(networks) === 'mainnet' ? 'mainnet' : 'testnet'
}
