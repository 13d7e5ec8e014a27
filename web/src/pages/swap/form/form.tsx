/** The form: what to send, what to receive, the recipient, and one button that names the next step. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, site } from '../../../api/client.ts'
import { keepQuoted } from '../../../api/quote-loop.ts'
import { formatAmount, formatTook, secondsOf, visible } from '../../../money/format.ts'
import { swap as text } from '../../../text/en.ts'
import { IconButton } from '../../../ui/button.tsx'
import { WalletButton } from '../../../wallet/menu.tsx'
import { sessionFor } from '../../../wallet/session.ts'
import { balance, from, locked, quote, recipient, refuel, refund, to, turn, wanted } from '../state.ts'
import { AddressField, nameOf } from './address-field.tsx'
import { useAloud } from './aloud.ts'
import { AmountField, sizeOf } from './amount.tsx'
import { readBalance } from './balance.ts'
import { TokenButton } from './choosing.tsx'
import { type Judged, NOTHING } from './judging.ts'
import { Next } from './next.tsx'
import { AmountSays, QuoteSays } from './says.tsx'
import { SlippageChoice } from './slippage.tsx'
import './form.css'

export function SwapForm({ onCreated }: { onCreated: (id: string) => void }) {
  const there = useSignal<Judged>(NOTHING)
  const back = useSignal<Judged>(NOTHING)
  const testAddress = useSignal<string | null>(null)
  useEffect(() => keepQuoted(wanted, quote), [])

  const session = from.value && sessionFor(from.value.network)
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
  const gets = formatAmount(quote.value.quoted?.quote.receive_amount ?? 0, '').trim()
  const isPriced = quote.value.quoted !== null && !quote.value.isAsking
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
        <output class={`receives ${sizeOf(gets)} ${isPriced ? '' : 'dim'}`} aria-live="off">
          {gets}
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
      <SlippageChoice />
      <Next there={there} back={back} onCreated={onCreated} />
    </form>
  )
}

/** Its line is always there, so that the layout does not jump. */
function Expected() {
  const { quoted } = quote.value
  const least =
    quoted && formatAmount(quoted.quote.min_receive_amount ?? 0, visible(quoted.quote.destination_token.symbol))
  return (
    <p class="soft small expected">
      {quoted && least
        ? `${text.atLeast(least)} · ${text.about(formatTook(secondsOf(quoted.quote.avg_completion_time)))}`
        : ' '}
    </p>
  )
}
