/** Tells swaps that time has passed: windows close, and what could not be decided before is tried again. */
import type { Services } from '../services.ts'
import { takeRestless } from '../store/swaps.ts'
import { applyEvent } from './advance.ts'
import { isolated } from './isolate.ts'

const BATCH = 100
/** How soon one is asked again about which nothing could be decided: no price, no fee, a deposit that is not deep enough. */
const AGAIN_MS = 5_000

export async function expireSwaps(services: Services): Promise<void> {
  const now = services.now()
  const nextAt = new Date(now.getTime() + AGAIN_MS)
  for (const swapId of await takeRestless(services.database, { now, nextAt, limit: BATCH })) {
    await isolated(services, { what: 'swap', id: swapId }, () => applyEvent(services, swapId, { type: 'tick' }))
  }
}
