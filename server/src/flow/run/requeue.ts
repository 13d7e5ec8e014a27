/**
 * Requeues the job of every open payout that was not sent for a while, in case its queue has lost it, and of held ones
 * when they are due for a recheck. Jobs do not pile up.
 */
import type { Services } from '../../services.ts'
import { laneOf, requeueJob } from '../../store/db/jobs.ts'
import { takeDueHeld } from '../../store/payouts/held-payouts.ts'
import { forgottenPayouts } from '../../store/payouts/payouts.ts'
import { isolateErrors } from '../lib/error-boundary.ts'

const FORGOTTEN_AFTER_MS = 30_000
const BATCH = 200
/** A wallet's queue that is on hold is requeued only this often. */
const HELD_AGAIN_MS = 30_000

export async function requeueMissingJobs(services: Services): Promise<void> {
  const { database, now } = services
  const before = new Date(now().getTime() - FORGOTTEN_AFTER_MS)
  const forgotten = await forgottenPayouts(database, before, BATCH)
  const nextAt = new Date(now().getTime() + HELD_AGAIN_MS)
  const held = await takeDueHeld(database, { now: now(), nextAt, limit: BATCH })
  for (const { id, network, account } of [...forgotten, ...held]) {
    await isolateErrors(services, { what: 'payout', id, network }, () =>
      requeueJob(database, id, laneOf(network, account)),
    )
  }
}
