/** Inflow and outflow: over time as a chart, by network as bars; both also as tables. */
import type { Analytics } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { keepTrying } from '../../api/keep-trying.ts'
import { formatUsd, visible } from '../../money/format.ts'
import { formatTime } from '../../money/format-time.ts'
import { shell, explorer as text, units } from '../../text/texts.ts'
import { Chart } from '../../ui/chart.tsx'
import { Notice } from '../../ui/notice.tsx'
import { analytics } from './loading.ts'
import { type Point, sumsOf } from './sums.ts'
import './volumes.css'

const PERIODS = ['24h', '7d', '30d', '90d'] as const
type Period = (typeof PERIODS)[number]
const AGAIN_MS = 30_000

function periodName(period: Period): string {
  const count = period.slice(0, -1)
  return period.endsWith('h') ? units.hours(count) : units.days(count)
}

export function Volumes() {
  const period = useSignal<Period>('24h')
  const told = useSignal<Analytics | null>(null)
  const isFailed = useSignal(false)
  useEffect(
    () =>
      keepTrying(
        () => analytics(period.value),
        {
          onFound: (found) => {
            told.value = found
            isFailed.value = false
          },
          onProblem: () => (isFailed.value = true),
        },
        AGAIN_MS,
      ),
    [period.value],
  )
  const now = told.value
  const sums = now && sumsOf(now)
  return (
    <section class="stack" aria-label={text.volume}>
      <fieldset class="row periods">
        <legend class="out-of-sight">{text.period}</legend>
        {PERIODS.map((name) => (
          <label key={name} class="period">
            <input type="radio" name="period" checked={period.value === name} onChange={() => (period.value = name)} />
            {periodName(name)}
          </label>
        ))}
      </fieldset>
      {isFailed.value && <Notice tone="warn">{text.notAdded}</Notice>}
      <div class="volumes">
        <figure class="card stack tight">
          <h2 class="chart-title">{text.volume}</h2>
          <p class="soft small">
            {sums ? text.volumeNote(formatUsd(sums.usd), sums.swaps, periodName(period.value)) : ' '}
          </p>
          {sums && sums.swaps === 0 ? (
            <p class="chart chart-empty soft">{text.quiet(periodName(period.value))}</p>
          ) : (
            <Chart
              times={sums?.series.map(({ time }) => Date.parse(time) / 1000) ?? []}
              values={sums?.series.map(({ usd }) => usd) ?? []}
              label={text.volume}
            />
          )}
          {sums && sums.swaps > 0 && <SeriesTable points={sums.series.filter(({ swaps }) => swaps > 0)} />}
        </figure>
        <figure class="card stack tight">
          <h2 class="chart-title">{text.networks}</h2>
          {now ? <NetworkBars analytics={now} /> : <p class="chart chart-empty soft">{shell.loading}</p>}
        </figure>
      </div>
    </section>
  )
}

function SeriesTable({ points }: { points: Point[] }) {
  return (
    <details>
      <summary class="small">{text.asTable}</summary>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{text.time}</th>
            <th scope="col" class="number">
              {text.out}
            </th>
            <th scope="col" class="number">
              {text.swaps}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ time, usd, swaps }) => (
            <tr key={time}>
              <td>{formatTime(time)}</td>
              <td class="number">{formatUsd(usd)}</td>
              <td class="number">{swaps}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function NetworkBars({ analytics: { networks, available_networks } }: { analytics: Analytics }) {
  const amounts = networks.map(({ network, totals }) => ({
    name: available_networks.find(({ name }) => name === network)?.display_name ?? network,
    came: totals.inflow.amount_in_usd,
    went: totals.outflow.amount_in_usd,
  }))
  const most = Math.max(1, ...amounts.flatMap(({ came, went }) => [came, went]))
  if (amounts.every(({ came, went }) => came === 0 && went === 0))
    return <p class="chart chart-empty soft">{text.none}</p>
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{text.network}</th>
          <th scope="col">{text.in}</th>
          <th scope="col">{text.out}</th>
        </tr>
      </thead>
      <tbody>
        {amounts.map(({ name, came, went }) => (
          <tr key={name}>
            <th scope="row">{visible(name)}</th>
            {[came, went].map((usd, at) => (
              <td key={at === 0 ? 'in' : 'out'}>
                <span class="small">{formatUsd(usd)}</span>
                <progress class="bar" max={most} value={usd} aria-hidden="true" />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
