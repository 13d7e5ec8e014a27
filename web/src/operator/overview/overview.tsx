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
            look="danger"
            icon="pause"
            onClick={() => {
              started.value = { action: { ...PAUSE, ask: [] }, values: { scope: 'service', what: 'both' }, named: null }
            }}
          />
        </span>
      </div>
      {trouble.value && <Notice tone="bad">{trouble.value}</Notice>}
      {verdict ? (
        <Notice tone={verdict.tone === 'warn' && verdict.words.length < 2 ? 'plain' : verdict.tone} id="verdict">
          <span>{verdict.words.join(' · ')}</span>
        </Notice>
      ) : (
        <span class="skeleton verdict" />
      )}
      {now && <Needs now={now} />}
      {now ? (
        <Figures now={now} />
      ) : (
        <>
          <span class="skeleton loading" />
          <span class="skeleton loading" />
        </>
      )}
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
