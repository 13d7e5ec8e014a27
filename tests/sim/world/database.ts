/**
 * The real PostgreSQL of a simulation: one cluster, one migrated template, a fresh copy per seed. It uses the
 * simulation's clock: `now()` of our own schema hides the server's, in defaults, leases and the job queue.
 */
import pg from 'pg'
import { startPostgres } from '../../../devnet/src/postgres.ts'
import { addSchema } from '../../support/database/database.ts'
import { JOURNAL_SQL } from '../oracle/journal.ts'

export interface Cluster {
  /** How `joinCluster` finds it. */
  url: string
  /** The address of a fresh copy. */
  fork(): Promise<string>
  drop(url: string): Promise<void>
  stop(): Promise<void>
}

/** The virtual clock of a connection is set by `set_config('sim.now', …)`; ids are drawn in order. */
const DETERMINISM = `
  create function public.now() returns timestamptz stable language sql
    as $$ select coalesce(nullif(current_setting('sim.now', true), '')::timestamptz, pg_catalog.now()) $$;
  create function public.clock_timestamp() returns timestamptz volatile language sql as $$ select public.now() $$;
  create sequence public.sim_ids;
  create function public.gen_random_uuid() returns uuid volatile language sql
    as $$ select md5('id ' || nextval('public.sim_ids'))::uuid $$;
`

/** A cluster that another process started and will stop. */
export function joinCluster(url: string): Cluster {
  const name = new URL(url).pathname.slice(1)
  let copies = 0
  return {
    url,
    async fork() {
      const copy = `${name}_${process.pid}_${++copies}`
      await asAdmin(maintenance(url), (client) => client.query(`create database ${copy} template ${name}`))
      const own = new URL(withSimulatedClock(url))
      own.pathname = `/${copy}`
      return own.href
    },
    async drop(copy) {
      const gone = new URL(copy).pathname.slice(1)
      await asAdmin(maintenance(url), (client) => client.query(`drop database ${gone} with (force)`))
    },
    stop: async () => undefined,
  }
}

export async function startCluster(): Promise<Cluster> {
  // Autovacuum at its own time would change the order in which rows are found.
  const { createDatabase, stop } = await startPostgres({ settings: { autovacuum: 'off' } })
  const url = await createDatabase()
  const template = withSimulatedClock(url)
  await asAdmin(url, (client) => client.query(DETERMINISM))
  await addSchema(template)
  await asAdmin(template, async (client) => {
    for (const statement of JOURNAL_SQL) await client.query(statement)
  })
  return { ...joinCluster(url), stop }
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
