/**
 * The way of a simulated process to the database: one connection, through which every statement asks whether it may go,
 * whether its answer comes back, and whether its process is still alive. What PostgreSQL answers is real.
 */
import pg from 'pg'
import type { openDatabase } from '../../../server/src/store/db/database.ts'

export type Pool = NonNullable<Parameters<typeof openDatabase>[1]>

/** What becomes of a statement. A lost answer comes after the effect. */
export type Fate = 'done' | 'refused' | 'lost'

/** The process on the other side of the connection. */
export interface Tenant {
  /** Waits while the process is frozen; throws if it is dead. Called before a connection is taken. */
  enter(): Promise<void>
  /** Throws if the process is dead or dies now. */
  fate(statement: string): Fate
  /** Throws if the process dies now, after the effect. */
  survive(statement: string): void
  /** The virtual time that `now()` is to answer. */
  now(): Date
  busy: number
  inTransaction: boolean
  isFrozen(): boolean
  /** Waits while it is frozen; throws if it died meanwhile. */
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

/** A connection as its user holds it: null once the database has ended it. */
interface Held {
  client: pg.PoolClient | null
}

export function poolFor(tenant: Tenant, inner: pg.Pool): Pool {
  const clocks = new WeakMap<pg.PoolClient, number>()

  async function run(held: Held, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const { client } = held
    if (!client) throw ended()
    if (text === 'rollback') {
      tenant.inTransaction = false
      clocks.delete(client)
      return client.query(text)
    }
    await stopHere(held)
    const fate = tenant.fate(text)
    if (fate === 'refused') throw new ConnectionLost('could not serialize access due to concurrent update', '40001')
    await setClock(client)
    const result = await client.query(tenant.rewrite(text), [...values])
    if (text === 'begin') tenant.inTransaction = true
    if (text === 'commit') tenant.inTransaction = false
    tenant.survive(text)
    await stopHere(held)
    if (fate === 'lost') throw new ConnectionLost('terminating connection due to administrator command', '57P01')
    return result
  }

  /** A process frozen in a transaction loses it: the database has a timeout. */
  async function stopHere(held: Held): Promise<void> {
    if (!tenant.inTransaction || !tenant.isFrozen()) return
    await close(held)
    await tenant.thawed()
    throw ended()
  }

  async function setClock(client: pg.PoolClient): Promise<void> {
    const at = tenant.now().getTime()
    if (clocks.get(client) === at) return
    // The server's own order of equals is drawn by chance too.
    await client.query("select set_config('sim.now', $1, false), setseed(($2::bigint % 1000) / 1000.0)", [
      new Date(at).toISOString(),
      at,
    ])
    clocks.set(client, at)
  }

  /** A connection that ends while a transaction is open takes it along. */
  async function close(held: Held): Promise<void> {
    const { client } = held
    if (!client) return
    held.client = null
    try {
      if (tenant.inTransaction) {
        clocks.delete(client)
        await client.query('rollback')
      }
    } finally {
      tenant.inTransaction = false
      tenant.busy--
      client.release()
    }
  }

  const pool = {
    options: {},
    async connect() {
      await tenant.enter()
      tenant.busy++
      try {
        const held: Held = { client: await inner.connect() }
        return {
          query: (text: string, values: readonly unknown[] = []) => run(held, text, values),
          release: () => void close(held),
        }
      } catch (error) {
        tenant.busy--
        throw error
      }
    },
    end: async () => undefined,
  }
  // Kysely uses no more than this of a pool.
  return pool as unknown as Pool
}

function ended(): ConnectionLost {
  return new ConnectionLost('terminating connection due to idle-in-transaction timeout', '25P03')
}
