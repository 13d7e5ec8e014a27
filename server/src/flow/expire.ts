/** Tells swaps that time has passed: windows close, and what could not be decided before is tried again. */
import type { Services } from '../services.ts'
import { findRestless } from '../store/swaps.ts'
import { applyEvent } from './advance.ts'
import { isolated } from './isolate.ts'

const BATCH = 100

export async function expireSwaps(services: Services): Promise<void> {
  for (const swapId of await findRestless(services.database, services.now(), BATCH)) {
    await isolated(services, { what: 'swap', id: swapId }, () => applyEvent(services, swapId, { type: 'tick' }))
  }
}
