/** The ways to pay a reviewed swap: the chosen one, and the others on request. */
import { useSignal } from '@preact/signals'
import { formatShort, formatUsd, shortAddress } from '../../../money/format.ts'
import { swap as text, wallet } from '../../../text/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { sessionFor } from '../../../wallet/session.ts'
import { method } from '../state.ts'
import { getsOf } from './deal.tsx'
import type { Offer } from './offers.ts'
import type { Reviewed } from './ordering.ts'

interface WaysProps {
  reviewed: Reviewed
  offers: readonly Offer[]
  onChoose: (offer: Offer) => void
}

/** The chosen way first; the others on request, because few people need them. */
export function Ways({ reviewed, offers, onChoose }: WaysProps) {
  const isOpen = useSignal(false)
  const session = sessionFor(reviewed.from.network)
  // Only a token has to be approved before it is deposited.
  const isNative = reviewed.from.token.contract === null
  const [first, ...others] = [...offers].sort((a, b) => place(a) - place(b))
  if (!first) return null
  const shown = isOpen.value ? [first, ...others] : [first, ...others].filter(({ by }) => by === method.value)
  const nameOf = (by: Offer['by']) =>
    by === 'wallet' && session ? text.payWith(session.wallet.name) : text.methods[by]
  const noteOf = (by: Offer['by']) =>
    by === 'wallet' && session
      ? `${shortAddress(session.account.address)} · ${wallet.oneConfirmation}`
      : text.methodNotes[by === 'depository' && isNative ? 'wallet' : by]
  /** How much less arrives than by paying from a wallet; null if it is no less. */
  const lessThan = ({ quoted: { quote } }: Offer): string | null => {
    const most = offers.find(({ by }) => by === 'wallet')?.quoted.quote.receive_amount ?? 0
    const less = most - quote.receive_amount
    const { symbol, price_in_usd: price } = quote.destination_token
    if (less <= 0) return null
    return price ? formatUsd(less * price) : formatShort(Number(less.toPrecision(4)), symbol)
  }
  const getsIn = (offer: Offer): string => {
    const less = lessThan(offer)
    return [text.gets(getsOf(offer.quoted)), ...(less ? [text.less(less)] : [])].join(' · ')
  }
  return (
    <>
      <fieldset class="ways">
        <legend class="out-of-sight">{text.otherWays}</legend>
        {shown.map((offer) => (
          <label key={offer.by} class="way">
            <span>
              <b>{nameOf(offer.by)}</b>
              <small>{noteOf(offer.by)}</small>
              {(isOpen.value || lessThan(offer)) && <small>{getsIn(offer)}</small>}
            </span>
            <input type="radio" name="method" checked={method.value === offer.by} onChange={() => onChoose(offer)} />
          </label>
        ))}
      </fieldset>
      {others.length > 0 && (
        <button type="button" class="fold" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          {text.otherWays}
          <Icon name="down" />
        </button>
      )}
    </>
  )
}

function place({ by }: Offer): number {
  return by === method.value ? 0 : 1
}
