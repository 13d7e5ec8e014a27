/**
 * `npm run doctor`, or `serve --check`: one line per check with what to do, before the service starts or while it runs.
 * It reads as the service does and changes nothing: no migration, no signature, no transaction.
 */
import type { Catalogue, Signer } from '@causeway/core'
import { readCatalogue, withNodes, withSubmissions } from '../catalogue/catalogue.ts'
import { type Families, onlyFamilies } from '../catalogue/chains.ts'
import type { Settings } from '../config/file.ts'
import { type Config, ConfigError, isKeyless, parseConfig } from '../config.ts'
import { openSigner } from '../keys/backends/signer.ts'
import { orderSource } from '../keys/orders/source.ts'
import { readOnlySigner } from '../keys/public-keys/public-key-store.ts'
import { createLog } from '../observe/log.ts'
import { startupErrors } from '../observe/startup-errors.ts'
import { openPrices } from '../prices/open.ts'
import { type Database, openDatabase } from '../store/db/database.ts'
import { readJournalRow } from '../store/journal/journal-row.ts'
import { presentTreasury } from '../store/ledger/treasuries.ts'
import { type Check, fail, ok, reasonOf, warn } from './check.ts'
import { checkDatabase } from './database.ts'
import { checkMachine } from './machine.ts'
import { checkNetworks } from './networks.ts'

export interface DoctorOptions {
  families?: Families
  now?: () => Date
}

export async function examine(env: Settings, options: DoctorOptions = {}): Promise<Check[]> {
  const now = options.now ?? (() => new Date())
  let config: Config
  try {
    config = parseConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems = error.message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^\s*- /, ''))
    return problems.map((problem) => fail('settings', problem, 'See docs/operate/configure.md'))
  }
  const database = openDatabase(config.databaseUrl)
  try {
    const { checks, isCurrent } = await checkDatabase(config, database)
    return [
      ok('settings', `${config.environment}, roles ${config.roles.join(', ')}`),
      ...checks,
      ...(await checkMachine(config, now())),
      ...(await checkMoney(config, database, isCurrent, { now, ...options })),
    ]
  } finally {
    await database.destroy()
  }
}

async function checkMoney(
  config: Config,
  database: Database,
  isCurrent: boolean,
  { families: given, now }: DoctorOptions & { now: () => Date },
): Promise<Check[]> {
  const families = onlyFamilies(config.families, given)
  const skipped: Check[] = []
  const leaveOut = (network: string, reason: string) =>
    skipped.push(warn(network, `left out: ${reason}`, 'Remove its file, or correct it'))
  let catalogue: Catalogue
  try {
    const read = await readCatalogue(config.networksFolder, config.nodes, families, leaveOut)
    catalogue = withSubmissions(withNodes(read, leaveOut), config.privateSubmissions)
  } catch (error) {
    return [fail('networks', reasonOf(error), 'Correct the files in the folder that NETWORKS names')]
  }
  const prices = await checkPrices(config, catalogue, now)
  // A process without keys reads the public keys from the database, which must have them.
  if (isKeyless(config) && !isCurrent) {
    return [...skipped, ...prices, warn('keys', 'not checked: this process has none', 'Start one with keys first')]
  }
  const signer = await checkSigner(config, database)
  if (!signer.keys) return [...skipped, ...prices, ...signer.checks]
  const knownTreasury = async (network: string) => (isCurrent ? presentTreasury(database, network) : null)
  const { aggregatorKeys } = config
  const networks = await checkNetworks(catalogue, { families, signer: signer.keys, knownTreasury, aggregatorKeys })
  const journal = isCurrent ? await checkJournal(config, database) : []
  return [...signer.checks, ...journal, ...prices, ...skipped, ...networks]
}

async function checkSigner(config: Config, database: Database): Promise<{ keys: Signer | null; checks: Check[] }> {
  try {
    const keys = await openSigner(config, isKeyless(config) ? readOnlySigner(database) : undefined)
    const kind = isKeyless(config) ? 'none: it signs quotes only' : config.signer
    return { keys, checks: [ok('keys', kind)] }
  } catch (error) {
    const where = { databaseUrl: config.databaseUrl, signerUrl: config.signerUrl }
    const detail = startupErrors(error, where) ?? reasonOf(error)
    return { keys: null, checks: [fail('keys', detail, 'See docs/operate/keys.md')] }
  }
}

/** The signing journal, in a folder or in the signer process. */
async function checkJournal(config: Config, database: Database): Promise<Check[]> {
  if (!config.roles.includes('work')) return []
  const name = config.signer === 'remote' ? 'signer' : 'journal'
  const row = await readJournalRow(database)
  if (!row) return [ok(name, 'the first start creates the journal')]
  if (config.signer !== 'remote') {
    return [
      row.state === 'running' ? ok(name, 'of this database') : fail(name, row.state, 'See docs/operate/journal.md'),
    ]
  }
  try {
    const source = orderSource(config, row.database_id, {
      now: () => new Date(),
      adapterOf: (network) => {
        throw new Error(`nothing is signed here: ${network}`)
      },
      onBroken: () => undefined,
    })
    const orders = await source.open()
    if (!orders) return [fail(name, 'has no journal of this database', 'See docs/operate/journal.md')]
    const { id } = await orders.status()
    await orders.end()
    if (id === row.id) return [ok(name, 'answers, with the journal of this database')]
    return [fail(name, 'has the journal of another database', 'See docs/operate/journal.md')]
  } catch (error) {
    return [fail(name, reasonOf(error), 'Start it, or correct SIGNER_URL and SIGNER_TOKEN_FILE')]
  }
}

async function checkPrices(config: Config, { networks }: Catalogue, now: () => Date): Promise<Check[]> {
  const groups = [...new Set(networks.flatMap(({ tokens }) => tokens.map(({ group, symbol }) => group ?? symbol)))]
  try {
    const read = await openPrices(config, createLog('silent'), now).read(groups)
    const missing = groups.filter((group) => !read.has(group))
    if (missing.length === 0) return [ok('prices', `of ${groups.length} assets by ${config.prices.join(', ')}`)]
    const detail = `none of ${missing.join(', ')}`
    const fix = 'Their routes are not offered: add them to PRICE_SOURCES_FILE or PRICES_FILE'
    return [missing.length === groups.length ? fail('prices', detail, fix) : warn('prices', detail, fix)]
  } catch (error) {
    return [fail('prices', reasonOf(error), 'See PRICES in docs/operate/configure.md')]
  }
}
