/** What went in and out: over time as a chart, by network as bars; both also as tables. */
import type { Analytics } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { formatTime, formatUsd, visible } from '../../money/format.ts'
import { explorer as text } from '../../text/en.ts'
import { Chart } from '../../ui/chart.tsx'
import { Notice } from '../../ui/notice.tsx'
import './volumes.css'

const PERIODS: Analytics['period'][] = ['24h', '7d', '30d', '90d']

export function Volumes() {
  const period = useSignal<Analytics['period']>('24h')
  const told = useSignal<Analytics | null>(null)
  const isFailed = useSignal(false)
  useEffect(() => {
    void client
      .analytics({ period: period.value })
      .then((found) => {
        told.value = found
        isFailed.value = false
      })
      .catch(() => (isFailed.value = true))
  }, [period.value])
  const now = told.value
  return (
    <section class="stack" aria-label={text.volume}>
      <fieldset class="row periods">
        <legend class="out-of-sight">{text.period}</legend>
        {PERIODS.map((name) => (
          <label key={name} class="period">
            <input type="radio" name="period" checked={period.value === name} onChange={() => (period.value = name)} />
            {name}
          </label>
        ))}
      </fieldset>
      {isFailed.value && <Notice>{text.notAdded}</Notice>}
      <div class="volumes">
        <figure class="card stack tight">
          <h2 class="chart-title">{text.volume}</h2>
          <p class="soft small">{now ? text.volumeNote(formatUsd(now.volume_in_usd), now.swaps, now.period) : ' '}</p>
          <Chart
            times={now?.series.map(({ time }) => Date.parse(time) / 1000) ?? []}
            values={now?.series.map((point) => point.volume_out_usd) ?? []}
            label={text.volume}
          />
          {now && <SeriesTable analytics={now} />}
        </figure>
        <figure class="card stack tight">
          <h2 class="chart-title">{text.networks}</h2>
          {now && <NetworkBars analytics={now} />}
        </figure>
      </div>
    </section>
  )
}

function SeriesTable({ analytics }: { analytics: Analytics }) {
  const points = analytics.series.filter(({ swaps }) => swaps > 0)
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
          {points.map(({ time, volume_out_usd, swaps }) => (
            <tr key={time}>
              <td>{formatTime(time)}</td>
              <td class="number">{formatUsd(volume_out_usd)}</td>
              <td class="number">{swaps}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function NetworkBars({ analytics: { networks } }: { analytics: Analytics }) {
  const most = Math.max(1, ...networks.flatMap((one) => [one.volume_in_usd, one.volume_out_usd]))
  if (networks.length === 0) return <p class="soft small">{text.none}</p>
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
        {networks.map(({ network, volume_in_usd: came, volume_out_usd: went }) => (
          <tr key={network.name}>
            <th scope="row">{visible(network.display_name)}</th>
            {[came, went].map((usd, at) => (
              <td key={at === 0 ? 'in' : 'out'}>
                <span class="small">{formatUsd(usd)}</span>
                <progress max={most} value={usd} aria-hidden="true" />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
