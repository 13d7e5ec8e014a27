/** The amount to receive: the quote's, or typed: then the amount to send is found by asking for quotes. */
import { AmountLimitError, plainNumber } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../../api/client.ts'
import { formatDecimal, formatUsdDown, shorten, visible } from '../../../money/format.ts'
import { parseAmount } from '../../../money/parse-amount.ts'
import { swap as text } from '../../../text/texts.ts'
import type { Choice } from '../logic.ts'
import { amountThatDelivers } from '../review/delivering.ts'
import { from, locked, quote, takeAmount, to, wantedFor } from '../state.ts'
import { AmountRoom } from './amount.tsx'
import { TokenButton } from './choosing.tsx'

/** Delay after typing, as for the amount to send. */
const TYPING_MS = 400

export function ReceivePanel() {
  // While it is typed, the field shows the typed text; otherwise the quote.
  const wants = useSignal<string | null>(null)
  const { quoted, isAsking } = quote.value
  const symbol = visible(to.value?.token.symbol ?? '')
  useEffect(() => {
    if (wants.value === null || !from.value || !to.value) return
    const read = parseAmount(wants.value)
    if (read.state !== 'ok' || Number(read.decimal) === 0) return
    const [a, b, isStopped] = [from.value, to.value, { now: false }]
    const timer = setTimeout(() => {
      void amountThatDelivers(read.decimal, { from: a.token, to: b.token }, (sent) => arrival(sent, a, b))
        .then((sent) => !isStopped.now && takeAmount(sent))
        .catch(() => undefined)
    }, TYPING_MS)
    return () => {
      isStopped.now = true
      clearTimeout(timer)
    }
  }, [wants.value])
  const shown = wants.value ?? (quoted ? formatDecimal(shorten(plainNumber(quoted.quote.receive_amount))) : '')
  return (
    <div class="panel">
      <div class="panel-head">
        <label class="mid" for="receive">
          {text.receive}
        </label>
      </div>
      <div class="panel-line">
        <AmountRoom shown={shown}>
          <input
            id="receive"
            class={isAsking && wants.value === null ? 'amount dim' : 'amount'}
            inputMode="decimal"
            autocomplete="off"
            placeholder="0"
            aria-label={text.receiveLabel(symbol)}
            readOnly={locked.value.includes('amount') || !from.value || !to.value}
            value={shown}
            onInput={({ currentTarget }) => (wants.value = currentTarget.value)}
            onBlur={() => (wants.value = null)}
          />
        </AmountRoom>
        <TokenButton side="destination" />
      </div>
      <div class="panel-foot">
        {quoted ? (
          <>
            <span>{formatUsdDown(quoted.quote.receive_amount * quoted.quote.destination_token.price_in_usd)}</span>
            <span>{text.atLeast(formatDecimal(shorten(plainNumber(quoted.quote.min_receive_amount))))}</span>
          </>
        ) : (
          <span />
        )}
      </div>
    </div>
  )
}

/** The output of an amount with the form's settings; null if the amount is outside the limits. */
export async function arrival(amount: string, a: Choice, b: Choice): Promise<number | null> {
  try {
    const { quote } = await client.quote(wantedFor(amount, a, b))
    return quote.receive_amount ?? 0
  } catch (error) {
    if (error instanceof AmountLimitError) return null
    throw error
  }
}
