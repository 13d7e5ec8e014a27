/**
 * The overview: one line that says whether money is safe and moving, then what waits, the wallets, and the networks.
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { operator as text } from '../../text/en/operator.ts'
import { shell } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ActSheet, keyOf } from '../actions/act.tsx'
import { ActionButton } from '../actions/button.tsx'
import { draftHere } from '../actions/draft.ts'
import type { Started } from '../lists/lists.ts'
import { PAUSE } from '../lists/switches.ts'
import { hasSound, look, overview, toggleSound, trouble } from '../shell/alerts.ts'
import { Charts } from './charts.tsx'
import { Figures } from './figures.tsx'
import { Needs } from './needs.tsx'
import { Networks } from './networks.tsx'
import { Wallets } from './tiles.tsx'
import { verdictOf } from './verdict.ts'

export function OverviewPage() {
  const started = useSignal<Started | null>(draftHere())
  useEffect(() => {
    document.title = `${text.title} · ${shell.name}`
  }, [])
  const now = overview.value
  const verdict = now && verdictOf(now)
  return (
    <div class="stack">
      <div class="page-head">
        <h1>{text.rooms.overview}</h1>
        <span class="row">
          <Button look="plain small" icon="bell" aria-pressed={hasSound.value} onClick={toggleSound}>
            {hasSound.value ? text.soundOn : text.soundOff}
          </Button>
          <ActionButton
            action={{ ...PAUSE, ask: [] }}
            label={text.pauseAll}
            onClick={() => {
              started.value = { action: { ...PAUSE, ask: [] }, values: { scope: 'service', what: 'both' }, named: null }
            }}
          />
        </span>
      </div>
      {trouble.value && <Notice tone="bad">{trouble.value}</Notice>}
      {verdict ? (
        <Notice tone={verdict.tone} id="verdict">
          <strong>{verdict.words.join(' · ')}</strong>
        </Notice>
      ) : (
        <span class="skeleton verdict" />
      )}
      {now && <Needs now={now} />}
      {now ? <Figures now={now} /> : <span class="skeleton loading" />}
      {now && (
        <div class="halves">
          <Wallets now={now} />
          <div class="stack">
            <Charts />
            <Networks now={now} />
          </div>
        </div>
      )}
      {started.value && (
        <ActSheet
          started={started.value}
          key={keyOf(started.value)}
          onClose={(_isDone, next) => {
            started.value = next
            void look()
          }}
        />
      )}
    </div>
  )
}

const ROOM_OF = { held: 'swaps', owed: 'swaps', unmatched: 'swaps', request: 'requests' } as const

/** Empty for rows without an amount. */
function worthOf(row: Overview['waiting'][number]): string {
  if (row.usd !== null) return formatUsd(row.usd)
  return row.symbol === '' ? '' : shortAmount(row)
}

/** What needs a person comes first, the most money on top, each with one button that says what it opens. */
function Needs({ now }: { now: Overview }) {
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
          <h2>{text.thingsNeedYou(rows.length + low.length)}</h2>
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
                <span>{visible(row.reason)}</span>
                {row.network && ` · ${networkName(row.network)}`}
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
                {text.leftOf(shortAmount(row), formatUsd(row.floor ?? 0))}
                {row.move_from && ` ${text.canSpare(networkName(row.move_from.network), shortAmount(row.move_from))}`}
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
