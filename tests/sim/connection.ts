/**
 * The way of a simulated process to the database: one connection, through which every statement asks whether it may go,
 * whether its answer comes back, and whether its process is still alive. What PostgreSQL answers is real.
 */
import type pg from 'pg'
import type { openDatabase } from '../../server/src/store/database.ts'

export type Pool = NonNullable<Parameters<typeof openDatabase>[1]>

/** What becomes of a statement. A lost answer comes after the effect. */
export type Fate = 'done' | 'refused' | 'lost'

/** Whoever lives on the other side of the connection. */
export interface Tenant {
  /** Waits while the process is frozen; throws where it is dead. Asked before a connection is taken. */
  enter(): Promise<void>
  /** Throws where the process is dead or dies now. */
  fate(statement: string): Fate
  /** Throws where the process dies now, after the effect. */
  survive(statement: string): void
  /** The virtual time that `now()` is to answer. */
  now(): Date
  busy: number
  inTransaction: boolean
  /** What a saboteur makes of a statement. */
  rewrite(statement: string): string
}

export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

export function poolFor(tenant: Tenant, inner: pg.Pool): Pool {
  const clocks = new WeakMap<pg.PoolClient, number>()

  async function run(client: pg.PoolClient, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    if (text === 'rollback') {
      tenant.inTransaction = false
      clocks.delete(client)
      return client.query(text)
    }
    const fate = tenant.fate(text)
    if (fate === 'refused') throw new ConnectionLost('could not serialize access due to concurrent update', '40001')
    await setClock(client)
    const result = await client.query(tenant.rewrite(text), [...values])
    if (text === 'begin') tenant.inTransaction = true
    if (text === 'commit') tenant.inTransaction = false
    tenant.survive(text)
    if (fate === 'lost') throw new ConnectionLost('terminating connection due to administrator command', '57P01')
    return result
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

  async function giveUp(client: pg.PoolClient): Promise<void> {
    if (tenant.inTransaction) await client.query('rollback')
    tenant.inTransaction = false
  }

  const pool = {
    options: {},
    async connect() {
      await tenant.enter()
      tenant.busy++
      try {
        const client = await inner.connect()
        return {
          query: (text: string, values: readonly unknown[] = []) => run(client, text, values),
          // A connection that broke while a transaction was open takes it along.
          release: () =>
            void giveUp(client).finally(() => {
              tenant.busy--
              client.release()
            }),
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
