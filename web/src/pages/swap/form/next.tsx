/**
 * The button that names the next step. When everything is filled in, it opens the review, a frozen copy with every
 * funding method.
 */
import { type Signal, useComputed, useSignal } from '@preact/signals'
import { nextStep } from '../logic.ts'
import { type Offer, offersFor } from '../review/offers.ts'
import type { Reviewed } from '../review/ordering.ts'
import { Review } from '../review/review.tsx'
import {
  chooseFirstMethod,
  decimal,
  from,
  method,
  quote,
  recipient,
  refuel,
  refund,
  slippage,
  to,
  wanted,
} from '../state.ts'
import type { Judged } from './judging.ts'

interface NextProps {
  /** The results of both address checks. */
  there: Signal<Judged>
  back: Signal<Judged>
  onCreated: (id: string) => void
}

export function Next({ there, back, onCreated }: NextProps) {
  const reviewing = useSignal<{ reviewed: Reviewed; offers: Offer[] } | null>(null)
  const step = useComputed(() =>
    nextStep({
      hasFrom: from.value !== null,
      hasTo: to.value !== null,
      hasAmount: wanted.value !== null,
      hasRecipient: there.value.state === 'ok',
      isPriced: quote.value.quoted !== null && !quote.value.isAsking,
      isBlocked: quote.value.error !== null || back.value.state === 'bad',
    }),
  )
  const review = async () => {
    const [a, b, quoted] = [from.value, to.value, quote.value.quoted]
    if (!a || !b || !quoted || decimal.value === null) return
    const reviewed: Reviewed = {
      quoted,
      from: a,
      to: b,
      amount: decimal.value,
      recipient: recipient.value,
      refund: back.value.state === 'ok' ? refund.value : null,
      refuel: refuel.value,
      slippage: slippage.value,
    }
    reviewing.value = { reviewed, offers: await offersFor(reviewed) }
  }
  /** Gasless and Depository are chosen for one swap only: the form returns to the default method. */
  const close = () => {
    reviewing.value = null
    if (method.value === 'gasless' || method.value === 'depository') chooseFirstMethod(from.value)
  }
  return (
    <>
      <div class="form-next">
        <button type="submit" class="button primary wide" disabled={!step.value.isReady} onClick={() => void review()}>
          {step.value.label}
        </button>
      </div>
      {reviewing.value && <Review {...reviewing.value} onClose={close} onCreated={onCreated} />}
    </>
  )
}
