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
import { formatShort, visible } from '../../../money/format.ts'
import { formatSeconds, formatTook, secondsOf } from '../../../money/format-time.ts'
import { shell, status as statusText, swap as text } from '../../../text/texts.ts'
import { Address } from '../../../ui/address.tsx'
import { Button } from '../../../ui/button.tsx'
import { useNow } from '../../../ui/clock.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Badge, Notice } from '../../../ui/notice.tsx'
import { Sheet } from '../../../ui/sheet.tsx'
import { canSend } from '../../../wallet/families.ts'
import { WalletButton } from '../../../wallet/menu.tsx'
import { sessionFor } from '../../../wallet/session.ts'
import { hasMoved } from '../logic.ts'
import { method } from '../state.ts'
import { Deal, Warnings } from './deal.tsx'
import { impactText, minimum, pathFacts, totalFees } from './facts.ts'
import type { Offer } from './offers.ts'
import { bodyOf, type Reviewed, requestOf, termsOf } from './ordering.ts'
import { Ways } from './ways.tsx'

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
  const needsWallet = method.value !== 'deposit_address' && canSend(from.network.type) && !sessionFor(from.network)

  const create = async () => {
    isBusy.value = true
    problem.value = null
    try {
      const now = await client.quote(requestOf(reviewed))
      const [before, after] = [quoted.quote.receive_amount ?? 0, now.quote.receive_amount ?? 0]
      if (hasMoved(before, after)) {
        current.value = now
        hasChanged.value = true
        problem.value = text.moved(formatShort(after, to.token.symbol), formatShort(before, to.token.symbol))
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

  const facts = [
    totalFees(quoted),
    minimum(quoted),
    ...pathFacts(quoted),
    { name: text.impact, value: impactText(quoted) },
    { name: text.time, value: formatTook(secondsOf(quoted.quote.avg_completion_time)) },
  ]
  const network = visible(to.network.display_name)
  return (
    <Sheet title={text.reviewTitle} closeLabel={shell.close} onClose={onClose}>
      <Deal reviewed={reviewed} quoted={quoted} />
      <Warnings quoted={quoted} />
      <div class="review-part">
        <div class="row between small">
          <span class="soft">{reviewed.isOwn ? text.toOwn(network) : text.toLabel(network)}</span>
          {reviewed.isOwn && (
            <Badge tone="good" icon="check">
              {text.connected}
            </Badge>
          )}
        </div>
        <Address text={reviewed.recipient} />
      </div>
      {reviewed.refund && (
        <div class="review-part">
          <span class="soft small">{text.back}</span>
          <div>
            <Address text={reviewed.refund} />
          </div>
        </div>
      )}
      <div class="review-part">
        <Facts facts={facts} />
      </div>
      <div class="sheet-foot review-foot">
        <Ways reviewed={reviewed} offers={offers} onChoose={choose} />
        <div class="review-go">
          <div role="alert">{problem.value && <Notice tone="bad">{problem.value}</Notice>}</div>
          {needsWallet && !isBusy.value && !hasChanged.value ? (
            <>
              <WalletButton network={from.network} look="primary wide" />
              <Button look="plain" onClick={() => void create()}>
                {text.createLater}
              </Button>
            </>
          ) : (
            <Button look="primary wide" disabled={isBusy.value} onClick={() => void create()}>
              {isBusy.value ? text.creating : hasChanged.value ? text.takeIt : text.create}
            </Button>
          )}
          <PriceAge at={reviewed.at} />
        </div>
      </div>
    </Sheet>
  )
}

function PriceAge({ at }: { at: number }) {
  const now = useNow()
  return <span class="tiny soft">{text.priceFrom(formatSeconds((now - at) / 1000))}</span>
}

function remember({ swap }: CreatedSwap, reviewed: Reviewed, onCreated: (id: string) => void): void {
  keepAmong('swaps', swap.id, 100)
  // Own accounts are not remembered: the wallet offers them.
  if (!reviewed.isOwn) keepAmong('addresses', reviewed.recipient, 20)
  keep(`terms.${swap.id}`, termsOf(reviewed))
  onCreated(swap.id)
}
