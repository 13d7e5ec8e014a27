/**
 * The database connection of a simulated process. Each statement may fail, may lose its answer, and fails if the
 * process has crashed. PostgreSQL's answers are real.
 */
import pg from 'pg'
import { type openDatabase, openPool } from '../../../server/src/store/db/database.ts'

export type Pool = NonNullable<Parameters<typeof openDatabase>[1]>

/** The outcome of a statement. A lost answer comes after the effect. */
export type Outcome = 'done' | 'refused' | 'lost'

/** The process on the other side of the connection. */
export interface ConnectionHooks {
  /** Waits while the process is frozen; throws if it has crashed. Called before a connection is taken. */
  beforeConnect(): Promise<void>
  /** Throws if the process has crashed or crashes now. */
  outcome(statement: string): Outcome
  /** Throws if the process crashes now, after the effect. */
  afterEffect(statement: string): void
  /** The virtual time that `now()` returns. */
  now(): Date
  busy: number
  inTransaction: boolean
  isFrozen(): boolean
  /** Waits while the process is frozen; throws if it crashed meanwhile. */
  thawed(): Promise<void>
  /** The statement as a removed guard changes it. */
  rewrite(statement: string): string
}

/** An error as the driver reports it when the server answers with one. */
export class ConnectionLost extends pg.DatabaseError {
  constructor(message: string, code: string) {
    super(message, message.length, 'error')
    this.code = code
  }
}

/** Longer than any statement takes. */
const PATIENCE_MS = 600_000

/**
 * One connection without a timeout, for the whole run: on a busy machine the real clock would make a replay differ. A
 * new connection would plan its prepared statements again, and so find equal rows in another order.
 */
export function lastingPool(url: string): pg.Pool {
  const pool = openPool(url, 1, PATIENCE_MS)
  Object.assign(pool.options, { connectionTimeoutMillis: 0, idleTimeoutMillis: 0 })
  return pool
}

/** A checked-out connection: null once the database has closed it. */
interface Held {
  client: pg.PoolClient | null
}

export function poolFor(hooks: ConnectionHooks, inner: pg.Pool): Pool {
  const clocks = new WeakMap<pg.PoolClient, number>()

  async function run(held: Held, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const { client } = held
    if (!client) throw ended()
    if (text === 'rollback') {
      hooks.inTransaction = false
      clocks.delete(client)
      return client.query(text)
    }
    await stopHere(held)
    const outcome = hooks.outcome(text)
    if (outcome === 'refused') throw new ConnectionLost('could not serialize access due to concurrent update', '40001')
    await setClock(client)
    const result = await client.query(hooks.rewrite(text), [...values])
    if (text === 'begin') hooks.inTransaction = true
    if (text === 'commit') hooks.inTransaction = false
    hooks.afterEffect(text)
    await stopHere(held)
    if (outcome === 'lost') throw new ConnectionLost('terminating connection due to administrator command', '57P01')
    return result
  }

  /** A process frozen in a transaction loses it: the database has a timeout. */
  async function stopHere(held: Held): Promise<void> {
    if (!hooks.inTransaction || !hooks.isFrozen()) return
    await close(held)
    await hooks.thawed()
    throw ended()
  }

  async function setClock(client: pg.PoolClient): Promise<void> {
    const at = hooks.now().getTime()
    if (clocks.get(client) === at) return
    // The order of equal rows is random too.
    await client.query("select set_config('sim.now', $1, false), setseed(($2::bigint % 1000) / 1000.0)", [
      new Date(at).toISOString(),
      at,
    ])
    clocks.set(client, at)
  }

  /** If a connection ends while a transaction is open, the transaction is rolled back. */
  async function close(held: Held): Promise<void> {
    const { client } = held
    if (!client) return
    held.client = null
    try {
      if (hooks.inTransaction) {
        clocks.delete(client)
        await client.query('rollback')
      }
    } finally {
      hooks.inTransaction = false
      hooks.busy--
      client.release()
    }
  }

  const pool = {
    options: {},
    async connect() {
      await hooks.beforeConnect()
      hooks.busy++
      try {
        const held: Held = { client: await inner.connect() }
        return {
          query: (text: string, values: readonly unknown[] = []) => run(held, text, values),
          release: () => void close(held),
        }
      } catch (error) {
        hooks.busy--
        throw error
      }
    },
    end: async () => undefined,
  }
  // The part of a pool that Kysely uses.
  return pool as unknown as Pool
}

function ended(): ConnectionLost {
  return new ConnectionLost('terminating connection due to idle-in-transaction timeout', '25P03')
}
