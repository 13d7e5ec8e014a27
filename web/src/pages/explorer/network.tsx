/** A network: whether the service reads it, what went in and out, and its latest swaps. */
import type { Analytics, ExplorerRow, ServiceStatus } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { client } from '../../api/client.ts'
import { keepReading } from '../../api/keep-trying.ts'
import { problemOf } from '../../api/problems.ts'
import { useTitle } from '../../app/title.ts'
import { formatPercent, formatUsd, visible } from '../../money/format.ts'
import { formatAge, formatDate } from '../../money/format-time.ts'
import { shell, serviceStatus as statusText, explorer as text } from '../../text/texts.ts'
import { Logo } from '../../ui/logo.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SwapList } from '../../ui/swap-list.tsx'
import { StateBadge, UptimeDays } from '../../ui/uptime.tsx'
import { NO_FILTER } from './filters.tsx'
import { load } from './loading.ts'
import { Tile } from './tiles.tsx'
import './network.css'
import './volumes.css'

const LIVE_MS = 5_000

interface Read {
  status: ServiceStatus
  rows: ExplorerRow[]
  day: Analytics
}

export function NetworkPage() {
  const { params } = useRoute()
  const name = params.network ?? ''
  const read = useSignal<Read | null>(null)
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    read.value = null
    return keepReading(
      () => readNetwork(name),
      {
        onFound: (found) => {
          read.value = found
          problem.value = null
        },
        onProblem: (error) => (problem.value = problemOf(error).text),
      },
      LIVE_MS,
    )
  }, [name])
  const network = read.value?.status.networks.find((entry) => entry.network === name)
  const shown = visible(network?.display_name ?? name)
  useTitle(shown)
  if (read.value && !network) return <h1>{shell.noPage}</h1>
  const totals = read.value?.day.networks.find((entry) => entry.network === name)?.totals
  const { now = '', shown_days = 30 } = read.value?.status ?? {}
  const age = network?.last_block_at ? (Date.parse(now) - Date.parse(network.last_block_at)) / 1000 : null
  return (
    <div class="stack">
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      <div class="page-head network-head">
        <h1>
          {network && <Logo network={network.logo} />}
          {shown}
        </h1>
        {network && <StateBadge network={network} />}
      </div>
      {network?.notice && <p class="soft">{visible(network.notice)}</p>}
      <div class="tiles">
        <Tile
          name={statusText.uptime}
          value={network?.uptime == null ? null : formatPercent(network.uptime)}
          note={measuredOf(network, shown_days)}
        />
        <Tile name={statusText.lastBlock} value={age === null ? null : formatAge(age)} note="" />
        <Tile name={text.in24} value={read.value && formatUsd(totals?.inflow.amount_in_usd ?? 0)} note="" />
        <Tile name={text.out24} value={read.value && formatUsd(totals?.outflow.amount_in_usd ?? 0)} note="" />
      </div>
      {network && (
        <section class="card stack tight">
          <h2>{statusText.history(shown_days)}</h2>
          <UptimeDays network={network} now={now} count={shown_days} />
        </section>
      )}
      <div class="list-head">
        <h2>
          {text.recent}
          <span class="live">
            <span class="dot" aria-hidden="true" />
            {text.live}
          </span>
        </h2>
        <a href="/explorer">{text.heading}</a>
      </div>
      <SwapList swaps={read.value?.rows ?? null} empty={text.none} />
    </div>
  )
}

/** The time that the uptime is of: shorter than the shown days if the service is young. */
function measuredOf(network: ServiceStatus['networks'][number] | undefined, days: number): string {
  const first = network?.days.map(({ day }) => day).toSorted()[0]
  return first && network.days.length < days ? statusText.sinceDay(formatDate(first)) : statusText.history(days)
}

async function readNetwork(name: string): Promise<Read> {
  const [status, rows, day] = await Promise.all([
    client.status(),
    load(null, { ...NO_FILTER, network: name }, 1),
    client.analytics({ period: '24h' }),
  ])
  return { status, rows, day }
}
