/**
 * `npm run drill`: restores the newest backup and the signing journal into a scratch database, checks the result, and drops
 * it. It shows before an emergency that a restore works, how long it takes and what would be lost. The live database
 * and the journal are only read.
 */
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { signatureJudge } from '../admin/context/identity.ts'
import { replay, summarise } from '../admin/restore/replay.ts'
import type { Settings } from '../config/file.ts'
import { type Config, ConfigError, parseConfig } from '../config.ts'
import type { JournalLines } from '../keys/journal/read.ts'
import { readLines } from '../keys/orders/source.ts'
import { bringUp, type Database, openDatabase } from '../store/db/database.ts'
import { countRows } from '../store/db/inspect-server.ts'
import { readJournalRow } from '../store/journal/journal-row.ts'
import { unbalancedPostings } from '../store/ledger/ledger.ts'
import { verifyAudit } from '../store/operators/audit.ts'
import { type Check, fail, ok, reasonOf, warn } from './check.ts'
import { restoreToScratch, type Scratch } from './scratch-database.ts'

const HOUR_MS = 3_600_000
const DOCS = 'See docs/operate/restore.md'

export interface DrillOptions {
  now?: () => Date
  /** Restores a backup into a scratch database. */
  restore?: (server: string, file: string) => Promise<Scratch>
  /** Reads the signing journal. */
  journal?: (config: Config, databaseId: string) => Promise<JournalLines>
}

export async function drill(env: Settings, options: DrillOptions = {}): Promise<Check[]> {
  const { now = () => new Date(), restore = restoreToScratch, journal = readLines } = options
  let config: Config
  try {
    config = parseConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fail('settings', error.message, 'See docs/operate/configure.md')]
  }
  const started = now().getTime()
  const newest = await newestBackup(config)
  if ('fix' in newest) return [newest]
  const ageHours = (started - newest.at.getTime()) / HOUR_MS
  const detail = `${newest.file} is ${ageHours.toFixed(1)} h old`
  const isOld = ageHours > config.backupMaxAgeHours
  const checks: Check[] = [
    isOld ? fail('backup', detail, 'Look why the schedule made no newer one') : ok('backup', detail),
  ]
  let scratch: Scratch
  try {
    scratch = await restore(config.drillDatabaseUrl ?? config.databaseUrl, newest.file)
  } catch (error) {
    const fix = 'Install pg_restore of the server version. Let the role create databases, or set DRILL_DATABASE_URL'
    return [...checks, fail('restore', reasonOf(error), fix)]
  }
  try {
    checks.push(ok('restore', `into a scratch database, in ${secondsSince(started, now)} s`))
    checks.push(...(await examineScratch(config, scratch.url, journal, now)))
  } finally {
    await scratch.drop()
  }
  return [...checks, ok('time', `${secondsSince(started, now)} s from the backup to a database with the journal`)]
}

function secondsSince(started: number, now: () => Date): string {
  return ((now().getTime() - started) / 1000).toFixed(1)
}

async function newestBackup({ backupFolder }: Config): Promise<{ file: string; at: Date } | Check> {
  if (!backupFolder) return fail('backup', 'BACKUP_FOLDER is not set', 'Set it to the folder of the backups')
  try {
    const files = (await readdir(backupFolder)).map((name) => path.join(backupFolder, name))
    const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtime })))
    const [newest] = dated.toSorted((a, b) => b.at.getTime() - a.at.getTime())
    return newest ?? fail('backup', `${backupFolder} is empty`, 'Back up the database: docs/operate/restore.md')
  } catch (error) {
    return fail('backup', reasonOf(error), 'Correct BACKUP_FOLDER, or let this user read it')
  }
}

async function examineScratch(
  config: Config,
  url: string,
  journal: NonNullable<DrillOptions['journal']>,
  now: () => Date,
): Promise<Check[]> {
  await bringUp(url)
  const [scratch, live] = [openDatabase(url), openDatabase(config.databaseUrl)]
  try {
    return [
      await compareContents(scratch, live),
      await replayJournal(config, scratch, journal, now),
      await checkLedger(scratch),
      await checkAudit(scratch),
    ]
  } finally {
    await Promise.all([scratch.destroy(), live.destroy()])
  }
}

async function compareContents(scratch: Database, live: Database): Promise<Check> {
  const [has, now] = [await countRows(scratch), await countRows(live).catch(() => null)]
  const detail = `${has.swaps} swaps, ${has.deposits} deposits, ${has.payouts} payouts`
  if (!now) return warn('contents', `${detail}; the live database does not answer`, 'Compare them yourself')
  const lost = [now.swaps - has.swaps, now.deposits - has.deposits, now.payouts - has.payouts]
  if (lost.some((count) => count < 0))
    return fail('contents', `${detail}: more than the live database has`, 'Is this a backup of this database?')
  return ok('contents', `${detail}; newer than the backup: ${lost[0]} swaps, ${lost[1]} deposits, ${lost[2]} payouts`)
}

/** As `restore --apply`, without the addresses: those need the nodes. */
async function replayJournal(
  config: Config,
  scratch: Database,
  journal: NonNullable<DrillOptions['journal']>,
  now: () => Date,
): Promise<Check> {
  const row = await readJournalRow(scratch)
  if (!row) return warn('journal', 'the backup knows no signing journal: nothing was signed before it', DOCS)
  try {
    const lines = await journal(config, row.database_id)
    const missing = await summarise(scratch, lines)
    const payouts = missing.reduce((sum, one) => sum + one.payouts, 0)
    const stored = await replay(scratch, lines, now)
    const again = await summarise(scratch, lines)
    if (again.length > 0) return fail('journal', 'lines are missing after the replay', DOCS)
    return ok('journal', `${stored} signed lines replayed, with ${payouts} payouts that the backup does not have`)
  } catch (error) {
    return fail('journal', reasonOf(error), DOCS)
  }
}

async function checkLedger(scratch: Database): Promise<Check> {
  const [broken] = await unbalancedPostings(scratch, 1)
  return broken === undefined
    ? ok('ledger', 'every posting sums to zero')
    : fail('ledger', `the posting ${broken} does not sum to zero`, 'Do not use this backup before you know why')
}

async function checkAudit(scratch: Database): Promise<Check> {
  const { problems, chained } = await verifyAudit(scratch, signatureJudge(), null)
  return problems.length === 0
    ? ok('audit', `${chained} entries of the audit log hold together`)
    : fail('audit', `${problems.length} entries of the audit log were changed`, 'See "audit verify"')
}
