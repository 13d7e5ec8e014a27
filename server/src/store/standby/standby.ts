/**
 * Reads that a standby may answer (`DATABASE_READ_URL`). Before each read we ask the primary how far its log is, and the
 * standby whether it has replayed that. So a read shows everything that was committed before it began, and a client never
 * sees an older state than it was told. A standby that lags, or is gone or promoted, is not used.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isPassing } from '../db/database.ts'

export interface Standby {
  /** Whether the standby has everything that was committed before this call. */
  isCurrent(): Promise<boolean>
}

export interface StandbyOptions {
  /** How long a read waits for the standby before it goes to the primary. */
  maxWaitMs: number
  /** Called when the standby starts or stops being used. */
  onChange?: (isUsed: boolean) => void
}

/** A standby that lagged or failed is left alone for this time, so that it does not delay every read. */
const REST_MS = 1_000
const STEP_MS = 4

export function createStandby(
  primary: Pick<pg.Pool, 'query'>,
  standby: Pick<pg.Pool, 'query'>,
  { maxWaitMs, onChange }: StandbyOptions,
): Standby {
  let running: Promise<boolean> | null = null
  let queued: Promise<boolean> | null = null
  let restUntil = Number.NEGATIVE_INFINITY
  let wasUsed = true

  async function check(): Promise<boolean> {
    const deadline = performance.now() + maxWaitMs
    const { rows } = await primary.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn')
    while (!(await hasReplayed(standby, rows[0]?.lsn ?? ''))) {
      if (performance.now() >= deadline) return false
      await sleep(STEP_MS)
    }
    return true
  }

  function start(): Promise<boolean> {
    const checked = check()
      .catch(() => false)
      .then((isCurrent) => {
        running = null
        if (!isCurrent) restUntil = performance.now() + REST_MS
        if (isCurrent !== wasUsed) onChange?.(isCurrent)
        wasUsed = isCurrent
        return isCurrent
      })
    running = checked
    return checked
  }

  return {
    async isCurrent() {
      if (performance.now() < restUntil) return false
      if (!running) return start()
      // The running check may have begun before a commit that this read must see. One more serves all who wait.
      queued ??= running.then(() => {
        queued = null
        return performance.now() < restUntil ? false : (running ?? start())
      })
      return queued
    },
  }
}

/** False on a server that was promoted: its history may differ from the primary's. */
async function hasReplayed(standby: Pick<pg.Pool, 'query'>, lsn: string): Promise<boolean> {
  const { rows } = await standby.query<{ has: boolean }>(
    'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as has',
    [lsn],
  )
  return rows[0]?.has === true
}

/** A pool that connects to the standby if it is current, else to the primary. For reads only. */
export function standbyFirst(
  standby: PostgresPool,
  primary: PostgresPool,
  { isCurrent }: Standby,
  onRead: (server: 'standby' | 'primary') => void = () => undefined,
): PostgresPool {
  const toPrimary = () => {
    onRead('primary')
    return primary.connect()
  }
  return {
    options: primary.options,
    async connect() {
      if (!(await isCurrent())) return toPrimary()
      const client = await standby.connect().catch(() => null)
      if (!client) return toPrimary()
      onRead('standby')
      return failingOver(client, toPrimary)
    },
    // The primary's pool belongs to another database object, or is ended by its owner.
    end: () => standby.end(),
  }
}

/** A statement that the server itself stopped after its time would be as slow on the primary. */
const STATEMENT_TIMEOUT = '57014'

/** Repeats a query on the primary if the standby ended it: it stopped, or had to remove rows that the query needed. */
function failingOver(first: PostgresPoolClient, toPrimary: () => Promise<PostgresPoolClient>): PostgresPoolClient {
  let client = first
  let isInTransaction = false
  const query = async (text: string, values: readonly unknown[]) => {
    // The reads of a transaction cannot be repeated elsewhere.
    if (/^(begin|start transaction)\b/i.test(text)) isInTransaction = true
    try {
      return await client.query(text, values)
    } catch (error) {
      const isTimeout = (error as { code?: unknown }).code === STATEMENT_TIMEOUT
      if (client !== first || isInTransaction || isTimeout || !isPassing(error)) throw error
      client = await toPrimary()
      first.release(true)
      return client.query(text, values)
    }
  }
  return {
    query: query as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  }
}
