/**
 * The overview: one line that says whether money is safe and moving, then what waits, the wallets, and the networks.
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatUsd, visible } from '../../money/format.ts'
import { shell, operator as text } from '../../text/en.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, Notice } from '../../ui/notice.tsx'
import { ActSheet, keyOf } from '../actions/act.tsx'
import { ActionButton } from '../actions/button.tsx'
import { draftHere } from '../actions/draft.ts'
import type { Started } from '../lists/lists.ts'
import { PAUSE } from '../lists/switches.ts'
import { ageOf } from '../shell/age.ts'
import { hasSound, look, overview, toggleSound, trouble } from '../shell/alerts.ts'
import type { Overview } from '../shell/calls.ts'
import { Figures } from './figures.tsx'
import { Networks, shortAmount, Wallets } from './tiles.tsx'
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

const ROOM_OF = { held: 'swaps', owed: 'swaps', unmatched: 'swaps', restored: 'books', request: 'requests' } as const

/** Empty for rows without an amount. */
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
              {worthOf(row) && <strong title={row.units && text.baseUnits(row.units)}>{worthOf(row)}</strong>}
              <Badge tone={row.kind === 'held' ? 'warn' : 'info'}>{text.kinds[row.kind]}</Badge>
              <span>{visible(row.reason)}</span>
            </span>
            <span class="row soft small">
              {row.network && <span>{row.network}</span>}
              <span>{ageOf(now.now, row.since)}</span>
              {row.swap && <a href={`/operator/swap/${row.swap}`}>{text.swapTitle}</a>}
              <a href={`/operator/${ROOM_OF[row.kind]}`}>{text.rooms[ROOM_OF[row.kind]]}</a>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
