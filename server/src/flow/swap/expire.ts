/** Advances swaps by time: closes expired deposit windows, and retries swaps that could not be decided earlier. */
import type { Services } from '../../services.ts'
import { claimDueSwaps } from '../../store/swaps/swaps.ts'
import { isolateErrors } from '../lib/error-boundary.ts'
import { applyEvent } from './advance.ts'

const BATCH = 100
/** Batches per round: after an outage thousands of windows may have closed. */
const MOST_BATCHES = 20
/** Swaps advanced in parallel: the connection pool is shared. */
const SIDE_BY_SIDE = 3
/** How soon an undecided swap is tried again: it lacks a price, a fee, or a deposit's confirmations. */
const AGAIN_MS = 5_000

export async function expireSwaps(services: Services): Promise<void> {
  const now = services.now()
  const nextAt = new Date(now.getTime() + AGAIN_MS)
  for (let batches = 0; batches < MOST_BATCHES; batches++) {
    const waiting = await claimDueSwaps(services.database, { now, nextAt, limit: BATCH })
    const isLast = waiting.length < BATCH
    const tell = async () => {
      for (let swapId = waiting.shift(); swapId !== undefined; swapId = waiting.shift()) {
        const id = swapId
        await isolateErrors(services, { what: 'swap', id }, () => applyEvent(services, id, { type: 'tick' }))
      }
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, tell))
    if (isLast) return
  }
}
