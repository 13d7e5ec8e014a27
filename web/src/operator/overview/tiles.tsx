/** The overview's tiles: wallet balances, and how far the networks are scanned. */
import { cut, formatAmount, formatUsd } from '../../money/format.ts'
import { operator as text } from '../../text/en.ts'
import { Badge } from '../../ui/notice.tsx'
import { ageOf } from '../shell/age.ts'
import type { Overview } from '../shell/calls.ts'

/** Four decimals; the detail pages show all. */
export const shortAmount = ({ amount, symbol }: { amount: string; symbol: string }) =>
  formatAmount(cut(amount, 4), symbol)

export function Wallets({ now }: { now: Overview }) {
  return (
    <section class="card stack">
      <h2>
        <a href="/operator/wallets">{text.wallets}</a>
      </h2>
      <ul class="needs">
        {now.wallets.map((row) => (
          <li key={`${row.network} ${row.symbol}`} class="row between">
            <span>
              {row.network} <strong title={text.baseUnits(row.units)}>{shortAmount(row)}</strong>
            </span>
            <span class="row soft small">
              {row.usd !== null && <span>{formatUsd(row.usd)}</span>}
              {row.is_low && <Badge tone="warn">{text.low}</Badge>}
              <Badge tone={row.agrees === null ? 'quiet' : row.agrees ? 'good' : 'warn'}>
                {row.agrees === null ? text.notCompared : row.agrees ? text.agrees : text.differs}
              </Badge>
              <span>{text.ago(ageOf(now.now, row.seen_at))}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Wallets below the operator's minimum, and where more of the same token is. */
export function LowWallets({ now }: { now: Overview }) {
  const low = now.wallets.filter(({ is_low }) => is_low)
  if (low.length === 0) return null
  return (
    <section class="card stack" id="low">
      <h2>{text.lowTitle}</h2>
      <ul class="needs">
        {low.map((row) => (
          <li key={`${row.network} ${row.symbol}`} class="stack tight">
            <span>
              {text.below(`${row.network} ${shortAmount(row)}`, formatUsd(row.usd ?? 0), formatUsd(row.floor ?? 0))}
            </span>
            <span class="soft small">
              {row.move_from
                ? text.moveFrom(row.move_from.network, shortAmount(row.move_from))
                : text.nowhereElse(row.symbol)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Networks({ now }: { now: Overview }) {
  return (
    <section class="card stack">
      <h2>
        <a href="/operator/feeds">{text.feeds}</a>
      </h2>
      <ul class="needs">
        {now.feeds.map((row) => (
          <li key={row.network} class="row between">
            <span>{row.network}</span>
            <span class="row soft small">
              <span>{row.price === null ? text.noPrice : `${row.symbol} ${formatUsd(row.price)}`}</span>
              <span>
                {row.head_at === null ? text.noHead : text.headAt(String(row.head), ageOf(now.now, row.head_at))}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
