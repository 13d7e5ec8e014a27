/**
 * Passes changes of swaps on to whoever of this process wants to hear of them: streams that show one swap, and memories
 * that must forget it. One connection serves all, and is made once somebody listens.
 */
import type { Services } from '../../services.ts'
import { type Listener, type Subscription, subscribeToSwaps } from '../../store/apps/change-listener.ts'

export interface ChangeFeed {
  /** Calls back on every change from now on, and once more when changes may have been missed. Answers how to stop. */
  follow(swapId: string, onChange: () => void): Promise<() => void>
  /** Tells of all swaps from now on. Settles once changes are heard; fails where they cannot be heard now. */
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
      // Where the database cannot be listened to now, the stream is told when it can again.
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
