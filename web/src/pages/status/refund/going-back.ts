/** The text of a swap whose money goes back. */
import type { SwapDetails, SwapProgress } from '@causeway/sdk/light'
import { formatAmount, formatShort, formatUsd, shortAddress, visible } from '../../../money/format.ts'
import { exchanging, status as text } from '../../../text/texts.ts'
import { heldTokenOf } from '../steps/legs.ts'
import type { Stage, Story, Telling } from '../story.ts'
import { returnOf } from './returned.ts'

export function tellBack(
  details: SwapDetails,
  { progress, stage, story }: { progress: SwapProgress | null; stage: Stage; story: Telling },
): Story {
  const { swap } = details
  const source = visible(swap.source_network.display_name)
  const { symbol } = swap.source_token
  const [back] = swap.transactions.filter(({ type }) => type === 'refund')
  const isBack = back?.status === 'completed'
  const amount = formatAmount(back?.amount ?? 0, back?.token.symbol ?? symbol)
  const address = shortAddress(back?.to ?? '')
  const isSold = back !== undefined && back.token.symbol !== symbol
  const told = isSold
    ? exchanging.refundText(amount, address)
    : isBack
      ? text.returnedText(amount, address, source)
      : text.goingBackText(amount, address)
  const owed = progress?.refund.owed ?? 0
  const kept = heldTokenOf(swap)
  const held = worth(owed, kept.symbol, kept.price_in_usd)
  if (stage === 'owed' || (stage === 'failed' && owed > 0)) {
    // The progress is read a moment after the status: without an amount there is nothing to say yet.
    if (owed === 0) return story(text.small, [])
    const isSmall = progress?.refund.needs_address === false
    const asked = isSmall ? story(text.small, [text.smallText(held)]) : story(text.owed, [text.owedText(held)])
    // Money that we hold was not lost: it came after the loss had closed the swap.
    const why = swap.fail_reason === 'deposit_lost' ? text.lateReason : asked.why
    return { ...asked, stage: isSmall ? 'small' : 'owed', why }
  }
  // A swap outside its limits is closed as failed when its refund is ordered: what people want to know is the refund.
  if (isBack && stage !== 'returning')
    return { ...story(text.returned, [told]), mono: address, stage: 'returned', deducted: deducted(details) }
  if (stage === 'returning' || (stage === 'failed' && back))
    return { ...story(text.goingBack, [back ? told : text.goingBackPlain]), mono: address, stage: 'returning' }
  if (stage === 'returned') return story(text.returned, [])
  // The heading is the reason.
  if (swap.fail_reason === 'deposit_lost') return { ...story(text.dropped, [text.droppedText]), why: null }
  return story(text.failed, [text.failedText])
}

/** The amount, and its value in dollars if the price is known. */
export function worth(amount: number, symbol: string, price: number | undefined): string {
  return price ? `${formatShort(amount, symbol)} (${formatUsd(amount * price)})` : formatAmount(amount, symbol)
}

function deducted(details: SwapDetails): string | null {
  const { fee } = returnOf(details)
  const { symbol, price_in_usd: price } = details.swap.source_token
  return fee === null ? null : text.deducted(worth(Number(fee), symbol, price))
}
