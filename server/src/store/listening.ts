/**
 * Hears of every swap that changed, in whichever process, over one connection of its own. When the connection falls it is
 * made anew; what was missed meanwhile nobody knows, and whoever listens is told so.
 */
import pg from 'pg'
import { SWAP_CHANNEL } from './webhooks.ts'

export interface Listener {
  /** Settles once changes are heard. */
  ready(): Promise<void>
  stop(): Promise<void>
}

interface Ears {
  onSwap(swapId: string): void
  /** Changes may have been missed. */
  onGap(): void
  onError(error: Error): void
}

const RETRY_MS = 1_000
const KEEPALIVE_MS = 10_000

export function listenToSwaps(databaseUrl: string, ears: Ears): Listener {
  let stopped = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | undefined
  let listening = connect()

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
    })
    client = fresh
    let isLost = false
    const lose = (error: Error) => {
      if (isLost || stopped) return
      isLost = true
      fresh.end().catch(() => undefined)
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
