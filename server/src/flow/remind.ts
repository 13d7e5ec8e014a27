/**
 * Adds the job of every open payout that was not sent for a while, in case its lane has lost it, and of those that a rule
 * holds when it is time to look at them again. Jobs do not pile up.
 */
import type { Services } from '../services.ts'
import { dueHeld } from '../store/held.ts'
import { addJob, laneOf } from '../store/jobs.ts'
import { forgottenPayouts } from '../store/payouts.ts'
import { isolated } from './isolate.ts'

const FORGOTTEN_AFTER_MS = 30_000
const BATCH = 200

export async function remindLanes(services: Services): Promise<void> {
  const { database, now } = services
  const before = new Date(now().getTime() - FORGOTTEN_AFTER_MS)
  const forgotten = await forgottenPayouts(database, before, BATCH)
  for (const { id, network, account } of [...forgotten, ...(await dueHeld(database, now(), BATCH))]) {
    await isolated(services, { what: 'payout', id, network }, () =>
      addJob(database, { task: 'pay', payload: { payoutId: id }, lane: laneOf(network, account) }),
    )
  }
}
