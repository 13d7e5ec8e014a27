/** The headline of the status page. */
import type { ServiceStatus } from '@causeway/sdk/light'
import { serviceStatus as text } from '../../text/texts.ts'

export type NetworkStatus = ServiceStatus['networks'][number]

/** Checks are made every minute: without one for this long the service itself has a problem. */
const STALE_SECONDS = 300

export interface Summary {
  tone: 'good' | 'warn' | 'bad'
  heading: string
  isStale: boolean
  ageSeconds: number
}

export function summaryOf({ now, checked_at, networks }: ServiceStatus, isPaused: boolean): Summary {
  const ageSeconds = checked_at ? (Date.parse(now) - Date.parse(checked_at)) / 1000 : 0
  const isStale = ageSeconds > STALE_SECONDS
  const bad = networks.filter(({ state }) => state === 'down' || state === 'behind').length
  const isKnown = networks.some(({ state }) => state !== 'unknown')
  const [tone, heading] = !isKnown
    ? (['warn', text.unknown] as const)
    : bad > 0
      ? (['bad', text.trouble(bad)] as const)
      : isPaused
        ? (['warn', text.paused] as const)
        : (['good', text.allUp] as const)
  // An old check says nothing about the present.
  if (isStale) return { tone: 'warn', heading: text.outOfDate, isStale, ageSeconds }
  return { tone, heading, isStale, ageSeconds }
}
