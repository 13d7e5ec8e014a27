/** Waits for a time, or until the service stops: an abort ends the wait at once. */
import { setTimeout as delay } from 'node:timers/promises'

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}
