/** Waits, but not beyond the end: a stopping service wakes its loops at once. */
import { setTimeout as sleep } from 'node:timers/promises'

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
