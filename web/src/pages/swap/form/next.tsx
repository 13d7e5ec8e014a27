/**
 * The button that names the next step. When everything is filled in, it opens the review, a frozen copy with every
 * funding method.
 */
import { AmountLimitError } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { formatAmount, formatShort } from '../../../money/format.ts'
import { swap as text } from '../../../text/texts.ts'
import { sessionFor } from '../../../wallet/session.ts'
import { chooseFirstMethod } from '../changes.ts'
import { nextStep } from '../logic.ts'
import { type Offer, offersFor } from '../review/offers.ts'
import type { Reviewed } from '../review/ordering.ts'
import { Review } from '../review/review.tsx'
import {
  amount,
  decimal,
  from,
  needsRefund,
  opening,
  quote,
  refuel,
  refund,
  slippage,
  to,
  typed,
  wanted,
} from '../state.ts'
import type { Judged } from './judging.ts'

interface NextProps {
  /** The results of both address checks. */
  there: Judged
  back: Judged
  recipient: string
  /** Whether the recipient is the connected wallet. */
  isOwn: boolean
  /** Called if the route needs a refund address and has none. */
  onRefund: () => void
  onCreated: (id: string) => void
}

export function Next({ there, back, recipient, isOwn, onRefund, onCreated }: NextProps) {
  const reviewing = useSignal<{ reviewed: Reviewed; offers: Offer[] } | null>(null)
  const { quoted, isAsking, error } = quote.value
  const sender = (from.value && sessionFor(from.value.network)?.account.address) ?? null
  const refundTo = back.state === 'ok' ? refund.value : needsRefund.value ? sender : null
  const isRefundMissing = needsRefund.value && refundTo === null
  const step = nextStep({
    hasFrom: from.value !== null,
    hasTo: to.value !== null,
    hasAmount: wanted.value !== null,
    isAmountBad: typed.value !== '' && decimal.value !== '0',
    isAmountOpen: amount.value.state === 'ambiguous',
    recipient: there.state,
    isRefundBad: back.state === 'bad',
    isRefundMissing,
    isPriced: quoted !== null && !isAsking,
    isBlocked: error !== null,
    limit: limitOf(error),
  })
  const review = async () => {
    const [a, b] = [from.value, to.value]
    if (!a || !b) {
      opening.value = a ? 'destination' : 'source'
      return
    }
    if (isRefundMissing) return onRefund()
    if (!quoted || decimal.value === null) return
    const reviewed: Reviewed = {
      quoted,
      at: quote.value.at,
      from: a,
      to: b,
      amount: decimal.value,
      recipient: there.address ?? recipient,
      isOwn,
      refund: refundTo,
      refuel: refuel.value,
      slippage: slippage.value,
    }
    reviewing.value = { reviewed, offers: await offersFor(reviewed) }
  }
  /** Closes the review. A funding method chosen in the review applies to that swap only, so the form returns to its default. */
  const close = () => {
    reviewing.value = null
    chooseFirstMethod(from.value)
  }
  const created = (id: string) => {
    close()
    onCreated(id)
  }
  return (
    <>
      <button type="submit" class="button primary wide" disabled={!step.isReady} onClick={() => void review()}>
        {step.label}
      </button>
      {reviewing.value && <Review {...reviewing.value} onClose={close} onCreated={created} />}
    </>
  )
}

function limitOf(error: unknown): string | null {
  const symbol = from.value?.token.symbol
  if (!(error instanceof AmountLimitError) || !symbol) return null
  return error.code === 'LESS_THAN_MIN_ERROR'
    ? text.enterAtLeast(formatAmount(error.limit, symbol))
    : text.enterAtMost(formatShort(error.limit, symbol))
}
