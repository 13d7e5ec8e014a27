/** Passes changes of swaps on to the streams of this process that show them. Listens only once somebody wants to hear. */
import type { Services } from '../services.ts'
import { type Listener, listenToSwaps } from '../store/listening.ts'

export interface News {
  /** Calls back on every change from now on, and once more when changes may have been missed. Answers how to stop. */
  follow(swapId: string, onChange: () => void): Promise<() => void>
  stop(): Promise<void>
}

export function createNews({ config, log }: Services): News {
  const followers = new Map<string, Set<() => void>>()
  let listener: Listener | null = null
  const start = () =>
    listenToSwaps(config.DATABASE_URL, {
      onSwap: (swapId) => followers.get(swapId)?.forEach((tell) => void tell()),
      onGap: () => followers.forEach((tellers) => void tellers.forEach((tell) => void tell())),
      onError: (error) => log.warn({ err: error }, 'changes of swaps are not heard'),
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
    stop: async () => listener?.stop(),
  }
}
