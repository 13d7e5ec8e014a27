/**
 * Shares the webhook slots among endpoints. Receivers that hang would otherwise hold them all and delay the events of every
 * other app. A delivery that finds no slot takes the one of a delivery that has waited long for its answer. That endpoint
 * is slow from then on: slow endpoints share a few slots of their own, with the whole timeout, until they answer in time.
 */
import { boundedMap, boundedSet } from '@causeway/chain-kit'
import { readEndpointApp } from '../../store/apps/webhooks.ts'
import type { Queries } from '../../store/db/database.ts'

/** Slots of all endpoints but slow ones. */
const MOST_QUICK = 9
const MOST_SLOW = 3
const MOST_OF_ONE_APP = 3
/** A few jobs more than slots may begin, so that one is never kept from taking over a slot. */
export const WEBHOOK_WORKERS = MOST_QUICK + MOST_SLOW + 2
/** From then on a delivery may lose its slot. */
const QUICK_MS = 1_000
const MAX_REMEMBERED = 10_000

export interface Slot {
  /** Aborted if the slot is needed for another delivery. */
  signal: AbortSignal
  /** Called after each request: whether the receiver answered before the timeout, with whatever status. */
  answered(isInTime: boolean): void
}

export interface WebhookSlots {
  /**
   * Runs the deliveries of a job, or says why not: the app or all others hold the slots (`crowded`), or those of slow
   * endpoints are taken (`slow`).
   */
  within(endpointId: string, deliver: (slot: Slot) => Promise<void>): Promise<'ran' | 'crowded' | 'slow'>
}

interface Running {
  endpointId: string
  app: string
  isSlow: boolean
  /** When the present request began. */
  since: number
  stop: AbortController
}

export function createWebhookSlots(queries: Queries, now = () => performance.now()): WebhookSlots {
  /** An endpoint never changes its app. */
  const apps = boundedMap<string, string>(MAX_REMEMBERED)
  /** Endpoints whose last request was not answered in time. */
  const slow = boundedSet<string>(MAX_REMEMBERED)
  const running = new Set<Running>()

  /** True if there is a slot, maybe because the delivery that has waited longest loses its own. */
  function hasQuickSlot(): boolean {
    const quick = [...running].filter(({ isSlow }) => !isSlow)
    if (quick.length < MOST_QUICK) return true
    const longest = quick.reduce((one, other) => (other.since < one.since ? other : one))
    if (now() - longest.since < QUICK_MS) return false
    slow.add(longest.endpointId)
    running.delete(longest)
    longest.stop.abort()
    return true
  }

  return {
    async within(endpointId, deliver) {
      const app = apps.get(endpointId) ?? (await readEndpointApp(queries, endpointId))
      apps.set(endpointId, app)
      const isSlow = slow.has(endpointId)
      const others = [...running].filter((one) => one.isSlow === isSlow)
      if (isSlow && (others.length >= MOST_SLOW || others.some((one) => one.app === app))) return 'slow'
      if (!isSlow && others.filter((one) => one.app === app).length >= MOST_OF_ONE_APP) return 'crowded'
      if (!isSlow && !hasQuickSlot()) return 'crowded'
      const own: Running = { endpointId, app, isSlow, since: now(), stop: new AbortController() }
      running.add(own)
      try {
        await deliver({
          signal: own.stop.signal,
          answered(isInTime) {
            own.since = now()
            if (isInTime) slow.delete(endpointId)
            else slow.add(endpointId)
          },
        })
      } finally {
        running.delete(own)
      }
      return 'ran'
    },
  }
}
