/** How far the networks are scanned, late ones first. */
import { operator as text } from '../../text/en/operator.ts'
import { Logo } from '../../ui/logo.tsx'
import { agoOf } from '../shell/age.ts'
import type { Overview } from '../shell/answers.ts'
import { networkName } from './names.ts'

/** A head that is older than this is late on most networks. */
const LATE_MS = 60_000

export function Networks({ now }: { now: Overview }) {
  const isLate = (at: string | null) => at === null || Date.parse(now.now) - Date.parse(at) > LATE_MS
  const feeds = now.feeds.toSorted((a, b) => Number(isLate(b.head_at)) - Number(isLate(a.head_at)))
  const healthy = feeds.filter(({ head_at, price }) => !isLate(head_at) && price !== null).length
  return (
    <section class="card stack">
      <div class="row between">
        <h2>
          <a href="/operator/feeds">{text.feeds}</a>
        </h2>
        <span class="soft small">{text.healthy(healthy, feeds.length)}</span>
      </div>
      <ul class="health">
        {feeds.map((row) => (
          <li key={row.network}>
            <Logo network={`/logos/networks/${row.network}.svg`} />
            <span>{networkName(row.network)}</span>
            <span class={isLate(row.head_at) ? 'push small warn-text' : 'push small soft'}>
              {row.price === null ? `${text.noPrice} · ` : ''}
              {row.head_at === null ? text.noHead : agoOf(now.now, row.head_at)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
