/** Four figures of the last day: volume, swaps, share that was delivered, and time. */
import type { Analytics, RouteHealth } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { formatAbout, formatCount, formatPercent, formatUsd } from '../../money/format.ts'
import { formatTook } from '../../money/format-time.ts'
import { explorer as text } from '../../text/texts.ts'
import { analytics } from './loading.ts'
import { healthOf, sumsOf } from './sums.ts'

const HOURS = 24

export function Tiles() {
  const day = useSignal<Analytics | null>(null)
  const routes = useSignal<RouteHealth[] | null>(null)
  useEffect(() => {
    const stops = [
      keepTrying(() => analytics('24h'), {
        onFound: (found) => (day.value = found),
        onProblem: () => undefined,
      }),
      keepTrying(() => client.routesHealth(), {
        onFound: (found) => (routes.value = found),
        onProblem: () => undefined,
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
  const sums = day.value && sumsOf(day.value)
  const health = routes.value && healthOf(routes.value)
  const perHour = sums ? formatAbout(sums.swaps / HOURS) : ''
  return (
    <div class="tiles">
      <Tile name={text.volume24} value={sums && formatUsd(sums.usd)} note="" />
      <Tile
        name={text.swaps24}
        value={sums ? formatCount(sums.swaps) : null}
        note={sums && sums.swaps >= HOURS ? text.perHour(perHour) : null}
      />
      <Tile
        name={text.delivered}
        value={
          health && health.swaps > 0 ? formatPercent(Math.floor((health.completed / health.swaps) * 1000) / 1000) : null
        }
        note={health && health.swaps > 0 ? text.deliveredOf(health.completed, health.swaps) : null}
      />
      <Tile
        name={text.medianTime}
        value={health?.median == null ? null : formatTook(health.median)}
        note={health?.p95 == null ? null : text.within(formatTook(health.p95))}
      />
    </div>
  )
}

/** A tile. Its lines have a fixed height, so that nothing moves when the figures arrive. */
export function Tile({ name, value, note }: { name: string; value: string | null; note: string | null }) {
  return (
    <div class="card tile">
      <span class="tile-name">{name}</span>
      <span class="tile-value">{value ?? '–'}</span>
      <span class="tile-note">{note || '\u00a0'}</span>
    </div>
  )
}
