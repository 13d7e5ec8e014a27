/**
 * Compares the process's clock with the database's. Windows, quotes and limits use the process's clock, and several
 * processes share one database: a clock that is hours ahead would expire every open swap.
 */
import type { Logger } from 'pino'
import type { Metrics } from '../observe/metrics.ts'
import type { Database } from '../store/db/database.ts'
import { databaseTime } from '../store/db/leases.ts'

/** Above this difference an operator is alerted: time synchronisation does not work. */
const ALERT_MS = 2_000
/** Above this difference the process decides nothing. Leases and retries tolerate less. */
const STOP_MS = 30_000

export type ClockState = 'right' | 'skewed' | 'wrong'

export interface Clock {
  /**
   * False while this clock differs from the database's by more than 30 s, or has jumped by that much since the last
   * check. Then nothing is signed or credited, and no swap is accepted.
   */
  isTrusted(): boolean
  /** Compares the clocks. If the database does not answer, the last verdict stays. */
  check(): Promise<void>
}

/** A clock for tests and tools that set their own time; it is always trusted. */
export const TRUSTED_CLOCK: Clock = { isTrusted: () => true, check: async () => undefined }

export function judgeSkew(skewMs: number): ClockState {
  const differenceMs = Math.abs(skewMs)
  if (differenceMs > STOP_MS) return 'wrong'
  return differenceMs > ALERT_MS ? 'skewed' : 'right'
}

/**
 * How far `local` is ahead of `remote`. The answer may have been made at any moment of the call, so the smallest
 * difference is used.
 */
export function skewOf(remote: number, asked: number, answered: number): number {
  if (remote < asked) return asked - remote
  return remote > answered ? answered - remote : 0
}

export function createClock(options: { database: Database; now: () => Date; log: Logger; metrics: Metrics }): Clock {
  const { database, now, log, metrics } = options
  let state: ClockState = 'right'
  /** The process's clock, less the time that has passed since its start: it changes only if the clock is set. */
  const offset = () => now().getTime() - performance.now()
  let compared: number | null = null
  const isUnchanged = () => compared === null || Math.abs(offset() - compared) <= STOP_MS
  return {
    isTrusted: () => state !== 'wrong' && isUnchanged(),
    async check() {
      const asked = now().getTime()
      const before = offset()
      const remote = (await databaseTime(database)).getTime()
      const skewMs = skewOf(remote, asked, now().getTime())
      compared = before
      metrics.clockSkew.set(skewMs / 1000)
      const found = judgeSkew(skewMs)
      if (found === state) return
      state = found
      if (found === 'right') {
        log.info({ skewMs }, 'the clock agrees with the database again')
        return
      }
      metrics.alerts.inc()
      if (found === 'wrong')
        log.error({ skewMs }, 'the clock differs from the database by more than 30 s: nothing is decided')
      else log.error({ skewMs }, 'the clock differs from the database by more than 2 s')
    },
  }
}
