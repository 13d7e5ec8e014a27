/** The public status page: whether the service reads each network, now and on the last days. */
import type { ServiceStatus } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client, site } from '../../api/client.ts'
import { keepReading } from '../../api/keep-trying.ts'
import { problemOf } from '../../api/problems.ts'
import { useTitle } from '../../app/title.ts'
import { formatPercent, visible } from '../../money/format.ts'
import { formatAge, formatDate } from '../../money/format-time.ts'
import { shell, serviceStatus as text } from '../../text/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Notice } from '../../ui/notice.tsx'
import { StateBadge, UptimeDays } from '../../ui/uptime.tsx'
import { type NetworkStatus, summaryOf } from './summary.ts'
import './page.css'

const AGAIN_MS = 30_000

export function ServiceStatusPage() {
  const told = useSignal<ServiceStatus | null>(null)
  const problem = useSignal<string | null>(null)
  useTitle(text.title)
  useEffect(
    () =>
      keepReading(
        () => client.status(),
        {
          onFound: (found) => {
            told.value = found
            problem.value = null
          },
          onProblem: (error) => (problem.value = problemOf(error).text),
        },
        AGAIN_MS,
      ),
    [],
  )
  if (!told.value)
    return (
      <div class="service-status stack" aria-busy={problem.value === null}>
        {problem.value ? (
          <Notice tone="bad">{problem.value}</Notice>
        ) : (
          <>
            <h1 class="card soft summary">{shell.loading}</h1>
            <span class="skeleton" />
          </>
        )}
      </div>
    )
  const { now, checked_at, shown_days, networks } = told.value
  const { tone, heading, isStale, ageSeconds } = summaryOf(told.value, (site.value?.paused.length ?? 0) > 0)
  const first = networks.flatMap(({ days: measured }) => measured.map(({ day }) => day)).sort()[0]
  return (
    <div class="service-status stack">
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      <section class={`card summary ${tone}`}>
        <Icon name={tone === 'good' ? 'check' : 'warn'} />
        <div>
          <h1>{heading}</h1>
          <p class="soft">
            {isStale && checked_at ? text.stale(formatAge(ageSeconds)) : text.lead}{' '}
            {!isStale && checked_at && text.checked(formatAge(ageSeconds))}
          </p>
        </div>
      </section>
      <section class="card networks">
        <div class="networks-head small soft" aria-hidden="true">
          <span>{text.network}</span>
          <span>{text.history(shown_days)}</span>
          <span class="number">{text.uptime}</span>
          <span>{text.state}</span>
        </div>
        <ul>
          {networks.map((network) => (
            <NetworkRow key={network.network} network={network} now={now} count={shown_days} />
          ))}
        </ul>
      </section>
      <p class="row between small soft">
        <span>{first && text.since(formatDate(first))}</span>
        <a href="/explorer/routes">{text.routes}</a>
      </p>
    </div>
  )
}

function NetworkRow({ network, now, count }: { network: NetworkStatus; now: string; count: number }) {
  const age = network.last_block_at ? (Date.parse(now) - Date.parse(network.last_block_at)) / 1000 : null
  return (
    <li>
      <a class="network-name" href={`/explorer/network/${network.network}`}>
        <Logo network={network.logo} />
        <span>
          {visible(network.display_name)}
          {age !== null && (
            <small class="soft">
              {text.lastBlock}: {formatAge(age)}
            </small>
          )}
          {network.notice && <small class="soft">{visible(network.notice)}</small>}
        </span>
      </a>
      <UptimeDays network={network} now={now} count={count} />
      <span class="number">{network.uptime === null ? '–' : formatPercent(network.uptime)}</span>
      <StateBadge network={network} />
    </li>
  )
}
