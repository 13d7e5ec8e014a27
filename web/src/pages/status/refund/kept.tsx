/** Money that is held besides a swap, under a heading of its own: otherwise it reads as the money that was swapped. */
import type { SwapDetails, SwapProgress } from '@causeway/sdk/light'
import { status as statusText, refunding as text } from '../../../text/texts.ts'
import { Notice } from '../../../ui/notice.tsx'
import { heldTokenOf } from '../steps/legs.ts'
import type { Stage } from '../story.ts'
import { worth } from './going-back.ts'

interface KeptProps extends Pick<SwapProgress['refund'], 'owed' | 'needs_address'> {
  details: SwapDetails
  stage: Stage
}

export function Kept({ details: { swap }, stage, owed, needs_address: needsAddress }: KeptProps) {
  const { symbol, price_in_usd: price } = heldTokenOf(swap)
  const amount = worth(owed, symbol, price)
  return (
    <Notice>
      <span>
        <b>{stage === 'expired' ? statusText.owedText(amount) : text.stillHere(amount)}</b>
        <br />
        {stage === 'done' && text.stillHereWhat} {needsAddress ? text.stillHereWhy : text.automatic}
      </span>
    </Notice>
  )
}
