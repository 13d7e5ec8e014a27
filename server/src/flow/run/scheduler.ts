/**
 * Periodic tasks: expired windows, undecided swaps, lost jobs of payouts, old webhooks and idempotency keys, sweeps and
 * rewards. One process at a time runs them, under a lease. Each task has its own interval, and tasks that ask nodes run
 * per network, so that a slow one delays no other.
 */
import { randomUUID } from 'node:crypto'
import type { Services } from '../../services.ts'
import { dropLease, keepLease, takeLease } from '../../store/db/leases.ts'
import { foldReservations } from '../../store/payouts/liquidity-reservations.ts'
import { forgetKeys } from '../../store/swaps/idempotency.ts'
import { forgetOpenAddresses } from '../../store/watch/open-addresses.ts'
import { payRewards } from '../kinds/disburse.ts'
import { bookFunding } from '../kinds/funding.ts'
import { sweepAddresses } from '../kinds/sweep.ts'
import { isolateErrors } from '../lib/error-boundary.ts'
import { sleep } from '../lib/sleep.ts'
import { reconcile } from '../reconciliation/reconcile.ts'
import { expireSwaps } from '../swap/expire.ts'
import { forgetOldDeliveries } from '../webhooks/notify.ts'
import { CHECK_MS, checkNetworks } from './check-networks.ts'
import { requeueDueHeld, requeueMissingJobs } from './requeue.ts'

const LEASE = 'keephouse'
const LEASE_MS = 10_000
const RENEW_MS = 3_000
/** Expiry is shown to users and should not lag by more than a second. */
const ROUND_MS = 1_000
const REMIND_MS = 30_000
/** The first recheck of a held payout is due two seconds after the hold. */
const HELD_MS = 2_000
/** Every read sums the changes of reservations since the last consolidation: there should be few. */
const PROMISES_MS = 2_000
/** A period lasts days: its rewards may wait a few seconds. */
const REWARDS_MS = 10_000
/** Announced funding is no longer listed as unmatched a few seconds after it is final. */
const FUNDING_MS = 5_000
/** An idempotency key lets a client repeat a request that got no answer: a day is long enough. */
const KEYS_KEPT_MS = 24 * 3_600_000

export async function runPeriodicTasks(services: Services, signal: AbortSignal): Promise<void> {
  const keeper = createScheduler(services)
  const turns = new Set<Promise<void>>()
  while (!signal.aborted) {
    // Tasks that are still running continue in parallel with the next turn.
    const turn = keeper.turn().finally(() => turns.delete(turn))
    turns.add(turn)
    await sleep(ROUND_MS, signal)
  }
  await Promise.all(turns)
  await keeper.leave()
}

/** A periodic task. */
interface Duty {
  what: string
  everyMs: number
  dueAt: number
  isUnderWay: boolean
  work(): Promise<void>
}

/**
 * `turn` starts the due tasks that are not running, if this process holds the lease. It resolves when all of them have
 * ended. `renewMs`: how often the lease is renewed meanwhile.
 */
export function createScheduler(
  services: Services,
  renewMs = RENEW_MS,
): { turn(): Promise<void>; leave(): Promise<void> } {
  const holder = randomUUID()
  const { database, log } = services
  const now = () => services.now().getTime()
  const duties = dutiesOf(services)
  const fulfil = async (duty: Duty) => {
    duty.isUnderWay = true
    const lease = { ttlMs: LEASE_MS, renewMs }
    const renewal = keepLease(database, { name: LEASE, holder }, lease)
    await isolateErrors(services, { what: 'housekeeping', id: duty.what }, duty.work)
    renewal.stop()
    duty.dueAt = now() + duty.everyMs
    duty.isUnderWay = false
  }
  return {
    async turn() {
      try {
        if (!services.clock.isTrusted()) return
        if ((await takeLease(database, LEASE, holder, LEASE_MS)) === null) return
        const due = duties.filter(({ dueAt, isUnderWay }) => !isUnderWay && now() >= dueAt)
        await Promise.all(due.map(fulfil))
      } catch (error) {
        log.error({ err: error }, 'a scheduler round failed')
      }
    },
    leave: () => dropLease(database, LEASE, holder).catch(() => undefined),
  }
}

function dutiesOf(services: Services): Duty[] {
  const { database, config } = services
  const now = () => services.now().getTime()
  const duty = (what: string, everyMs: number, work: () => Promise<void>, dueAt = 0): Duty => ({
    ...{ what, everyMs, dueAt, isUnderWay: false, work },
  })
  const forNetworks = (make: (network: string, only: () => Services) => Duty) =>
    [...services.chains.keys()].map((network) => make(network, () => narrowed(services, network)))
  const sweepMs = config.sweepIntervalMs
  return [
    duty('expiry', 0, () => expireSwaps(services)),
    duty('promises', PROMISES_MS, () => foldReservations(database)),
    duty('lanes', REMIND_MS, () => requeueMissingJobs(services)),
    duty('held payouts', HELD_MS, () => requeueDueHeld(services)),
    duty('deliveries', REMIND_MS, () => forgetOldDeliveries(services)),
    duty('open addresses', REMIND_MS, () => forgetOpenAddresses(database, new Date(now()))),
    duty('keys', REMIND_MS, () => forgetKeys(database, new Date(now() - KEYS_KEPT_MS))),
    duty('rewards', REWARDS_MS, () => payRewards(services)),
    duty('funding', FUNDING_MS, () => bookFunding(services)),
    duty('network checks', CHECK_MS, () => checkNetworks(services)),
    ...forNetworks((network, only) =>
      duty(`sweeps of ${network}`, sweepMs, () => sweepAddresses(only()), now() + sweepMs),
    ),
    ...forNetworks((network, only) => duty(`books of ${network}`, config.reconcileIntervalMs, () => reconcile(only()))),
  ]
}

/** The same services for one network alone. */
function narrowed(services: Services, network: string): Services {
  return { ...services, chains: new Map([...services.chains].filter(([name]) => name === network)) }
}
