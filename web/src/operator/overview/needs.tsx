/** The list of what waits for an operator, the most money on top. */
import { formatShort, formatUsd } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import { Icon } from '../../ui/icon.tsx'
import { capital, wordFor } from '../lists/words.ts'
import { ageOf } from '../shell/age.ts'
import type { Overview } from '../shell/answers.ts'
import { networkName } from './names.ts'
import { shortAmount } from './tiles.tsx'

const ROOM_OF = { held: 'swaps', owed: 'swaps', unmatched: 'swaps', request: 'requests' } as const

/** The amount of a row, as text; empty for rows without one. */
function worthOf(row: Overview['waiting'][number]): string {
  if (row.usd !== null) return formatUsd(row.usd)
  return row.symbol === '' ? '' : shortAmount(row)
}

/** The amount and its network, as far as they are known. */
function placeOf(row: Overview['waiting'][number]): string {
  const network = networkName(row.network ?? '')
  return row.symbol === '' ? network : text.tokenOn(shortAmount(row), network)
}

/** The list of what waits for an operator, the most money on top, each row with one button that says what it opens. */
export function Needs({ now }: { now: Overview }) {
  const low = now.wallets.filter(({ is_low }) => is_low)
  const rows = now.waiting.toSorted((a, b) => (b.usd ?? 0) - (a.usd ?? 0))
  if (rows.length + low.length === 0) return null
  const usd = rows.reduce((sum, row) => sum + (row.usd ?? 0), 0)
  const oldest = rows.map(({ since }) => since).toSorted()[0]
  return (
    <section class="card trouble">
      <header>
        <Icon name="warn" />
        <div>
          <h2>{text.waits(rows.length + low.length)}</h2>
          {oldest && <p class="soft small">{text.moneyWaits(formatUsd(usd), ageOf(now.now, oldest))}</p>}
        </div>
      </header>
      <ul class="needs">
        {rows.map((row) => (
          <li key={`${row.kind} ${row.id}`}>
            <strong class="need-usd" title={row.units && text.baseUnits(row.units)}>
              {worthOf(row)}
            </strong>
            <span class="need-what">
              <b>{text.needTitles[row.kind]}</b>
              <small>
                {row.network && `${placeOf(row)} · `}
                <span>{capital(wordFor('reason', row.reason))}</span>
                {row.swap && (
                  <>
                    {' · '}
                    <a href={`/operator/swap/${row.swap}`}>{text.swapTitle}</a>
                  </>
                )}
              </small>
            </span>
            <span class="soft small nowrap">{ageOf(now.now, row.since)}</span>
            <a class="button" href={`/operator/${ROOM_OF[row.kind]}`}>
              {text.needActs[row.kind]}
            </a>
          </li>
        ))}
        {low.map((row) => (
          <li key={`low ${row.network} ${row.symbol}`}>
            <strong class="need-usd bad-text">{text.lowShort}</strong>
            <span class="need-what">
              <b>{text.belowFloor(row.symbol, networkName(row.network))}</b>
              <small>
                {text.leftOf(formatShort(row.amount, row.symbol), formatUsd(row.floor ?? 0))}
                {row.move_from &&
                  ` ${text.canSpare(networkName(row.move_from.network), formatShort(row.move_from.amount, row.move_from.symbol))}`}
              </small>
            </span>
            <span />
            <a class="button" href="/operator/wallets#low">
              {text.planRefill}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
