/**
 * Detects a rollback of the database. Each allocation of slots raises the process's counter in the same commit. If the
 * counter does not rise, the database was rolled back, and signing stops until an operator runs `restore`.
 */
import { RetryLater } from '@causeway/core'
import type { StopCode } from '../../keys/journal/line.ts'
import type { Services } from '../../services.ts'
import type { Database } from '../../store/db/database.ts'
import { setJournalState } from '../../store/journal/journal-row.ts'
import { countOn, isEnded, liveCounters } from '../../store/journal/writers.ts'
import { PayoutOnHold } from '../lib/payout-on-hold.ts'

/** The counter of this process is missing or did not rise. */
class CounterBehind extends Error {
  override name = 'CounterBehind'
}

type Transaction = Parameters<Parameters<ReturnType<Database['transaction']>['execute']>[0]>[0]
type Signs = Pick<Services, 'signing' | 'database' | 'log' | 'metrics'>

/** Runs a transaction that allocates slots. Its last statement raises the process's counter. */
export async function inCountedTransaction<Answer>(
  services: Signs,
  work: (queries: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const { signing, database } = services
  try {
    const { answer, n } = await database.transaction().execute(async (queries) => {
      const answer = await work(queries)
      const n = await countOn(queries, signing.writer)
      if (n === null || n <= signing.seen) throw new CounterBehind('the counter of this process went back')
      return { answer, n }
    })
    if (n > signing.seen) signing.seen = n
    return answer
  } catch (error) {
    if (!(error instanceof CounterBehind)) throw error
    if (await isEnded(database, signing.writer)) throw new RetryLater('another process signs now')
    return stopSigning(services, 'rolled_back')
  }
}

/**
 * The stop is written to the journal first, since the database may be the wrong one. Throws the hold for the payouts.
 */
export async function stopSigning(services: Signs, code: StopCode): Promise<never> {
  const { signing, database, log, metrics } = services
  if (signing.stopped === null) {
    signing.stopped = code
    metrics.alerts.inc()
    log.error({ code }, 'signing is stopped: the database and the journal do not agree; run "restore"')
    const found = await liveCounters(database).catch(() => ({}))
    await signing.orders?.stop(code, found)
    await setJournalState(database, code)
  }
  throw new PayoutOnHold({ code: 'signing_stopped', state: signing.stopped })
}
