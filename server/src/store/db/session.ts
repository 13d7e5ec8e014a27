/**
 * Sessions of PostgreSQL. Advisory locks, LISTEN, prepared statements and timeouts belong to one. A pooler in front of the database
 * must therefore give each of our connections a server connection of its own: PgBouncer's `pool_mode = session`.
 */
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'

/** Sets the server's timeouts. PgBouncer refuses or ignores them among the parameters of a new connection. */
export function setTimeouts(statementMs: number, idleInTransactionMs?: number, lockMs?: number) {
  const set = (name: string, ms: number | undefined) => (ms === undefined ? '' : `; set ${name} = ${ms}`)
  const others = set('idle_in_transaction_session_timeout', idleInTransactionMs) + set('lock_timeout', lockMs)
  return async (client: pg.ClientBase): Promise<void> => {
    await client.query(`set statement_timeout = ${statementMs}${others}`)
  }
}

class PooledTransactions extends Error {
  readonly code = 'POOLED_TRANSACTIONS'

  constructor() {
    super('the connections of this database are shared between transactions')
  }
}

/** Throws if a pooler gives a server connection of ours to others between two transactions. Needs two connections. */
export async function requireSessions<Schema>(database: Kysely<Schema>): Promise<void> {
  const isKept = await database.connection().execute(async (one) => {
    const first = await backendOf(one)
    return database.connection().execute((two) =>
      // While this transaction holds a server connection, a shared pool must serve `one` from another.
      two.transaction().execute(async (open) => (await backendOf(open)) !== first && (await backendOf(one)) === first),
    )
  })
  if (!isKept) throw new PooledTransactions()
}

async function backendOf<Schema>(queries: Kysely<Schema>): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(queries)
  return rows[0]?.pid
}
