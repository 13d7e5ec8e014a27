/** Three key figures: safe, moving, profitable, each with its components. */
import { formatUsd } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import { ageOf } from '../shell/age.ts'
import type { Overview } from '../shell/answers.ts'
import { booksOf } from './verdict.ts'

export function Figures({ now }: { now: Overview }) {
  const { result, motion, wallets } = now
  const held = wallets.reduce((sum, { usd }) => sum + (usd ?? 0), 0)
  return (
    <dl class="figures tiles three">
      <Figure
        href="/operator/wallets"
        name={text.safe}
        value={formatUsd(held)}
        note={booksOf(now) ?? text.notCompared}
      />
      <Figure
        href="/operator/swaps"
        name={text.moving}
        value={text.paidToday(motion.paid)}
        note={`${text.underWay(motion.under_way)}, ${motion.newest === null ? text.noneYet : text.newest(ageOf(now.now, motion.newest))}`}
      />
      <Figure
        href="/operator/books"
        name={text.profit}
        value={formatUsd(result.usd)}
        note={`${text.earnedSpent(formatUsd(result.earned), formatUsd(result.spent))}${result.is_partial ? `, ${text.isPartial}` : ''}`}
      />
    </dl>
  )
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
