/**
 * What only time brings about: windows that close, money that could not be decided about, lanes that forgot a payout, and
 * deposit addresses to be emptied. One process at a time does it, under a lease.
 */
import { randomUUID } from 'node:crypto'
import type { Services } from '../services.ts'
import { dropLease, takeLease } from '../store/leases.ts'
import { expireSwaps } from './expire.ts'
import { pause } from './pause.ts'
import { remindLanes } from './remind.ts'
import { sweepAddresses } from './sweep.ts'

const LEASE = 'keephouse'
const LEASE_MS = 10_000
/** Expiry is shown to people: it should not lag by more than a moment. */
const ROUND_MS = 1_000
const REMIND_MS = 30_000

export async function keepHouse(services: Services, signal: AbortSignal): Promise<void> {
  const holder = randomUUID()
  const { database, log, config } = services
  const due = { remind: 0, sweep: Date.now() + config.SWEEP_INTERVAL_SECONDS }
  while (!signal.aborted) {
    try {
      if ((await takeLease(database, LEASE, holder, LEASE_MS)) !== null) {
        await expireSwaps(services)
        if (Date.now() >= due.remind) {
          await remindLanes(services)
          due.remind = Date.now() + REMIND_MS
        }
        if (Date.now() >= due.sweep) {
          await sweepAddresses(services)
          due.sweep = Date.now() + config.SWEEP_INTERVAL_SECONDS
        }
      }
    } catch (error) {
      log.error({ err: error }, 'a round of housekeeping failed')
    }
    await pause(ROUND_MS, signal)
  }
  await dropLease(database, LEASE, holder).catch(() => undefined)
}
