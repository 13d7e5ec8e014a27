/**
 * The real PostgreSQL of a simulation: one cluster, one migrated template, a fresh copy for every seed. Its clock is the
 * simulation's: `now()` of our own schema stands before that of the server, in defaults, in leases and in the job queue.
 */
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { migrate, openDatabase } from '../../server/src/store/database.ts'
import { startDatabase } from '../support/database.ts'

export interface Cluster {
  /** The address of a fresh copy. */
  fork(): Promise<string>
  drop(url: string): Promise<void>
  stop(): Promise<void>
}

/** The virtual clock of a connection is set by `set_config('sim.now', …)`; ids are drawn in order. */
const DETERMINISM = `
  create function public.now() returns timestamptz stable language sql
    as $$ select coalesce(nullif(current_setting('sim.now', true), '')::timestamptz, pg_catalog.now()) $$;
  create sequence public.sim_ids;
  create function public.gen_random_uuid() returns uuid volatile language sql
    as $$ select md5('id ' || nextval('public.sim_ids'))::uuid $$;
`

export async function startCluster(): Promise<Cluster> {
  const database = await startDatabase()
  const template = withSimulatedClock(database.url)
  await asAdmin(database.url, async (client) => {
    await client.query(DETERMINISM)
    // Cleaning up at its own time, it would change the order in which rows are found.
    await client.query('alter system set autovacuum = off')
    await client.query('select pg_reload_conf()')
  })
  await runMigrations({ connectionString: template })
  const migrated = openDatabase(template)
  await migrate(migrated)
  await migrated.destroy()
  const name = new URL(database.url).pathname.slice(1)
  let copies = 0
  return {
    async fork() {
      const copy = `${name}_${++copies}`
      await asAdmin(maintenance(database.url), (client) => client.query(`create database ${copy} template ${name}`))
      const url = new URL(template)
      url.pathname = `/${copy}`
      return url.href
    },
    async drop(url) {
      const copy = new URL(url).pathname.slice(1)
      await asAdmin(maintenance(database.url), (client) => client.query(`drop database ${copy} with (force)`))
    },
    stop: database.stop,
  }
}

export async function asAdmin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function withSimulatedClock(address: string): string {
  const url = new URL(address)
  url.searchParams.set('options', '-c search_path=public,pg_catalog')
  return url.href
}

function maintenance(address: string): string {
  const url = new URL(address)
  url.pathname = '/postgres'
  return url.href
}
