/** The state of a network as a badge, and its uptime per day as a row of bars. */
import type { ServiceStatus } from '@causeway/sdk/light'
import { formatPercent } from '../money/format.ts'
import { formatDate } from '../money/format-time.ts'
import { serviceStatus as text } from '../text/texts.ts'
import { Icon } from './icon.tsx'

type NetworkStatus = ServiceStatus['networks'][number]
const DAY_MS = 24 * 3_600_000

export function StateBadge({ network }: { network: NetworkStatus }) {
  const state = network.paused ? 'paused' : network.state
  const tone = state === 'up' ? 'good' : state === 'down' ? 'bad' : 'warn'
  return (
    <span class={`badge ${tone}`}>
      <Icon name={state === 'up' ? 'check' : state === 'paused' ? 'pause' : 'warn'} />
      {text.states[state]}
    </span>
  )
}

/** The days of a network, the oldest first; the last one is today in UTC. */
export function UptimeDays({ network, now, count }: { network: NetworkStatus; now: string; count: number }) {
  const measured = new Map(network.days.map(({ day, uptime }) => [day, uptime]))
  const days = Array.from({ length: count }, (_, at) =>
    new Date(Date.parse(now) - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  )
  return (
    <span class="days" role="img" aria-label={text.history(count)}>
      {days.map((day) => {
        const uptime = measured.get(day)
        const date = formatDate(day)
        const title = uptime === undefined ? text.noData(date) : text.day(date, formatPercent(uptime))
        return <i key={day} class={lookOf(uptime)} title={title} />
      })}
    </span>
  )
}

/** The colour of a day: above 99.9 % at most one check failed. */
function lookOf(uptime: number | undefined): string {
  if (uptime === undefined) return 'none'
  return uptime >= 0.999 ? 'full' : uptime >= 0.95 ? 'part' : 'low'
}
