/** The progress of a swap: blocks while a deposit is confirmed, otherwise the time compared with the usual time. */
import type { SwapDetails } from '@causeway/sdk/light'
import { formatSeconds } from '../../money/format-time.ts'
import { swap as swapText, status as text } from '../../text/texts.ts'
import { marks } from '../../wallet/guard.ts'
import { elapsedSeconds } from './patience.ts'
import { progress } from './state.ts'
import type { Stage } from './story.ts'

interface ElapsedProps {
  details: SwapDetails
  stage: Stage
  now: number
  isLive: boolean
}

/** More blocks than this are shown as a bar. */
const MOST_BLOCKS = 24
/** A full bar would say that it is done. */
const MOST_FILLED = 0.95

export function Elapsed({ details: { swap }, stage, now, isLive }: ElapsedProps) {
  const told = progress.value
  const sentAt = stage === 'sent' ? marks.value[swap.id]?.at : undefined
  const elapsed = (told && elapsedSeconds(told, now)) ?? (sentAt ? Math.max(0, (now - sentAt) / 1000) : null)
  const usual = Math.max(1, told?.usual_seconds ?? 1)
  const words =
    elapsed !== null
      ? wordsOf(elapsed, usual, Boolean(told?.held))
      : told && stage === 'confirming'
        ? `${swapText.time} ${formatSeconds(usual)}`
        : ''
  const moves = stage === 'paying' ? 'output' : 'input'
  const open = swap.transactions.find(({ type, status }) => type === moves && status === 'initiated')
  const [done, all] = [open?.confirmations ?? 0, open?.max_confirmations ?? 0]
  return (
    <div class="stack tight">
      {stage !== 'sent' && open && all <= MOST_BLOCKS ? (
        <Blocks done={done} all={all} />
      ) : told?.held ? null : (
        <progress
          class="bar"
          max={usual}
          value={Math.min(elapsed ?? 0, usual * MOST_FILLED)}
          aria-label={words || text.confirming}
        />
      )}
      <div class="row between small soft">
        <span>{words}</span>
        {isLive && <span>{text.live}</span>}
      </div>
    </div>
  )
}

/** The usual time is only shown while it can still be met. */
function wordsOf(elapsed: number, usual: number, isHeld: boolean): string {
  const time = formatSeconds(elapsed)
  return isHeld || elapsed > usual ? text.elapsedOnly(time) : text.elapsed(time, formatSeconds(usual))
}

function Blocks({ done, all }: { done: number; all: number }) {
  return (
    <div
      class="blocks"
      role="progressbar"
      aria-label={text.blocks(done, all)}
      aria-valuemin={0}
      aria-valuenow={done}
      aria-valuemax={all}
      tabIndex={-1}
    >
      {Array.from({ length: all }, (_, at) => (
        <i key={at} class={at < done ? 'on' : at === done ? 'at' : ''} />
      ))}
    </div>
  )
}
