/** The first five seconds: one line that says whether money is safe and moving, then what waits, the wallets, the networks. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { cut, formatAmount, formatUsd, visible } from '../money/format.ts'
import { shell, operator as text } from '../text/en.ts'
import { Button } from '../ui/button.tsx'
import { Badge, Notice } from '../ui/notice.tsx'
import { ActSheet, type Started } from './act.tsx'
import { ageOf } from './age.ts'
import { hasSound, look, overview, toggleSound, trouble } from './alerts.ts'
import { ActionButton } from './button.tsx'
import type { Overview } from './calls.ts'
import { PAUSE } from './rooms.ts'
import { booksOf, verdictOf } from './verdict.ts'

export function OverviewPage() {
  const started = useSignal<Started | null>(null)
  useEffect(() => {
    document.title = `${text.title} · ${shell.name}`
  }, [])
  const now = overview.value
  const verdict = now && verdictOf(now)
  return (
    <div class="stack">
      <div class="row between">
        <h1>{text.rooms.overview}</h1>
        <span class="row">
          <Button look="plain small" aria-pressed={hasSound.value} onClick={toggleSound}>
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
      {now ? <Figures now={now} /> : <span class="skeleton loading" />}
      {now ? <Needs now={now} /> : <span class="skeleton loading" />}
      {now && (
        <div class="tiles">
          <Wallets now={now} />
          <Networks now={now} />
        </div>
      )}
      {started.value && (
        <ActSheet
          started={started.value}
          onClose={() => {
            started.value = null
            void look()
          }}
        />
      )}
    </div>
  )
}

/** Safe, moving, profitable: a number each, with what it is made of. */
function Figures({ now }: { now: Overview }) {
  const { result, motion, wallets } = now
  const held = wallets.reduce((sum, { usd }) => sum + (usd ?? 0), 0)
  return (
    <dl class="figures">
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
    <div class="card figure">
      <dt>
        <a href={href}>{name}</a>
      </dt>
      <dd>
        <strong>{value}</strong>
        <span class="soft small">{note}</span>
      </dd>
    </div>
  )
}

/** Enough places to tell them apart; the rooms show all. */
const shortAmount = ({ amount, symbol }: { amount: string; symbol: string }) => formatAmount(cut(amount, 4), symbol)

const ROOM_OF = { held: 'swaps', owed: 'swaps', unmatched: 'swaps', restored: 'books', request: 'requests' } as const

/** What is not about an amount says nothing here. */
function worthOf(row: Overview['waiting'][number]): string {
  if (row.usd !== null) return formatUsd(row.usd)
  return row.symbol === '' ? '' : shortAmount(row)
}

function Needs({ now }: { now: Overview }) {
  return (
    <section class="card stack">
      <h2>{text.needs}</h2>
      {now.waiting.length === 0 && <p class="soft">{text.noNeeds}</p>}
      <ul class="needs">
        {now.waiting.map((row) => (
          <li key={`${row.kind} ${row.id}`} class="row between">
            <span class="row">
              <strong>{worthOf(row)}</strong>
              <Badge tone={row.kind === 'held' ? 'warn' : 'info'}>{text.kinds[row.kind]}</Badge>
              <span>{visible(row.reason)}</span>
            </span>
            <span class="row soft small">
              <span>{row.network}</span>
              <span>{ageOf(now.now, row.since)}</span>
              <a href={`/operator/${ROOM_OF[row.kind]}`}>{text.rooms[ROOM_OF[row.kind]]}</a>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Wallets({ now }: { now: Overview }) {
  return (
    <section class="card stack">
      <h2>
        <a href="/operator/wallets">{text.wallets}</a>
      </h2>
      <ul class="needs">
        {now.wallets.map((row) => (
          <li key={`${row.network} ${row.symbol}`} class="row between">
            <span>
              {row.network} <strong>{shortAmount(row)}</strong>
            </span>
            <span class="row soft small">
              {row.usd !== null && <span>{formatUsd(row.usd)}</span>}
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

function Networks({ now }: { now: Overview }) {
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
              <span>{row.head_at === null ? text.noHead : `${row.head}, ${ageOf(now.now, row.head_at)}`}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
