/** The status page: where the money is, what happens next, and what to do. The id in the URL is enough. */
import type { SwapDetails } from '@causeway/sdk/light'
import { useEffect, useRef } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { announce } from '../../app/announce.tsx'
import { useTitle } from '../../app/title.ts'
import { status as text } from '../../text/texts.ts'
import { useNow } from '../../ui/clock.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { markOf } from '../../wallet/guard.ts'
import { current } from '../../wallet/session.ts'
import { Elapsed } from './elapsed.tsx'
import { Loading, Unknown } from './empty.tsx'
import { Funding } from './funding/funding.tsx'
import { Headline } from './headline.tsx'
import { tell } from './logic.ts'
import { Onwards } from './onwards.tsx'
import { Receipt } from './receipt/receipt.tsx'
import { Owed } from './refund/owed.tsx'
import { details, isGone, isLive, open, progress, verdict } from './state.ts'
import { Steps } from './steps/steps.tsx'
import type { Stage, Story } from './story.ts'
import { Aside } from './summary.tsx'
import './page.css'

export function StatusPage() {
  const { params } = useRoute()
  return <SwapStatus id={params.id ?? ''} />
}

/** The status of a swap, without a router: an embedded form shows it at its own URL. */
export function SwapStatus({ id }: { id: string }) {
  useEffect(() => open(id), [id])
  if (isGone.value) return <Unknown />
  if (!details.value) return <Loading isSilent={!isLive.value} />
  return <Followed details={details.value} />
}

function Followed({ details: now }: { details: SwapDetails }) {
  const time = useNow()
  const story = tell(now, progress.value, time, markOf(now.swap.id))
  const { stage } = story
  useSaying(story)
  useEffect(() => {
    current.value = now.swap.source_network
  }, [now.swap.source_network.name])
  const isMoving = MOVING.includes(stage)
  const hasStarted = stage !== 'waiting' || now.swap.transactions.length > 0
  return (
    <div class="status-page">
      <section class="card main-card" aria-labelledby="where">
        <Headline story={story} />
        {isMoving && <Elapsed details={now} stage={stage} now={time} isLive={isLive.value} />}
        {!isLive.value && (isMoving || stage === 'waiting') && <Notice tone="warn">{text.noNews}</Notice>}
        {(stage === 'waiting' || stage === 'sent') && <Funding details={now} stage={stage} />}
        <Why story={story} />
        {stage === 'done' && <Receipt details={now} />}
        {MAY_OWE.includes(stage) && <Owed details={now} stage={stage} />}
        {hasStarted && stage !== 'done' && <Steps details={now} stage={stage} />}
        <Onwards details={now} stage={stage} heading={story.heading} />
        {verdict.value?.state !== 'refused' && (isMoving || CLOSABLE.includes(stage)) && (
          <p class="closing soft small">
            <Icon name="info" />
            <span>{stage === 'waiting' ? text.mayClose : text.noAction}</span>
          </p>
        )}
      </section>
      <Aside details={now} stage={stage} />
    </div>
  )
}

/** Why it goes back, and the cost of the refund. */
function Why({ story: { stage, why, deducted } }: { story: Story }) {
  const more = stage === 'owed' ? text.owedWhy : deducted
  if (!why && !more) return null
  return (
    <Notice tone="info">
      <span>
        {why && (
          <>
            <b>{text.whyLabel}</b> {why}
          </>
        )}{' '}
        {more}
      </span>
    </Notice>
  )
}

const MOVING: readonly Stage[] = ['sent', 'confirming', 'paying']
const CLOSABLE: readonly Stage[] = ['waiting', 'returning', 'small']
/** Stages in which the swap no longer waits, so unspent money is owed. */
const MAY_OWE: readonly Stage[] = ['owed', 'returned', 'done', 'expired']

/** Sets the tab's title; screen readers hear each change of stage, not each block. */
function useSaying({ brief, heading }: Story): void {
  const last = useRef('')
  useTitle(brief)
  useEffect(() => {
    if (last.current !== '' && last.current !== heading) announce(heading)
    last.current = heading
  }, [heading])
}
