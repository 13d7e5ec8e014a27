/** Checks of the database. They change nothing: migrations run when the service starts. */
import type { Config } from '../config.ts'
import { judgeSkew, skewOf } from '../market/clock.ts'
import { startupErrors } from '../observe/startup-errors.ts'
import { type Database, unsafeSettings } from '../store/db/database.ts'
import { inspectServer } from '../store/db/inspect-server.ts'
import { databaseTime } from '../store/db/leases.ts'
import { readMigrationState } from '../store/db/migrations.ts'
import { requireSessions } from '../store/db/session.ts'
import { type Check, fail, ok, reasonOf, warn } from './check.ts'

const OLDEST_VERSION = 15
/** One process with all roles; docs/operate/run.md has the numbers. */
const CONNECTIONS_PER_PROCESS = 45

export interface DatabaseReport {
  checks: Check[]
  /** Whether every table of this version exists. */
  isCurrent: boolean
}

export async function checkDatabase(config: Config, database: Database): Promise<DatabaseReport> {
  try {
    await requireSessions(database)
    const server = await inspectServer(database)
    const version = Math.floor(server.version / 10_000)
    const { missing, unknown } = await readMigrationState(database)
    const checks = [
      version >= OLDEST_VERSION
        ? ok('database', `PostgreSQL ${version}`)
        : fail('database', `PostgreSQL ${version}`, `Use version ${OLDEST_VERSION} or newer`),
      server.lacks.length === 0
        ? ok('rights', 'tables and schemas may be created')
        : fail('rights', `the user lacks ${server.lacks.join(' and ')}`, 'Make it the owner of the database'),
      server.maxConnections >= CONNECTIONS_PER_PROCESS
        ? ok('connections', `max_connections is ${server.maxConnections}`)
        : warn(
            'connections',
            `max_connections is ${server.maxConnections}`,
            `Allow ${CONNECTIONS_PER_PROCESS} per process`,
          ),
      await checkSync(config, database),
      judgeMigrations(missing, unknown),
      await checkClock(database),
    ]
    return { checks, isCurrent: missing.length === 0 && unknown.length === 0 }
  } catch (error) {
    const where = { databaseUrl: config.databaseUrl, signerUrl: undefined }
    const detail = startupErrors(error, where) ?? reasonOf(error)
    return { checks: [fail('database', detail, 'Correct that first')], isCurrent: false }
  }
}

async function checkSync({ environment }: Config, database: Database): Promise<Check> {
  const settings = await unsafeSettings(database)
  if (settings.length === 0) return ok('durability', 'commits are synced to the disk')
  const detail = `a crash may lose commits (${settings.join(', ')})`
  const fix = 'Switch these settings on before real money moves'
  return environment === 'mainnet' ? fail('durability', detail, fix) : warn('durability', detail, fix)
}

function judgeMigrations(missing: readonly string[], unknown: readonly string[]): Check {
  const name = 'migrations'
  if (unknown.length > 0) {
    const detail = `the database is newer than this version: it has ${unknown.join(', ')}`
    return fail(name, detail, 'Run the newer version, or restore a backup from before it')
  }
  return ok(name, missing.length === 0 ? 'all have run' : `${missing.length} run at the next start`)
}

async function checkClock(database: Database): Promise<Check> {
  const asked = Date.now()
  const remote = (await databaseTime(database)).getTime()
  const skewMs = skewOf(remote, asked, Date.now())
  const detail = `differs from the database's by ${Math.round(Math.abs(skewMs))} ms`
  const fix = 'Run a time service (chrony, systemd-timesyncd) on both machines'
  const state = judgeSkew(skewMs)
  if (state === 'right') return ok('clock', detail)
  return state === 'skewed' ? warn('clock', detail, fix) : fail('clock', detail, fix)
}
