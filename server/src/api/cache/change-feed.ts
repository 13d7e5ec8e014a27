/**
 * Passes swap changes to subscribers in this process: event streams of one swap, and caches that must drop it. All
 * share one database connection, opened on first use.
 */
import type { Services } from '../../services.ts'
import { type Listener, type Subscription, subscribeToSwaps } from '../../store/apps/change-listener.ts'

export interface ChangeFeed {
  /** Calls back on every change, and once when changes may have been missed. Returns how to stop. */
  follow(swapId: string, onChange: () => void): Promise<() => void>
  /** Subscribes to all swaps. Resolves when the feed is live; rejects if the database cannot be reached now. */
  hear(ears: Subscription): Promise<void>
  stop(): Promise<void>
}

export function createChangeFeed({ config, log }: Services): ChangeFeed {
  const followers = new Map<string, Set<() => void>>()
  const hearers: Subscription[] = []
  let listener: Listener | null = null
  const start = () =>
    subscribeToSwaps(config.databaseUrl, {
      onSwap(swapId) {
        for (const ears of hearers) ears.onSwap(swapId)
        followers.get(swapId)?.forEach((tell) => void tell())
      },
      onGap() {
        for (const ears of hearers) ears.onGap()
        followers.forEach((tellers) => void tellers.forEach((tell) => void tell()))
      },
      onError(error) {
        for (const ears of hearers) ears.onError(error)
        log.warn({ err: error }, 'changes of swaps are not heard')
      },
    })
  return {
    async follow(swapId, onChange) {
      listener ??= start()
      const tellers = followers.get(swapId) ?? new Set()
      followers.set(swapId, tellers.add(onChange))
      // If the feed is not live yet, the stream is notified when it is.
      await listener.ready().catch(() => undefined)
      return () => {
        tellers.delete(onChange)
        if (tellers.size === 0 && followers.get(swapId) === tellers) followers.delete(swapId)
      }
    },
    hear(ears) {
      hearers.push(ears)
      listener ??= start()
      return listener.ready()
    },
    stop: async () => listener?.stop(),
  }
}
