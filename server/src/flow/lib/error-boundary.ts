/**
 * Error boundary: one bad item must never stop the rest. A failing item is skipped, counted and alerted; a temporary
 * failure is only logged.
 */
import { boundedMap } from '@causeway/chain-kit'
import { RetryLater } from '@causeway/core'
import type { Services } from '../../services.ts'
import { isPassing, type Queries, undoable } from '../../store/db/database.ts'

/** The same problem is alerted again after this time; the metric counts every occurrence. */
const SHOWN_AGAIN_MS = 10 * 60_000
/** How many alerts are remembered: more than an operator would read. */
const REMEMBERED = 1_000

const shown = new WeakMap<Services['metrics'], Map<string, number>>()

/** Runs the work for one of many items. True on success; false if a retry may succeed. */
export async function isolateErrors(
  services: Services,
  item: { what: string; id: string } & Record<string, unknown>,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof RetryLater || isPassing(error)) {
      services.log.warn({ ...item, err: error }, 'retrying later')
      return false
    }
    alertOnce(services, item, error)
    return true
  }
}

/**
 * Like `isolateErrors`, inside the caller's transaction: the item's writes are rolled back, all others stay. Returns
 * the item's error. A temporary failure is thrown, and the whole transaction is repeated.
 */
export async function inSavepoint(queries: Queries, work: () => Promise<void>): Promise<unknown> {
  try {
    await undoable(queries, work)
    return null
  } catch (error) {
    if (error instanceof RetryLater || isPassing(error)) throw error
    return error
  }
}

/** How a failing item is isolated from the others of a transaction. */
export type Isolation = typeof inSavepoint

/** No isolation: if one item fails everything is rolled back, and the caller repeats each item separately. */
export const noSavepoint: Isolation = async (_, work) => {
  await work()
  return null
}

/** Counts the failure, and alerts unless that happened recently. */
export function alertOnce(
  { log, metrics, now }: Services,
  item: { what: string; id: string } & Record<string, unknown>,
  error: unknown,
): void {
  metrics.troubles.inc({ what: item.what })
  const known = shown.get(metrics) ?? boundedMap<string, number>(REMEMBERED)
  shown.set(metrics, known)
  const name = `${item.what} ${item.id}`
  const at = now().getTime()
  if (at - (known.get(name) ?? Number.NEGATIVE_INFINITY) < SHOWN_AGAIN_MS) return
  known.delete(name)
  known.set(name, at)
  metrics.alerts.inc()
  log.error({ ...item, err: error }, 'skipped item after error')
}
