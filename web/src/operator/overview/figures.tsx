/** The key figures: safe, moving, profitable, fast, each with its components. */
import { formatUsd, formatUsdShort } from '../../money/format.ts'
import { formatTook } from '../../money/format-time.ts'
import { operator as text } from '../../text/en/operator.ts'
import { ageOf } from '../shell/age.ts'
import type { Overview } from '../shell/answers.ts'
import { days } from './charts.tsx'

const MILLION = 1_000_000

export function Figures({ now }: { now: Overview }) {
  const { result, motion, wallets } = now
  const median = days.value.at(-1)?.median_seconds ?? null
  const held = wallets.reduce((sum, { usd }) => sum + (usd ?? 0), 0)
  return (
    <dl class="figures tiles">
      <Figure
        href="/operator/wallets"
        name={text.safe}
        value={held < MILLION ? formatUsd(held) : formatUsdShort(held)}
        note={text.balances(wallets.length)}
      />
      <Figure href="/operator/swaps" name={text.moving} value={text.paidToday(motion.paid)} note={motionOf(now)} />
      <Figure
        href="/operator/books"
        name={text.profit}
        value={formatUsd(result.usd)}
        note={`${text.earnedSpent(formatUsd(result.earned), formatUsd(result.spent))}${result.is_partial ? `, ${text.isPartial}` : ''}`}
      />
      <Figure
        href="/operator/swaps"
        name={text.medianTime}
        value={median === null ? '–' : formatTook(median)}
        note={median === null ? text.noMedian : text.medianNote}
      />
    </dl>
  )
}

/** Payouts on the way, and when the last one landed. */
function motionOf({ now, motion: { under_way: onTheWay, newest } }: Overview): string {
  const last = newest === null ? text.noneYet : text.newest(ageOf(now, newest))
  return onTheWay > 0 ? `${last}, ${text.underWay(onTheWay)}` : last
}

function Figure({ href, name, value, note }: { href: string; name: string; value: string; note: string }) {
  return (
    <div class="card tile">
      <dt class="tile-name">
        <a href={href}>{name}</a>
      </dt>
      <dd>
        <strong class="tile-value">{value}</strong>
        <div class="tile-note">{note}</div>
      </dd>
    </div>
  )
}
