/**
 * Fresh databases for a test file. In a run of the suites all of them are in one PostgreSQL (`cluster.ts`), each a copy of a
 * template that has the schema already. Without such a run, or with other settings, a file starts a PostgreSQL of its own.
 */
import { randomUUID } from 'node:crypto'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { type Postgres, type PostgresOptions, startPostgres } from '../../../devnet/src/postgres.ts'
import { migrate, openDatabase } from '../../../server/src/store/db/database.ts'

export interface TestDatabase {
  /** A fresh database with the schema. */
  url: string
  /** Another fresh database. */
  createDatabase(): Promise<string>
  /** An empty database, without the schema. */
  createEmpty(): Promise<string>
  /** A copy of a database as it is now. Connections to it are closed; a pool opens new ones. */
  copy(url: string): Promise<string>
  stop(): Promise<void>
}

/** The environment variable with the URL of the run's cluster. */
export const CLUSTER_VARIABLE = 'SUITES_CLUSTER'
/** Copies are dropped soon: the default strategy would also write every page to the write-ahead log. */
const COPY = 'strategy file_copy'

/** `programs`: the folder of another PostgreSQL than npm's. */
export async function startDatabase(settings?: Record<string, string>, programs = ''): Promise<TestDatabase> {
  const door = process.env[CLUSTER_VARIABLE]
  if (!door || settings) return ownDatabase({ ...(settings ? { settings } : {}), ...(programs ? { programs } : {}) })
  const answer = await fetch(`${door}?${new URLSearchParams({ programs })}`)
  const template = await answer.text()
  if (!answer.ok) throw new Error(`no PostgreSQL for the suites: ${template}`)
  const made: string[] = []
  const copies = copiesOf(template, made)
  return {
    ...copies,
    url: await copies.createDatabase(),
    stop: () =>
      asAdmin(
        template,
        made.map((name) => `drop database if exists ${name} with (force)`),
      ),
  }
}

async function ownDatabase(options: PostgresOptions): Promise<TestDatabase> {
  const postgres = await startPostgres(options)
  const copies = copiesOf(await makeTemplate(postgres), [])
  return { ...copies, url: await copies.createDatabase(), stop: postgres.stop }
}

/** The URL of a template database: PostgreSQL copies only databases without connections. */
export async function makeTemplate(postgres: Postgres): Promise<string> {
  const template = await postgres.createDatabase()
  await addSchema(template)
  return template
}

/** Our schema, and that of the job queue. */
export async function addSchema(url: string): Promise<void> {
  await runMigrations({ connectionString: url })
  const database = openDatabase(url)
  await migrate(database)
  await database.destroy()
}

function copiesOf(template: string, made: string[]): Pick<TestDatabase, 'createDatabase' | 'createEmpty' | 'copy'> {
  const create = async (source: string, before: string[] = [], after: string[] = []) => {
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await asAdmin(template, [...before, `create database ${name} template ${source} ${COPY}`, ...after])
    made.push(name)
    return sibling(template, name)
  }
  return {
    createDatabase: () => create(nameOf(template)),
    createEmpty: () => create('template0'),
    copy(url) {
      const name = nameOf(url)
      const close = [
        `alter database ${name} with allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      ]
      return create(name, close, [`alter database ${name} with allow_connections true`])
    },
  }
}

async function asAdmin(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: sibling(url, 'postgres') })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1)
}

function sibling(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}
