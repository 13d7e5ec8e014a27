/** Volume, fees, payouts and latency of the last days, as bars and as a table. */
import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatCount, formatUsd, formatUsdShort } from '../../money/format.ts'
import { formatDate, formatTook } from '../../money/format-time.ts'
import { operator as text } from '../../text/en/operator.ts'
import { Bars } from '../../ui/bars.tsx'
import { Button } from '../../ui/button.tsx'
import { type ChartDay, loadCharts } from '../shell/reports.ts'

type Figure = 'volume_usd' | 'fees_usd' | 'payouts' | 'median_seconds'

const FIGURES: { of: Figure; name: string; short: (value: number) => string; exact: (value: number) => string }[] = [
  { of: 'volume_usd', name: text.charts.volume, short: formatUsdShort, exact: formatUsd },
  { of: 'fees_usd', name: text.charts.fees, short: formatUsdShort, exact: formatUsd },
  { of: 'payouts', name: text.charts.payouts, short: formatCount, exact: formatCount },
  { of: 'median_seconds', name: text.charts.latency, short: formatTook, exact: formatTook },
]
const AGAIN_MS = 60_000

/** The last days, for the charts and for the median of today. */
export const days = signal<ChartDay[]>([])

export function Charts() {
  const chosen = useSignal<Figure>('volume_usd')
  useEffect(() => {
    const read = () => {
      void loadCharts().then(
        (found) => (days.value = found),
        () => undefined,
      )
    }
    read()
    const timer = setInterval(read, AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  const figure = FIGURES.find(({ of }) => of === chosen.value) ?? FIGURES[0]
  if (!figure) return null
  const bars = days.value.map((day) => ({ name: formatDate(day.day), value: day[figure.of] ?? 0 }))
  return (
    <section class="card stack">
      <h2>{text.charts.title}</h2>
      <div class="row">
        {FIGURES.map(({ of, name }) => (
          <Button key={of} look="small" aria-pressed={chosen.value === of} onClick={() => (chosen.value = of)}>
            {name}
          </Button>
        ))}
      </div>
      <Bars bars={bars} label={figure.name} short={figure.short} />
      <details>
        <summary class="small">{text.charts.table}</summary>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{text.charts.day}</th>
              {FIGURES.map(({ of, name }) => (
                <th key={of} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.value.toReversed().map((day) => (
              <tr key={day.day}>
                <th scope="row">{formatDate(day.day)}</th>
                {FIGURES.map(({ of, exact }) => (
                  <td key={of} class="number">
                    {day[of] === null ? '–' : exact(day[of])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}
