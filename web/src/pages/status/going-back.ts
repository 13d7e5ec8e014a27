/** The text of a swap whose money goes back. */
import type { SwapDetails, SwapProgress } from '@causeway/sdk/light'
import { formatAmount, shortAddress, visible } from '../../money/format.ts'
import { status as text } from '../../text/texts.ts'
import type { Stage, Story, Telling } from './story.ts'

export function tellBack(
  { swap }: SwapDetails,
  { progress, stage, story }: { progress: SwapProgress | null; stage: Stage; story: Telling },
): Story {
  const source = visible(swap.source_network.display_name)
  const { symbol } = swap.source_token
  const [back] = swap.transactions.filter(({ type }) => type === 'refund')
  const isBack = back?.status === 'completed'
  const amount = formatAmount(back?.amount ?? 0, symbol)
  const address = shortAddress(back?.to ?? '')
  const told = back ? (isBack ? text.returnedText(amount, address, source) : text.goingBackText(amount, address)) : null
  if (stage === 'returning') return story(text.goingBack, [told])
  if (stage === 'returned') return story(text.returned, [told])
  const owed = progress?.refund.owed ?? 0
  const held = formatAmount(owed, symbol)
  if (stage === 'owed')
    return progress?.refund.needs_address === false
      ? story(text.small, [text.smallText(held)])
      : story(text.owed, [text.owedText(held)])
  // A failed swap: its refund may be in flight, done, or still owed.
  const still = owed > 0 ? text.stillHere(held) : null
  return story(isBack && owed === 0 ? text.returned : text.failed, [told, still])
}
