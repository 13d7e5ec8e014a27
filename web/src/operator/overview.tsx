/** The first five seconds: one line that says whether money is safe and moving, then what waits, the wallets, the networks. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { cut, formatAmount, formatSeconds, formatUsd, visible } from '../money/format.ts'
import { shell, operator as text } from '../text/en.ts'
import { Badge, Notice } from '../ui/notice.tsx'
import { ActSheet, type Started } from './act.tsx'
import { ActionButton } from './button.tsx'
import { loadOverview, type Overview } from './calls.ts'
import { PAUSE } from './rooms.ts'
import { verdictOf } from './verdict.ts'

const AGAIN_MS = 5_000

export function OverviewPage() {
  const now = useSignal<Overview | null>(null)
  const problem = useSignal<string | null>(null)
  const started = useSignal<Started | null>(null)
  const load = () =>
    loadOverview()
      .then((told) => {
        now.value = told
        problem.value = null
      })
      .catch((error: Error) => (problem.value = error.message))
  useEffect(() => {
    document.title = `${text.title} · ${shell.name}`
    void load()
    const timer = setInterval(() => void load(), AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  const verdict = now.value && verdictOf(now.value)
  return (
    <div class="stack">
      <div class="row between">
        <h1>{text.rooms.overview}</h1>
        <ActionButton
          action={{ ...PAUSE, ask: [] }}
          label={text.pauseAll}
          onClick={() => {
            started.value = { action: { ...PAUSE, ask: [] }, values: { scope: 'service', what: 'both' }, named: null }
          }}
        />
      </div>
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      {verdict && (
        <Notice tone={verdict.tone} id="verdict">
          <strong>{verdict.words.join(' · ')}</strong>
        </Notice>
      )}
      {now.value && <Needs now={now.value} />}
      {now.value && (
        <div class="tiles">
          <Wallets now={now.value} />
          <Feeds now={now.value} />
        </div>
      )}
      {started.value && (
        <ActSheet
          started={started.value}
          onClose={() => {
            started.value = null
            void load()
          }}
        />
      )}
    </div>
  )
}

const ageOf = (now: string, since: string) => formatSeconds(Math.max(0, (Date.parse(now) - Date.parse(since)) / 1000))

/** Enough places to tell them apart; the rooms show all. */
const shortAmount = ({ amount, symbol }: { amount: string; symbol: string }) => formatAmount(cut(amount, 4), symbol)

function Needs({ now }: { now: Overview }) {
  return (
    <section class="card stack">
      <h2>{text.needs}</h2>
      {now.waiting.length === 0 && <p class="soft">{text.noNeeds}</p>}
      <ul class="needs">
        {now.waiting.map((row) => (
          <li key={`${row.kind} ${row.id}`} class="row between">
            <span class="row">
              <strong>{row.usd === null ? shortAmount(row) : formatUsd(row.usd)}</strong>
              <Badge tone={row.kind === 'held' ? 'warn' : 'info'}>{text.kinds[row.kind]}</Badge>
              <span>{visible(row.reason)}</span>
            </span>
            <span class="row soft small">
              <span>{row.network}</span>
              <span>{ageOf(now.now, row.since)}</span>
              <a href={row.kind === 'restored' ? '/operator/books' : '/operator/swaps'}>{text.rooms.swaps}</a>
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
      <h2>{text.wallets}</h2>
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

function Feeds({ now }: { now: Overview }) {
  return (
    <section class="card stack">
      <h2>{text.feeds}</h2>
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
