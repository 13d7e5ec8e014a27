/**
 * Chooses which webhook deliveries a process sends at the same time. An app with no delivery under way always starts one, whatever
 * others have waiting and however slowly they answer. All else is shared, one delivery of each endpoint after the other.
 */
import { boundedMap } from '@causeway/chain-kit'
import { MAX_ENDPOINTS } from '../../apps/webhooks.ts'
import type { Services } from '../../services.ts'
import { dueEndpoints } from '../../store/apps/webhook-queue.ts'
import type { EndpointRow } from '../../store/apps/webhooks.ts'
import { sleep } from '../lib/sleep.ts'
import { claimNext, discard, sendDelivery } from './notify.ts'

/** How often due deliveries are looked for while none begins or ends. */
const POLL_MS = 250
/** Deliveries of one app at the same time. Each of its endpoints may have one even beyond that, so that one that hangs delays no other. */
const MOST_OF_ONE_APP = 4
/** With those. An app may remove endpoints and add others, while deliveries to the removed ones are under way. */
const MOST_IN_ALL_OF_ONE_APP = MOST_OF_ONE_APP + MAX_ENDPOINTS - 1
/** Deliveries of all apps at the same time, not counting that each app may have one. */
const MOST_SHARED = 48
const MAX_REMEMBERED = 10_000

/** A delivery that is being sent. */
export interface UnderWay {
  appId: string
  endpointId: string
}

export function mayStart(underWay: readonly UnderWay[], { appId, endpointId }: UnderWay): boolean {
  const ofApp = underWay.filter((one) => one.appId === appId)
  if (ofApp.length === 0) return true
  if (underWay.length >= MOST_SHARED || ofApp.length >= MOST_IN_ALL_OF_ONE_APP) return false
  return ofApp.length < MOST_OF_ONE_APP || ofApp.every((one) => one.endpointId !== endpointId)
}

/** Sends deliveries until the service stops, and ends when none is under way. */
export async function dispatchWebhooks(services: Services, signal: AbortSignal): Promise<void> {
  const { log, clock } = services
  const underWay = new Map<UnderWay, Promise<void>>()
  const begunAt = boundedMap<string, number>(MAX_REMEMBERED)
  let pause = new AbortController()
  const wake = () => pause.abort()
  signal.addEventListener('abort', wake, { once: true })

  /** Begins at most one delivery of this endpoint. True if there may be another. */
  const begin = async (endpoint: EndpointRow): Promise<boolean> => {
    const own: UnderWay = { appId: endpoint.app_id, endpointId: endpoint.id }
    if (signal.aborted || !mayStart([...underWay.keys()], own)) return false
    const claimed = await claimNext(services, endpoint.id)
    if (typeof claimed === 'string') return claimed === 'blocked'
    begunAt.set(endpoint.id, performance.now())
    const sending = sendDelivery(services, endpoint, claimed, signal)
      .catch((error: unknown) => log.warn({ err: error, endpointId: endpoint.id }, 'failed to record a webhook'))
      .finally(() => {
        underWay.delete(own)
        wake()
      })
    underWay.set(own, sending)
    return true
  }

  /** One delivery of each endpoint: those with fewest under way first, then those that have waited longest for their turn. */
  const turn = async () => {
    const due = await dueEndpoints(services.database, services.now())
    const count = (is: (one: UnderWay) => boolean) => [...underWay.keys()].filter(is).length
    const inTurn = due
      .map((endpoint) => ({
        endpoint,
        ofApp: count(({ appId }) => appId === endpoint.app_id),
        own: count(({ endpointId }) => endpointId === endpoint.id),
        at: begunAt.get(endpoint.id) ?? 0,
      }))
      .sort((a, b) => a.ofApp - b.ofApp || a.own - b.own || a.at - b.at)
    for (const { endpoint } of inTurn) {
      if (endpoint.disabled_at) await discard(services, endpoint.id)
      else if (await begin(endpoint)) wake()
    }
  }

  while (!signal.aborted) {
    pause = new AbortController()
    try {
      // With a wrong clock it is unknown what is due, and what another process has claimed.
      if (clock.isTrusted()) await turn()
    } catch (error) {
      log.warn({ err: error }, 'failed to look for due webhooks')
    }
    await sleep(POLL_MS, pause.signal)
  }
  await Promise.all(underWay.values())
}
