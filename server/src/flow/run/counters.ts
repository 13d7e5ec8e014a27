/**
 * Rollback detection. Each second a process raises the counter in its own row. If a counter is lower than before, or
 * lower than the journal has recorded, the database was rolled back.
 */
import { behindOf } from '../../keys/journal/start.ts'
import type { Services } from '../../services.ts'
import { dropResume, markResumed, readJournalRow } from '../../store/journal/journal-row.ts'
import { countersOf, countOn, endSilent, isEnded, liveCounters } from '../../store/journal/writers.ts'
import { wakeHeld } from '../../store/payouts/held-payouts.ts'
import { stopSigning } from '../journal/stop-signing.ts'
import { sleep } from '../lib/sleep.ts'
import { advanceAdopted } from './begin-signing.ts'
import { confirmProcesses, takeBranch } from './confirm-processes.ts'
import { createSignerWatch } from './signer-watch.ts'

const BEAT_MS = 1_000
const ADOPT_MS = 3_600_000
/**
 * A process whose counter does not change for this long counts as ended and is no longer compared. If it wakes up, it
 * must be restarted.
 */
const SILENT_MS = 3_600_000

export async function keepCounting(services: Services, signal: AbortSignal, onEnded: () => void): Promise<void> {
  const watchSigner = createSignerWatch(services)
  let told = ''
  let adoptedAt = performance.now()
  while (!signal.aborted) {
    await beat(services, onEnded).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      // A failure that repeats each second is logged once.
      if (message !== told) services.log.warn({ err: error }, 'the process counter failed')
      told = message
    })
    watchSigner()
    if (performance.now() - adoptedAt > ADOPT_MS) {
      adoptedAt = performance.now()
      await advanceAdopted(services).catch((error) => services.log.warn({ err: error }, 'the journal was not compared'))
    }
    await sleep(BEAT_MS, signal)
  }
}

/**
 * One heartbeat. `onEnded` is called if this process must restart: another one signs now, this one was silent for too
 * long, or its database was rolled back. In the last case its counter stays behind and its memory is out of date.
 */
export async function beat(services: Services, onEnded: () => void): Promise<void> {
  const { database, signing, log } = services
  // A signer process that does not answer must not stop the heartbeat: only the comparison with its mark is skipped.
  const status = await signing.orders?.status().catch(() => null)
  if (status && !status.isBroken) signing.workedAt = services.now()
  // Read before the statement: while it runs, allocations of this process raise the counter further.
  const { seen } = signing
  const n = await countOn(database, signing.writer)
  if (n === null && (await isEnded(database, signing.writer))) return onEnded()
  const row = await readJournalRow(database)
  if (n === null || n <= seen) {
    await rolledBack(services)
    return onEnded()
  }
  if (n > signing.seen) signing.seen = n
  const found = await liveCounters(database)
  if (row?.resumed_by && signing.orders) {
    if (!status) return
    if (status.restoredTo > Number(row.resume_line ?? 0n)) {
      // A backup that was made between the request and the resume: what was signed since is not stored.
      log.warn({ by: row.resumed_by }, 'an old request to resume signing is ignored')
      return dropResume(database)
    }
    await signing.orders.resume(found, row.resumed_by)
    await markResumed(database)
    log.warn({ by: row.resumed_by }, 'signing is resumed after a restore')
    return goOn(services)
  }
  if (status && status.state === 'running') {
    const gone = Object.keys(status.mark).filter((id) => !(id in found))
    const ended = await countersOf(database, gone)
    if (behindOf(status.mark, { ...found, ...ended }).length > 0) return rolledBack(services)
    await signing.orders?.saveMark(found)
    await endSilent(database, SILENT_MS)
  }
  // Another process or an operator may stop and resume signing for all processes.
  if (row && row.state !== 'running') signing.stopped = row.state
  else if (signing.stopped !== null) await goOn(services)
  if (status?.state === 'running') await confirmProcesses(services)
  await takeBranch(services)
}

/**
 * Each process that learns that signing goes on wakes the held payouts: the last one finds those that others held
 * meanwhile. If the database fails, the next beat does it.
 */
async function goOn({ signing, database }: Services): Promise<void> {
  const { stopped } = signing
  signing.stopped = null
  try {
    await wakeHeld(database)
  } catch (error) {
    signing.stopped = stopped
    throw error
  }
}

async function rolledBack(services: Services): Promise<void> {
  await stopSigning(services, 'rolled_back').catch(() => undefined)
}
