/** The variables of the service. docs/operate/configure.md explains each of them to operators. */
import path from 'node:path'
import { ENVIRONMENTS, NETWORK_TYPES } from '@causeway/core'
import { z } from 'zod'
import { PROXIES, trustedProxies } from './proxies.ts'
import { SIGNER_VARIABLES } from './signer-variables.ts'
import type { VariableTable } from './table.ts'
import { ALLOWANCES } from './unsafe.ts'

const ROLES = ['api', 'watch', 'work'] as const

const ROOT = path.join(import.meta.dirname, '../../..')

const seconds = () => z.coerce.number().positive()
const toMs = (value: number) => value * 1000
const secondsAsMs = (fallback: number) => seconds().default(fallback).transform(toMs)

/** The public analytics look this far back, and a late deposit to a younger swap still finds it. */
export const LEAST_SWAP_KEEP_DAYS = 90

const count = (fallback: number) => z.coerce.number().int().positive().default(fallback)
const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback)

/** Resolves a file or folder relative to the repository. */
const resolved = (given: string) => path.resolve(ROOT, given)
const place = (fallback: string) => z.string().default(fallback).transform(resolved)
const fromRoot = z.string().transform(resolved)

const splitList = (text: string) => text.split(',').map((word) => word.trim())
const list = (fallback: string) => z.string().default(fallback).transform(splitList)
/** Splits a list of words; empty entries are ignored. */
const wordList = (text: string) => splitList(text).filter((word) => word !== '')

/** Other characters cannot be sent: the error would name the value, which may be a key. */
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** Headers in the form that OpenTelemetry defines. */
function headerPairs(text: string, context: z.RefinementCtx): Record<string, string> {
  const pairs = wordList(text).map((pair) => /^([!#$%&'*+.^_`|~\w-]+)=(.*)$/.exec(pair))
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const value = decodeURIComponent(pair?.[2] ?? '')
        if (!pair || !HEADER_VALUE.test(value)) throw new URIError('not a pair')
        return [pair[1], value]
      }),
    )
  } catch {
    // The text may hold a key: it is not shown.
    context.addIssue('must be name=value, with commas between pairs')
    return z.NEVER
  }
}

/** A request to an address with a password fails, and the error names it. */
function hasNoPassword(text: string): boolean {
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

export const WordList = z.string().default('').transform(wordList)

/** Only networks of these families are used; all of them if the variable is absent. */
export const WantedFamilies = z
  .string()
  .transform(wordList)
  .pipe(z.array(z.enum(NETWORK_TYPES)).min(1))
  .optional()

/** Four variables that the signer process reads, too. */
export const SHARED_VARIABLES = {
  networksFolder: ['NETWORKS', place('networks/testnet')],
  families: ['FAMILIES', WantedFamilies],
  /** API keys of this environment are accepted. The default follows the networks folder: `mainnet`, or else testnet. */
  environment: ['ENVIRONMENT', z.enum(ENVIRONMENTS).optional()],
  logLevel: ['LOG_LEVEL', z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info')],
} satisfies VariableTable

/** Where prices come from. The signer process reads them, too, if its policy allows exchanges. */
export const PRICE_VARIABLES = {
  pricesFile: ['PRICES_FILE', place('networks/prices.json')],
  /** `fixed`, or names of sources in the file below. The median of several sources is used. */
  prices: [
    'PRICES',
    list('fixed')
      .pipe(z.array(z.string().min(1)).min(1))
      // A source that is named twice would have two votes in the median.
      .refine((names) => new Set(names).size === names.length, 'names a source twice'),
  ],
  priceSourcesFile: ['PRICE_SOURCES_FILE', place('networks/price-sources.json')],
  /** Older prices of a source are ignored. */
  priceMaxAgeMs: ['PRICE_MAX_AGE_SECONDS', secondsAsMs(300)],
  /** Price sources agree if they differ by at most this ratio; 0.02 is two percent. */
  priceMaxDeviation: ['PRICE_MAX_DEVIATION', z.coerce.number().positive().max(0.5).default(0.02)],
} satisfies VariableTable

export const SERVICE_VARIABLES = {
  databaseUrl: ['DATABASE_URL', z.string('is needed').regex(/^postgres(ql)?:\/\//, 'must be a postgres:// address')],
  /** A standby of that database for lists and polling. It answers only if it has everything that was committed before. */
  databaseReadUrl: [
    'DATABASE_READ_URL',
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// address')
      .optional(),
  ],
  /** How long a read waits for the standby before it goes to the primary. */
  databaseReadWaitMs: ['DATABASE_READ_WAIT_MS', z.coerce.number().int().min(0).max(2_000).default(100)],
  port: ['PORT', port(8080)],
  host: ['HOST', z.string().default('127.0.0.1')],
  /** Metrics and readiness, for the operator's own machines. */
  internalPort: ['INTERNAL_PORT', port(8081)],
  internalHost: ['INTERNAL_HOST', z.string().default('127.0.0.1')],
  internalNames: [
    'INTERNAL_NAMES',
    z
      .string()
      .default('')
      .transform((text) => splitList(text.toLowerCase())),
  ],
  /** The console is on the internal port; this puts it on the public one as well. */
  operatorPublic: ['OPERATOR_PUBLIC', z.stringbool().default(false)],
  /** Dual control: two people must resume a pause and approve payments above this value. If absent, one person may. */
  fourEyesUsd: ['FOUR_EYES_USD', z.coerce.number().min(0).optional()],
  roles: ['ROLES', list(ROLES.join(',')).pipe(z.array(z.enum(ROLES)).min(1))],
  ...SHARED_VARIABLES,
  ...PRICE_VARIABLES,
  /** Fees, limits and closed pairs of single routes. The file may be absent. */
  routesFile: ['ROUTES_FILE', place('networks/routes.json')],
  /** Exchanges that swaps may name. The file may be absent. */
  exchangesFile: ['EXCHANGES_FILE', place('networks/exchanges.json')],
  /** Reward campaigns. The file may be absent. */
  campaignsFile: ['CAMPAIGNS_FILE', place('networks/campaigns.json')],
  /** Reports `pending_refund` for both refund states, for clients that know only that status. */
  oneRefundStatus: ['ONE_REFUND_STATUS', z.stringbool().default(false)],
  /** How long a cached response about an unchanged swap is used; 0 caches none. A change invalidates it at once. */
  answerCacheMs: ['ANSWER_CACHE_MS', z.coerce.number().int().min(0).max(5_000).default(500)],
  ...SIGNER_VARIABLES,
  /** The signing journal. Required on mainnet; elsewhere each database has a folder in DATA_FOLDER. */
  journalFolder: ['JOURNAL_FOLDER', z.string().optional()],
  /** A second folder with every line of the journal, best on another machine. */
  journalCopy: ['JOURNAL_COPY', z.string().optional()],
  /** How long `journal prune` keeps closed lines: longer than any backup that may be restored. */
  journalKeepDays: ['JOURNAL_KEEP_DAYS', count(400)],
  webhookKeepDays: ['WEBHOOK_KEEP_DAYS', count(30)],
  /** `archive` takes swaps that were closed earlier. If absent, swaps are kept for ever. */
  swapKeepDays: ['SWAP_KEEP_DAYS', z.coerce.number().int().min(LEAST_SWAP_KEEP_DAYS).optional()],
  /** Where `archive` writes its files. */
  archiveFolder: ['ARCHIVE_FOLDER', z.string().optional()],
  /** A collector of OpenTelemetry traces: OTLP over HTTP, such as http://127.0.0.1:4318. Without it none are made. */
  otelExporterOtlpEndpoint: [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    z
      .url({ protocol: /^https?$/ })
      .refine((text) => hasNoPassword(text), 'must hold no name and no password: use OTEL_EXPORTER_OTLP_HEADERS')
      .optional(),
  ],
  otelServiceName: ['OTEL_SERVICE_NAME', z.string().default('causeway')],
  /** `name=value` pairs with commas between them, percent-encoded: the collector's key, for example. */
  otelExporterOtlpHeaders: ['OTEL_EXPORTER_OTLP_HEADERS', z.string().transform(headerPairs).optional()],
  /** Files that the service keeps outside the database, unless another setting names their folder. */
  dataFolder: ['DATA_FOLDER', place('.data')],
  /** The folder of the database's backups: the doctor reads the age of its newest file. */
  backupFolder: ['BACKUP_FOLDER', z.string().optional()],
  /** A database server for the drill's scratch database; the service's own if absent. */
  drillDatabaseUrl: ['DRILL_DATABASE_URL', z.string().optional()],
  backupMaxAgeHours: ['BACKUP_MAX_AGE_HOURS', z.coerce.number().positive().default(26)],
  /** The keys of the canary's own wallet, which no other part of the service uses. */
  canaryKeystoreFile: ['CANARY_KEYSTORE_FILE', z.string().optional()],
  canaryKeystorePasswordFile: ['CANARY_KEYSTORE_PASSWORD_FILE', z.string().optional()],
  /** The public API that the canary swaps over; this machine's own if absent. */
  canaryUrl: ['CANARY_URL', z.url().optional()],
  canaryBudgetUsd: ['CANARY_BUDGET_USD', z.coerce.number().positive().default(20)],
  depositWindowMs: ['DEPOSIT_WINDOW_SECONDS', secondsAsMs(6 * 3600)],
  /** How long every quote is valid. If absent, 15 or 5 minutes, depending on the tokens. */
  quoteTtlMs: ['QUOTE_TTL_SECONDS', seconds().transform(toMs).optional()],
  /** Token groups that are dollars: a quote between two of them is valid as long as one within a group. */
  dollarGroups: ['DOLLAR_GROUPS', list('USDC,USDT,DAI')],
  /** A quote is still paid if the current price is at most this much worse for us. */
  quoteDeviationBps: ['QUOTE_DEVIATION_BPS', z.coerce.number().int().min(0).max(1000).optional()],
  /** A swap that moves the price of a provider's pool by more than this is not offered. */
  maxPriceImpactBps: ['MAX_PRICE_IMPACT_BPS', z.coerce.number().int().min(1).max(5000).default(300)],
  /** An exchange gets at most this slippage, whatever the user accepts. */
  providerSlippageBps: ['PROVIDER_SLIPPAGE_BPS', z.coerce.number().int().min(0).max(1000).default(300)],
  /** A pool whose price differs more than this from the price sources is not used. */
  providerPriceDeviationBps: ['PROVIDER_PRICE_DEVIATION_BPS', z.coerce.number().int().min(1).max(5000).default(500)],
  /** How long a payout that the chain rejects is retried before the swap is refunded. */
  payoutPatienceMs: ['PAYOUT_PATIENCE_SECONDS', secondsAsMs(10 * 60)],
  /** How long a payout that could not be started (node down, wallet empty) is retried before the swap is refunded. */
  payoutGiveUpMs: ['PAYOUT_GIVE_UP_SECONDS', secondsAsMs(2 * 3600)],
  /** How long a send waits for a node before it also asks the next one; 0 waits for every answer. */
  sendPatienceMs: ['SEND_PATIENCE_MS', z.coerce.number().int().min(0).max(5_000).default(200)],
  stuckAfterMs: ['STUCK_AFTER_SECONDS', secondsAsMs(90)],
  sweepIntervalMs: ['SWEEP_INTERVAL_SECONDS', secondsAsMs(60)],
  /** How often wallets are compared with the ledger. */
  reconcileIntervalMs: ['RECONCILE_INTERVAL_SECONDS', secondsAsMs(60)],
  /** Denied addresses: a file, a service, or both. */
  screeningFile: ['SCREENING_FILE', z.string().optional()],
  screeningUrl: ['SCREENING_URL', z.url().optional()],
  screeningTokenFile: ['SCREENING_TOKEN_FILE', z.string().optional()],
  /** Of listed senders, this much holds no payout that others paid for. */
  screeningDustUsd: ['SCREENING_DUST_USD', z.coerce.number().min(0).max(1_000).default(1)],
  serviceFeeBps: ['SERVICE_FEE_BPS', z.coerce.number().int().min(0).max(1000).default(10)],
  serviceFeeUsd: ['SERVICE_FEE_USD', z.coerce.number().min(0).max(1000).default(0)],
  minSwapUsd: ['MIN_SWAP_USD', z.coerce.number().min(0).default(1)],
  maxSwapUsd: ['MAX_SWAP_USD', z.coerce.number().positive().default(50_000)],
  /** Credited deposits that are not final yet, per network. Deposits above it wait for finality. */
  maxUnfinalUsd: ['MAX_UNFINAL_USD', z.coerce.number().positive().default(250_000)],
  /**
   * Deposits settled at old prices that cost more than the service fee, per asset; above it the current price is paid.
   * Also deposits seen and not yet paid out, per token; above it no more is accepted. 5 × MAX_SWAP_USD by default.
   */
  maxExposureUsd: ['MAX_EXPOSURE_USD', z.coerce.number().positive().optional()],
  /** Relayed deposits that may fail on chain, per network. Above it none is relayed there. */
  relayFailuresPerDay: ['RELAY_FAILURES_PER_DAY', count(20)],
  /** A remainder up to this value that does not cover its gas is kept. A larger one waits for cheaper gas. */
  dustUsd: ['DUST_USD', z.coerce.number().min(0).max(100).default(1)],
  refuelUsd: ['REFUEL_USD', z.coerce.number().positive().default(1)],
  /** Our public address, for links outside a request (webhooks). */
  publicUrl: [
    'PUBLIC_URL',
    z
      .url()
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  ],
  /** Output of `npm run build`. Without it only the API is served. */
  pagesFolder: ['PAGES', place('web/dist')],
  /** Name, logo, colours and links of the operator on the pages: docs/operate/branding.md. */
  brandingFile: ['BRANDING_FILE', fromRoot.optional()],
  /** The service's name on its pages, and how to reach its operator. */
  siteName: ['SITE_NAME', z.string().trim().min(1).max(40).default('Causeway')],
  siteContact: [
    'SITE_CONTACT',
    z
      .string()
      .regex(/^(https:\/\/|mailto:)\S+$/, 'must be an https: or mailto: address')
      .optional(),
  ],
  /** Whose `X-Forwarded-For` is trusted: a number of proxies in a row, or these addresses and subnets. */
  trustProxy: [
    'TRUST_PROXY',
    z
      .string()
      .default('false')
      .transform((text, context) => {
        const trusted = trustedProxies(text)
        if (trusted === null) context.addIssue({ code: 'custom', message: PROXIES })
        return trusted ?? false
      }),
  ],
  /** Requests per minute and IP address. The factor multiplies both limits for an API key. */
  rateLimitReadsPerMinute: ['RATE_LIMIT_READS', count(1_200)],
  rateLimitCreationsPerMinute: ['RATE_LIMIT_CREATIONS', count(120)],
  rateLimitKeyFactor: ['RATE_LIMIT_KEY_FACTOR', count(10)],
  maxOpenAddresses: ['MAX_OPEN_ADDRESSES', count(200)],
  /** Webhooks to private addresses and over plain http: for sandboxes only. */
  allowPrivateWebhooks: [
    'ALLOW_PRIVATE_WEBHOOKS',
    z
      .union([
        z.enum(['none', 'loopback']),
        z.stringbool().transform((all) => (all ? ('all' as const) : ('none' as const))),
      ])
      .default('none'),
  ],
  /** The hourly limit per network, if the operator has set none for it; `none` for no limit. */
  hourlyOutflowUsd: [
    'HOURLY_OUTFLOW_USD',
    z.union([z.literal('none').transform(() => null), z.coerce.number().positive()]).optional(),
  ],
  /** Dangers that the operator accepts on mainnet. */
  allowOnMainnet: [
    'ALLOW_ON_MAINNET',
    z
      .string()
      .default('')
      .transform(wordList)
      .pipe(z.array(z.enum(ALLOWANCES))),
  ],
  /** Networks whose wallet has changed on purpose since this database was last used. */
  newTreasury: ['NEW_TREASURY', z.string().default('').transform(wordList)],
} satisfies VariableTable
