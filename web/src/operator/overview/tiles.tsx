/** The overview's wallets, each against its minimum and maximum. */
import { useSignal } from '@preact/signals'
import { cut, formatAmount, formatShort, formatUsd } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import { Button } from '../../ui/button.tsx'
import { TokenLogo } from '../../ui/logo.tsx'
import { Badge } from '../../ui/notice.tsx'
import { ageOf } from '../shell/age.ts'
import type { Overview } from '../shell/answers.ts'
import { Meter } from './meter.tsx'
import { networkName } from './names.ts'

/** Four decimals; the detail pages show all. */
export const shortAmount = ({ amount, symbol }: { amount: string; symbol: string }) =>
  formatAmount(cut(amount, 4), symbol)

/** How many wallets are shown; the rest are one click away. */
const MOST_SHOWN = 6

/** The wallets, worst first: below their minimum, then those that differ from the ledger, then by value. */
export function Wallets({ now }: { now: Overview }) {
  const isOpen = useSignal(false)
  const rank = (row: Wallet) => (row.is_low ? 0 : row.agrees === false ? 1 : row.floor !== null ? 2 : 3)
  const sorted = now.wallets.toSorted((a, b) => rank(a) - rank(b) || (b.usd ?? 0) - (a.usd ?? 0))
  const shown = isOpen.value ? sorted : sorted.slice(0, MOST_SHOWN)
  return (
    <section class="card stack">
      <div class="row between">
        <h2>
          <a href="/operator/wallets">{text.wallets}</a>
        </h2>
        {shown.some(hasMeter) && <span class="tiny faint">{text.legend}</span>}
      </div>
      <ul class="wallet-list">
        {shown.map((row) => (
          <WalletRow key={`${row.network} ${row.symbol} ${row.account}`} row={row} now={now.now} />
        ))}
      </ul>
      {sorted.length > shown.length && (
        <Button look="plain" onClick={() => (isOpen.value = true)}>
          {text.moreWallets(sorted.length - shown.length)}
        </Button>
      )}
    </section>
  )
}

type Wallet = Overview['wallets'][number]

const hasMeter = ({ usd, floor, ceiling }: Wallet): boolean => usd !== null && (floor !== null || ceiling !== null)

function WalletRow({ row, now }: { row: Wallet; now: string }) {
  const usd = row.usd === null ? '' : ` · ${formatUsd(row.usd)}`
  const isHigh = row.ceiling !== null && row.usd !== null && row.usd > row.ceiling
  const [tone, icon, words] = row.is_low
    ? (['bad', 'warn', text.belowFloorShort] as const)
    : row.agrees === false
      ? (['warn', 'warn', text.differs] as const)
      : isHigh
        ? (['warn', 'warn', text.aboveCeiling] as const)
        : row.agrees === null
          ? (['quiet', 'clock', text.notCompared] as const)
          : (['good', 'check', row.floor === null ? text.agrees : text.inRange] as const)
  return (
    <li>
      <span class="row between">
        <span class="leg">
          <TokenLogo
            token={{ symbol: row.symbol, logo: `/logos/tokens/${row.symbol}.svg` }}
            network={{ name: row.network, logo: `/logos/networks/${row.network}.svg` }}
          />
          <span>
            <b>{text.tokenOn(row.symbol, networkName(row.network))}</b>
            <small title={`${text.baseUnits(row.units)}, ${text.ago(ageOf(now, row.seen_at))}`}>
              {shortAmount(row)}
              {usd}
            </small>
          </span>
        </span>
        <Badge tone={tone} icon={icon}>
          {words}
        </Badge>
      </span>
      {hasMeter(row) && <Meter row={row} usd={row.usd ?? 0} />}
    </li>
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
              {text.below(
                text.tokenOn(row.symbol, networkName(row.network)),
                formatUsd(row.usd ?? 0),
                formatUsd(row.floor ?? 0),
              )}
            </span>
            <span class="soft small">
              {row.move_from
                ? text.moveFrom(
                    networkName(row.move_from.network),
                    formatShort(row.move_from.amount, row.move_from.symbol),
                  )
                : text.nowhereElse(row.symbol)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
