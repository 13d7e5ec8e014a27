/**
 * Requeues the job of every open payout that was not sent for a while, in case its queue has lost it, and of held ones
 * when they are due for a recheck. Jobs do not pile up.
 */
import type { Services } from '../../services.ts'
import { laneOf, requeueJob } from '../../store/db/jobs.ts'
import { takeDueHeld } from '../../store/payouts/held-payouts.ts'
import { forgottenPayouts } from '../../store/payouts/payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { isolateErrors } from '../lib/error-boundary.ts'

const FORGOTTEN_AFTER_MS = 30_000
const BATCH = 200
/** A wallet's queue that is on hold is requeued only this often. */
const HELD_AGAIN_MS = 30_000

export async function requeueMissingJobs(services: Services): Promise<void> {
  const { database, now } = services
  const before = new Date(now().getTime() - FORGOTTEN_AFTER_MS)
  await requeueAll(services, await forgottenPayouts(database, before, BATCH))
  await requeueDueHeld(services)
}

/** Must run often: the first recheck of a new hold finds a change that happened while the payout was being held. */
export async function requeueDueHeld(services: Services): Promise<void> {
  const { database, now } = services
  const nextAt = new Date(now().getTime() + HELD_AGAIN_MS)
  await requeueAll(services, await takeDueHeld(database, { now: now(), nextAt, limit: BATCH }))
}

async function requeueAll(services: Services, payouts: readonly PayoutRow[]): Promise<void> {
  for (const { id, network, account } of payouts) {
    await isolateErrors(services, { what: 'payout', id, network }, () =>
      requeueJob(services.database, id, laneOf(network, account)),
    )
  }
}
