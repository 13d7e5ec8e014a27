/**
 * What only time brings about: windows that close, money that could not be decided about, lanes that forgot a payout or a
 * webhook, idempotency keys to be forgotten, deposit addresses to be emptied and rewards to be paid. One process at a time does it, under a lease.
 */
import { randomUUID } from 'node:crypto'
import type { Services } from '../services.ts'
import { forgetKeys } from '../store/idempotency.ts'
import { dropLease, takeLease } from '../store/leases.ts'
import { disburseRewards } from './disburse.ts'
import { expireSwaps } from './expire.ts'
import { forgetOldDeliveries, remindDeliveries } from './notify.ts'
import { pause } from './pause.ts'
import { reconcile } from './reconcile.ts'
import { remindLanes } from './remind.ts'
import { sweepAddresses } from './sweep.ts'

const LEASE = 'keephouse'
const LEASE_MS = 10_000
/** Expiry is shown to people: it should not lag by more than a moment. */
const ROUND_MS = 1_000
const REMIND_MS = 30_000
/** A period is days long: its rewards may wait a moment. */
const REWARDS_MS = 10_000
/** An idempotency key is for repeating a request that got no answer: nobody does that the next day. */
const KEYS_KEPT_MS = 24 * 3_600_000

export async function keepHouse(services: Services, signal: AbortSignal): Promise<void> {
  const keeper = createHousekeeper(services)
  while (!signal.aborted) {
    await keeper.turn()
    await pause(ROUND_MS, signal)
  }
  await keeper.leave()
}

/** `turn` does what is due, where this process holds the lease. */
export function createHousekeeper(services: Services): { turn(): Promise<void>; leave(): Promise<void> } {
  const holder = randomUUID()
  const { database, log, config } = services
  const now = () => services.now().getTime()
  const due = { remind: 0, sweep: now() + config.SWEEP_INTERVAL_SECONDS, rewards: 0, reconcile: 0 }
  return {
    async turn() {
      try {
        if ((await takeLease(database, LEASE, holder, LEASE_MS)) === null) return
        await expireSwaps(services)
        if (now() >= due.remind) {
          await remindLanes(services)
          await remindDeliveries(services)
          await forgetOldDeliveries(services)
          await forgetKeys(database, new Date(now() - KEYS_KEPT_MS))
          due.remind = now() + REMIND_MS
        }
        if (now() >= due.sweep) {
          await sweepAddresses(services)
          due.sweep = now() + config.SWEEP_INTERVAL_SECONDS
        }
        if (now() >= due.rewards) {
          await disburseRewards(services)
          due.rewards = now() + REWARDS_MS
        }
        if (now() >= due.reconcile) {
          await reconcile(services)
          due.reconcile = now() + config.RECONCILE_INTERVAL_SECONDS
        }
      } catch (error) {
        log.error({ err: error }, 'a round of housekeeping failed')
      }
    },
    leave: () => dropLease(database, LEASE, holder).catch(() => undefined),
  }
}
