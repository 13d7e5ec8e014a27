/**
 * Fresh databases for a test file. In a run of the suites all of them lie in one PostgreSQL (`cluster.ts`), each a copy of a
 * template that has the schema already; elsewhere, and for other settings, in one of their own.
 */
import { randomUUID } from 'node:crypto'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { type Postgres, startPostgres } from '../../../devnet/src/postgres.ts'
import { migrate, openDatabase } from '../../../server/src/store/db/database.ts'

export interface TestDatabase {
  /** A fresh database with the schema. */
  url: string
  /** Another one. */
  createDatabase(): Promise<string>
  /** One that nobody has written to, not even the schema. */
  createEmpty(): Promise<string>
  stop(): Promise<void>
}

/** Where a run's cluster is asked for, in the environment of its processes. */
export const CLUSTER_VARIABLE = 'SUITES_CLUSTER'
/** The copies of a file of tests are gone soon: written down page by page they would cost twice. */
const COPY = 'strategy file_copy'

export async function startDatabase(settings?: Record<string, string>): Promise<TestDatabase> {
  const door = process.env[CLUSTER_VARIABLE]
  if (!door || settings) return ownDatabase(settings)
  const answer = await fetch(door)
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

async function ownDatabase(settings: Record<string, string> = {}): Promise<TestDatabase> {
  const postgres = await startPostgres({ settings })
  const copies = copiesOf(await makeTemplate(postgres), [])
  return { ...copies, url: await copies.createDatabase(), stop: postgres.stop }
}

/** The address of a database that is copied and never used itself: whoever is connected to it keeps others from copying. */
export async function makeTemplate(postgres: Postgres): Promise<string> {
  const template = await postgres.createDatabase()
  await addSchema(template)
  return template
}

/** Ours, and that of the queue. */
export async function addSchema(url: string): Promise<void> {
  await runMigrations({ connectionString: url })
  const database = openDatabase(url)
  await migrate(database)
  await database.destroy()
}

function copiesOf(template: string, made: string[]): Pick<TestDatabase, 'createDatabase' | 'createEmpty'> {
  const create = async (source: string) => {
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await asAdmin(template, [`create database ${name} template ${source} ${COPY}`])
    made.push(name)
    return sibling(template, name)
  }
  return { createDatabase: () => create(nameOf(template)), createEmpty: () => create('template0') }
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
