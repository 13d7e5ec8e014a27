/** The form: what one sends, what one receives, where it goes, and the one button that says what comes next. */
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ask, site } from '../../api/client.ts'
import { keepQuoted } from '../../api/quote-loop.ts'
import { formatAmount, formatSeconds, secondsOf, visible } from '../../money/format.ts'
import { swap as text } from '../../text/en.ts'
import { IconButton } from '../../ui/button.tsx'
import { WalletButton } from '../../wallet/menu.tsx'
import { sessionFor } from '../../wallet/session.ts'
import { AddressField, nameOf } from './address-field.tsx'
import { useAloud } from './aloud.ts'
import { AmountField } from './amount.tsx'
import { readBalance } from './balance.ts'
import { TokenButton } from './choosing.tsx'
import { type Judged, NOTHING } from './judging.ts'
import { nextStep } from './logic.ts'
import type { Reviewed } from './ordering.ts'
import { Review } from './review.tsx'
import { AmountSays, QuoteSays } from './says.tsx'
import { balance, decimal, from, locked, quote, recipient, refuel, refund, to, turn, wanted } from './state.ts'
import './form.css'

export function SwapForm({ onCreated }: { onCreated: (id: string) => void }) {
  const there = useSignal<Judged>(NOTHING)
  const back = useSignal<Judged>(NOTHING)
  const reviewing = useSignal<Reviewed | null>(null)
  const testAddress = useSignal<string | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => keepQuoted(wanted, quote), [])

  const session = from.value && sessionFor(from.value.network.type)
  useEffect(() => {
    balance.value = null
    return from.value && session ? readBalance(from.value, session.account.address, balance) : undefined
  }, [from.value?.network.name, from.value?.token.symbol, session?.account.address])

  const network = to.value?.network.name
  useEffect(() => {
    testAddress.value = null
    if (network && site.value?.isSandbox)
      void ask<{ address: string }>('/sandbox/address', { network }).then(
        ({ address }) => (testAddress.value = address),
      )
  }, [network, site.value?.isSandbox])

  useAloud(quote.value.isAsking ? null : quote.value.quoted)
  const isPriced = quote.value.quoted !== null && !quote.value.isAsking
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
  const review = () => {
    const [a, b, quoted] = [from.value, to.value, quote.value.quoted]
    if (!a || !b || !quoted || decimal.value === null) return
    reviewing.value = {
      quoted,
      from: a,
      to: b,
      amount: decimal.value,
      recipient: recipient.value,
      refund: back.value.state === 'ok' ? refund.value : null,
      refuel: refuel.value,
    }
  }
  const offered = to.value?.token.refuel ?? null

  return (
    <form class="card form" onSubmit={(event) => event.preventDefault()}>
      <div class="row between">
        <h2 class="form-title">{text.send}</h2>
        {from.value && <WalletButton network={from.value.network} />}
      </div>
      <AmountField />
      <AmountSays />
      <div class="form-turn">
        <IconButton name={text.turn} icon="turn" onClick={turn} disabled={locked.value.length > 0} />
      </div>
      <h2 class="form-title">{text.receive}</h2>
      <div class="amount-line">
        <output class={isPriced ? 'receives' : 'receives dim'} aria-live="off">
          {quote.value.quoted ? formatAmount(quote.value.quoted.quote.receive_amount ?? 0, '').trim() : '0'}
        </output>
        <TokenButton side="destination" />
      </div>
      <Expected />
      <QuoteSays />
      {offered && (
        <label class="row small">
          <input
            type="checkbox"
            checked={refuel.value}
            onChange={({ currentTarget }) => (refuel.value = currentTarget.checked)}
          />
          {text.refuel(formatAmount(offered.amount, offered.token.symbol))}
        </label>
      )}
      <AddressField
        id="recipient"
        label={text.to}
        name={text.toLabel(nameOf(to.value?.network ?? null))}
        network={to.value?.network ?? null}
        symbol={to.value?.token.symbol ?? ''}
        value={recipient}
        verdict={there}
        isLocked={locked.value.includes('recipient')}
        suggestion={testAddress.value}
      />
      <AddressField
        id="refund"
        label={text.back}
        name={text.backLabel(nameOf(from.value?.network ?? null))}
        network={from.value?.network ?? null}
        symbol={from.value?.token.symbol ?? ''}
        value={refund}
        verdict={back}
        placeholder={text.backOptional}
      />
      <div class="form-next">
        <button ref={button} type="submit" class="button primary wide" disabled={!step.value.isReady} onClick={review}>
          {step.value.label}
        </button>
      </div>
      {reviewing.value && (
        <Review reviewed={reviewing.value} onClose={() => (reviewing.value = null)} onCreated={onCreated} />
      )}
    </form>
  )
}

/** Its line is always there, so that nothing jumps. */
function Expected() {
  const { quoted } = quote.value
  const least =
    quoted && formatAmount(quoted.quote.min_receive_amount ?? 0, visible(quoted.quote.destination_token.symbol))
  return (
    <p class="soft small expected">
      {quoted && least
        ? `${text.atLeast(least)} · ${text.about(formatSeconds(secondsOf(quoted.quote.avg_completion_time)))}`
        : ' '}
    </p>
  )
}
