/**
 * The review: a frozen copy of the quote with full addresses. Then it creates the swap, verifies its signature, and
 * opens its page.
 */
import type { CreatedSwap, Quoted } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { client } from '../../../api/client.ts'
import { problemOf } from '../../../api/problems.ts'
import { keep, keepAmong } from '../../../api/storage.ts'
import { verify } from '../../../api/verified.ts'
import { formatAmount, visible } from '../../../money/format.ts'
import { shell, status as statusText, swap as text } from '../../../text/en.ts'
import { Address } from '../../../ui/address.tsx'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Sheet } from '../../../ui/sheet.tsx'
import { hasMoved } from '../logic.ts'
import { method } from '../state.ts'
import { Breakdown } from './breakdown.tsx'
import type { Offer } from './offers.ts'
import { bodyOf, type Reviewed, requestOf, termsOf } from './ordering.ts'

interface ReviewProps {
  reviewed: Reviewed
  /** The funding methods, each with its price. */
  offers: readonly Offer[]
  onClose: () => void
  onCreated: (id: string) => void
}

export function Review({ reviewed, offers, onClose, onCreated }: ReviewProps) {
  const isBusy = useSignal(false)
  const problem = useSignal<string | null>(null)
  const hasChanged = useSignal(false)
  const current = useSignal<Quoted>(reviewed.quoted)
  const quoted = current.value
  const { from, to } = reviewed
  const gets = getsOf(quoted)

  const create = async () => {
    isBusy.value = true
    problem.value = null
    try {
      const now = await client.quote(requestOf(reviewed))
      const [before, after] = [quoted.quote.receive_amount ?? 0, now.quote.receive_amount ?? 0]
      if (hasMoved(before, after)) {
        current.value = now
        hasChanged.value = true
        problem.value = text.moved(formatAmount(after, to.token.symbol), formatAmount(before, to.token.symbol))
        return
      }
      const made = await client.createSwap(bodyOf(reviewed))
      const verdict = await verify(made, termsOf(reviewed))
      if (verdict.state === 'refused') problem.value = statusText.badSignature(verdict.code)
      else if (verdict.state === 'new_key') problem.value = statusText.newKey(verdict.fingerprint)
      else remember(made, reviewed, onCreated)
    } catch (error) {
      problem.value = problemOf(error, 'once').text
    } finally {
      isBusy.value = false
    }
  }

  /** Each funding method has its own cost: the review shows the price of the chosen one. */
  const choose = ({ by, quoted }: Offer) => {
    method.value = by
    current.value = quoted
    hasChanged.value = false
    problem.value = null
  }

  return (
    <Sheet title={text.reviewTitle} closeLabel={shell.close} onClose={onClose}>
      <p class="review-sum">
        {formatAmount(reviewed.amount, from.token.symbol)} <span aria-hidden="true">→</span> {gets}
      </p>
      <p class="soft small">
        {visible(from.network.display_name)} <span aria-hidden="true">→</span> {visible(to.network.display_name)}
      </p>
      <Line name={text.to} address={reviewed.recipient} />
      {reviewed.refund && <Line name={text.back} address={reviewed.refund} />}
      {offers.length > 1 && <Methods offers={offers} onChoose={choose} />}
      <Breakdown quoted={quoted} />
      <div class="review-next stack tight">
        {problem.value && <Notice tone="bad">{problem.value}</Notice>}
        <Button look="primary wide" disabled={isBusy.value} onClick={() => void create()}>
          {isBusy.value ? text.creating : hasChanged.value ? text.takeIt : text.create}
        </Button>
      </div>
    </Sheet>
  )
}

function Methods({ offers, onChoose }: { offers: readonly Offer[]; onChoose: (offer: Offer) => void }) {
  return (
    <fieldset class="methods">
      <legend class="soft small">{text.funding}</legend>
      {offers.map((offer) => (
        <label key={offer.by} class="method">
          <input type="radio" name="method" checked={method.value === offer.by} onChange={() => onChoose(offer)} />
          <span>
            <strong>{text.methods[offer.by]}</strong>
            <span class="soft small">{text.methodNotes[offer.by]}</span>
            <span class="small">{text.gets(getsOf(offer.quoted))}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function getsOf({ quote }: Quoted): string {
  return formatAmount(quote.receive_amount ?? 0, quote.destination_token.symbol)
}

function Line({ name, address }: { name: string; address: string }) {
  return (
    <div class="review-line">
      <span class="soft small">{name}</span>
      <Address text={address} />
    </div>
  )
}

function remember({ swap }: CreatedSwap, reviewed: Reviewed, onCreated: (id: string) => void): void {
  keepAmong('swaps', swap.id, 100)
  keepAmong('addresses', reviewed.recipient, 20)
  keep(`terms.${swap.id}`, termsOf(reviewed))
  onCreated(swap.id)
}
