/** Adds the job of every open payout that was not sent for a while, in case its lane has lost it. Jobs do not pile up. */
import type { Services } from '../services.ts'
import { addJob, laneOf } from '../store/jobs.ts'
import { forgottenPayouts } from '../store/payouts.ts'
import { isolated } from './isolate.ts'

const FORGOTTEN_AFTER_MS = 30_000
const BATCH = 200

export async function remindLanes(services: Services): Promise<void> {
  const before = new Date(services.now().getTime() - FORGOTTEN_AFTER_MS)
  for (const { id, network, account } of await forgottenPayouts(services.database, before, BATCH)) {
    await isolated(services, { what: 'payout', id, network }, () =>
      addJob(services.database, { task: 'pay', payload: { payoutId: id }, lane: laneOf(network, account) }),
    )
  }
}
