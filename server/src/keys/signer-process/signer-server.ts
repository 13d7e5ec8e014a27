/** `npm run signer`: a separate process that holds the keys and signs only orders that its own policy allows. */
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readCatalogue } from '../../catalogue/catalogue.ts'
import { loadFamily, onlyFamilies } from '../../catalogue/chains.ts'
import { ConfigError } from '../../config.ts'
import { createLog } from '../../observe/log.ts'
import { onSignal } from '../../observe/signals.ts'
import { openPrices } from '../../prices/open.ts'
import { readJson, readToken } from '../backends/files.ts'
import { openSigner } from '../backends/signer.ts'
import { openJournal } from '../journal/journal.ts'
import { reportPrune, reportRepair, reportStatus } from '../journal/report.ts'
import { openAdapters } from './adapters.ts'
import { readPolicy } from './policy.ts'
import { refuseSharedDomains } from './replay-domains.ts'
import { createSignerApp } from './signer-app.ts'
import { parseSignerConfig, type SignerConfig } from './signer-config.ts'
import { createSignerPrices } from './signer-prices.ts'
import { steadyNow } from './steady-clock.ts'

const HELP = `Holds the keys in a process of its own and signs what its policy allows. docs/operate/keys.md says how to set it up.

  npm run signer                   runs it
  npm run signer -- check          reads the configuration and the policy, prints the wallets, signs nothing
  npm run signer -- resume         lets signing continue after a restore, together with the operator of the service
  npm run signer -- journal status     shows the journal and its copy, and reads every line of both
  npm run signer -- journal prune      removes old closed segments (JOURNAL_KEEP_DAYS); the signer must be stopped
  npm run signer -- journal repair     replaces damaged segments by the copy's; the signer must be stopped

From the environment, or from a file that CONFIG_FILE names:
  SIGNER                 keystore (with KEYSTORE_FILE, KEYSTORE_PASSWORD_FILE), kms or mnemonic
  SIGNER_TOKEN_FILE      the token that the service must show, 32 characters or more
  SIGNER_POLICY_FILE     what may be signed (JSON)
  SIGNER_JOURNAL_FOLDER  what was signed: keep it, it is what stops a slot, a payout or a deposit from being paid twice
  SIGNER_JOURNAL_COPY    a second folder with every line, best on another machine
  SIGNER_HOST, SIGNER_PORT   127.0.0.1, 8790
  SIGNER_PRICES          price sources that exchanges are judged by, as PRICES of the service; none by default
  NETWORKS, FAMILIES, ENVIRONMENT, LOG_LEVEL   as for the service
`

/** How often the price sources are read. */
const PRICES_MS = 15_000

/** Name of the file in the journal's folder by which an operator lets signing continue. */
const PERMISSION = 'resume'

const COMMANDS: Record<string, (config: SignerConfig) => unknown> = {
  '': serve,
  check,
  resume,
  'journal status': (config) => print(reportStatus(foldersOf(config))),
  'journal prune': async (config) => print(await reportPrune(foldersOf(config), config.journalKeepDays, new Date())),
  'journal repair': (config) => print(reportRepair(foldersOf(config))),
}

try {
  await run()
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return console.log(HELP)
  const command = positionals.join(' ')
  const work = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
  if (!work) throw new ConfigError(`there is no command ${command}\n\n${HELP}`)
  await work(parseSignerConfig(process.env))
}

async function openParts(config: SignerConfig) {
  const signer = await openSigner(config)
  const families = onlyFamilies(config.families)
  const catalogue = await readCatalogue(config.networksFolder, {}, families)
  await refuseSharedDomains(catalogue, families)
  const log = createLog(config.logLevel)
  const source = config.prices.length > 0 ? openPrices(config, log, steadyNow) : null
  const prices = createSignerPrices(source, catalogue, { maxAgeMs: config.priceMaxAgeMs, now: steadyNow })
  const file = readJson(config.signerPolicyFile, 'SIGNER_POLICY_FILE')
  const policy = await readPolicy(file, catalogue, families, { priceOf: prices.priceOf, now: steadyNow })
  const token = readToken(config.signerTokenFile, 'SIGNER_TOKEN_FILE')
  return { signer, catalogue, policy, prices, token, log, ...openAdapters(catalogue, families, signer, log) }
}

async function serve(config: SignerConfig): Promise<void> {
  const parts = await openParts(config)
  const { log } = parts
  const [folder, copy = null] = foldersOf(config)
  const journal = await openJournal({
    ...{ folder, copy, now: steadyNow },
    onBroken: (error) =>
      log.error({ err: error }, 'the signing journal cannot be written: nothing is signed until a restart'),
  })
  const app = createSignerApp({ ...parts, journal, permission: permissionIn(folder), now: steadyNow })
  await app.listen({ host: config.signerHost, port: config.signerPort })
  const { port } = app.server.address() as AddressInfo
  log.info({ host: config.signerHost, port, journal: folder, state: journal.state() }, 'signer started')
  const stopping = new AbortController()
  const refreshing = keepPrices(parts, stopping.signal)
  onSignal(async () => {
    stopping.abort()
    await refreshing
    await app.close()
    await journal.end()
  })
}

/** A source that does not answer only ages its prices: exchanges are refused then, and payments go on. */
async function keepPrices({ prices, log }: Awaited<ReturnType<typeof openParts>>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await prices.refresh().catch((error) => log.warn({ err: error }, 'the prices could not be read'))
    await delay(PRICES_MS, undefined, { signal }).catch(() => undefined)
  }
}

async function check(config: SignerConfig): Promise<void> {
  const { catalogue, signer } = await openParts(config)
  for (const network of catalogue.networks) {
    const family = await loadFamily(network.type)
    console.log(`${network.name.padEnd(24)} ${await family.treasury(network, signer)}`)
  }
  console.log('the configuration and the policy are good')
}

function resume(config: SignerConfig): void {
  const [folder] = foldersOf(config)
  print(reportStatus(foldersOf(config)))
  writeFileSync(permissionIn(folder), `${new Date().toISOString()}\n`, { mode: 0o600 })
  console.log('signing continues when the operator of the service resumes it, too')
}

function permissionIn(folder: string): string {
  return path.join(folder, PERMISSION)
}

function foldersOf({ signerJournalFolder, signerJournalCopy }: SignerConfig): [folder: string, copy?: string] {
  return signerJournalCopy === undefined ? [signerJournalFolder] : [signerJournalFolder, signerJournalCopy]
}

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line)
}
