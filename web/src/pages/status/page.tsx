/** The status page: where the money is, what happens next, and what to do. The id in the URL is enough. */
import type { SwapDetails } from '@causeway/sdk/light'
import { useEffect, useRef } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { announce } from '../../app/announce.tsx'
import { formatSeconds } from '../../money/format.ts'
import { status as text } from '../../text/en.ts'
import { useNow } from '../../ui/clock.tsx'
import { Notice, type Tone } from '../../ui/notice.tsx'
import { Loading, Unknown } from './empty.tsx'
import { Funding } from './funding.tsx'
import { type Stage, type Story, tell } from './logic.ts'
import { Owed } from './owed.tsx'
import { elapsedSeconds } from './patience.ts'
import { details, isGone, isLive, open, progress, verdict } from './state.ts'
import { Steps } from './steps.tsx'
import { Summary } from './summary.tsx'
import { TellMe } from './tell-me.tsx'
import './page.css'

export function StatusPage() {
  const { params } = useRoute()
  const id = params.id ?? ''
  useEffect(() => open(id), [id])
  if (isGone.value) return <Unknown />
  if (!details.value) return <Loading isSilent={!isLive.value} />
  return <Followed details={details.value} />
}

function Followed({ details: now }: { details: SwapDetails }) {
  const time = useNow()
  const story = tell(now, progress.value, time)
  useSaying(story)
  const isMoving = story.stage === 'waiting' || story.stage === 'confirming' || story.stage === 'paying'
  return (
    <div class="status-page">
      <section class="card stack" aria-labelledby="where">
        <h1 id="where" class={`stage ${TONES[story.stage]}`}>
          {story.heading}
        </h1>
        {story.sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <Elapsed stage={story.stage} now={time} />
        {!isLive.value && isMoving && <Notice tone="warn">{text.noNews}</Notice>}
        {story.stage === 'waiting' && <Funding details={now} />}
        {MAY_OWE.includes(story.stage) && <Owed details={now} stage={story.stage} />}
        <Steps details={now} stage={story.stage} />
        {story.next && verdict.value?.state !== 'refused' && (
          <p class="soft small">
            {text.next(story.next)} {text.mayClose}
          </p>
        )}
        <TellMe stage={story.stage} heading={story.heading} />
        <Onwards details={now} stage={story.stage} />
      </section>
      <Summary details={now} />
    </div>
  )
}

/** Stages in which the swap no longer waits, so unspent money is owed. */
const MAY_OWE: readonly Stage[] = ['owed', 'failed', 'returned', 'done', 'expired']

const TONES: Record<Stage, Tone | ''> = {
  waiting: '',
  confirming: 'info',
  paying: 'info',
  done: 'good',
  returning: 'warn',
  returned: 'good',
  owed: 'warn',
  failed: 'bad',
  expired: '',
  new: '',
}

/** Sets the tab's title; screen readers hear each change of stage, not each block. */
function useSaying({ brief, heading }: Story): void {
  const last = useRef('')
  useEffect(() => {
    document.title = text.title(brief)
  }, [brief])
  useEffect(() => {
    if (last.current !== '' && last.current !== heading) announce(heading)
    last.current = heading
  }, [heading])
}

function Elapsed({ stage, now }: { stage: Stage; now: number }) {
  const told = progress.value
  if (!told || (stage !== 'confirming' && stage !== 'paying')) return null
  const elapsed = elapsedSeconds(told, now)
  if (elapsed === null) return null
  const usual = Math.max(1, told.usual_seconds)
  const words = text.elapsed(formatSeconds(elapsed), formatSeconds(usual))
  return (
    <div class="stack tight">
      <progress max={usual} value={Math.min(elapsed, usual)} aria-label={words} />
      <span class="soft small">{words}</span>
    </div>
  )
}

function Onwards({ details: { swap }, stage }: { details: SwapDetails; stage: Stage }) {
  const end = (network: string, token: { contract: string | null; symbol: string }) =>
    encodeURIComponent(`${network}:${token.contract ?? token.symbol}`)
  const from = end(swap.source_network.name, swap.source_token)
  const to = end(swap.destination_network.name, swap.destination_token)
  const again = `/?from=${from}&to=${to}&amount=${swap.requested_amount ?? ''}`
  if (stage === 'done')
    return (
      <p class="row">
        <a class="button" href={`/?from=${to}&to=${from}`}>
          {text.swapBack}
        </a>
        <a class="button" href={again}>
          {text.another}
        </a>
      </p>
    )
  if (stage === 'expired' || stage === 'failed' || stage === 'returned')
    return (
      <p>
        <a class="button" href={again}>
          {text.again}
        </a>
      </p>
    )
  return null
}
