/**
 * Subscribes (LISTEN) to swap changes of all processes, over its own connection. A dropped connection is reopened, and
 * the subscriber learns that changes may have been missed.
 */
import pg from 'pg'
import { SWAP_CHANNEL } from '../swaps/announce.ts'

export interface Listener {
  /** Resolves once changes are received; fails while the connection is lost. */
  ready(): Promise<void>
  stop(): Promise<void>
}

export interface Subscription {
  onSwap(swapId: string): void
  /** Called if changes may have been missed, because the connection was lost. */
  onGap(): void
  onError(error: Error): void
}

const RETRY_MS = 1_000
/** A connection may drop silently, so it is pinged at this interval and must answer in time. */
const CHECK_MS = 10_000
const ANSWER_MS = 5_000

export function subscribeToSwaps(databaseUrl: string, ears: Subscription): Listener {
  let stopped = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | undefined
  let listening = connect()

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    })
    client = fresh
    let check: NodeJS.Timeout | undefined
    let isLost = false
    const lose = (error: Error) => {
      clearInterval(check)
      if (isLost || stopped) return
      isLost = true
      fresh.end().catch(() => undefined)
      listening = Promise.reject(error)
      listening.catch(() => undefined)
      ears.onError(error)
      retry = setTimeout(() => {
        listening = connect().then(ears.onGap)
        listening.catch(() => undefined)
      }, RETRY_MS)
    }
    fresh.on('error', lose)
    fresh.on('end', () => lose(new Error('the connection was closed')))
    fresh.on('notification', ({ payload }) => payload && ears.onSwap(payload))
    try {
      await fresh.connect()
      await fresh.query(`listen ${SWAP_CHANNEL}`)
      check = setInterval(() => fresh.query('select 1').catch(lose), CHECK_MS)
      check.unref()
    } catch (error) {
      lose(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  }

  listening.catch(() => undefined)
  return {
    ready: () => listening,
    async stop() {
      stopped = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}
