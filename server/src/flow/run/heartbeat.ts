/**
 * Heartbeat of a worker: an advisory lock of its own session, which must send something every few seconds. If it goes
 * silent, because its machine is gone or the connection dropped, the database ends the session and its lock. The
 * worker, if alive, notices sooner and stops before others take its jobs.
 */
import pg from 'pg'
import { HOLD_WORKER_LOCK, TRY_SIGNING_LOCK } from '../../store/db/jobs.ts'

interface Life {
  /** Takes the advisory lock of the worker pool with this name. */
  show(workerPool: string): Promise<void>
  /** Takes the lock of the signing process; false while another process holds it. */
  tryToSign(): Promise<boolean>
  end(): Promise<void>
}

interface LifeOptions {
  /** How often the session sends a heartbeat, and how long the database may take to answer. */
  beatMs: number
  answerMs: number
  /** After this much silence the database ends the session: longer than a beat and its answer. */
  silenceMs: number
}

/**
 * Other processes see the worker as dead 20 seconds after its last heartbeat. The worker itself notices after 12
 * seconds at most.
 */
const LIFE: LifeOptions = { beatMs: 2_000, answerMs: 10_000, silenceMs: 20_000 }

const CONNECT_TIMEOUT_MS = 10_000
/** The session's name in the list of database sessions. */
export const HEARTBEAT_NAME = 'causeway life'

/** `onLost` is called once, when the locks can no longer be relied on. Throws if no session can be opened. */
export async function openHeartbeat(
  databaseUrl: string,
  onLost: (error: Error) => void,
  { beatMs, answerMs, silenceMs }: LifeOptions = LIFE,
): Promise<Life> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: HEARTBEAT_NAME,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: beatMs,
  })
  let isOver = true
  let beat: NodeJS.Timeout | undefined
  const lose = (error: Error) => {
    if (isOver) return
    isOver = true
    clearInterval(beat)
    onLost(error)
  }
  client.on('error', lose)
  client.on('end', () => lose(new Error('the connection was closed')))
  try {
    await client.connect()
    await client.query(`set idle_session_timeout = ${silenceMs}`)
  } catch (error) {
    // No lock was taken yet, so nothing is lost. Whether closing succeeds does not matter.
    void client.end().catch(() => undefined)
    throw error
  }
  isOver = false
  beat = setInterval(() => client.query('select 1').catch(lose), beatMs)
  let last: Promise<unknown> = Promise.resolve()
  return {
    show(workerPool) {
      const taken = last.then(() => client.query(HOLD_WORKER_LOCK, [workerPool]))
      last = taken.catch(() => undefined)
      return taken.then(() => undefined)
    },
    async tryToSign() {
      const { rows } = await client.query<{ held: boolean }>(TRY_SIGNING_LOCK)
      return rows[0]?.held === true
    },
    async end() {
      isOver = true
      clearInterval(beat)
      await client.end().catch(() => undefined)
    },
  }
}
