/** The amount to send: in tokens or dollars, with the wallet balance and buttons that fill it in. */
import { formatAmount, formatUsd, visible } from '../../../money/format.ts'
import { fromUnits } from '../../../money/parse-amount.ts'
import { swap as text } from '../../../text/en.ts'
import { Button } from '../../../ui/button.tsx'
import { mostOf } from '../logic.ts'
import { amount, balance, decimal, from, locked, quote, typed, unit } from '../state.ts'
import { TokenButton } from './choosing.tsx'

export function AmountField() {
  const choice = from.value
  const symbol = visible(choice?.token.symbol ?? '')
  const inUsd = unit.value === 'usd'
  const isWrong = amount.value.state === 'bad'
  return (
    <div class="amount">
      <div class="amount-line">
        {inUsd && <span class="amount-sign">$</span>}
        <input
          id="amount"
          class={`amount-input ${sizeOf(typed.value)}`}
          inputMode="decimal"
          autocomplete="off"
          placeholder="0"
          aria-label={text.amountLabel(inUsd ? 'USD' : symbol)}
          aria-invalid={isWrong}
          aria-describedby="amount-says"
          readOnly={locked.value.includes('amount')}
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value
          }}
        />
        <TokenButton side="source" />
      </div>
      <div class="amount-under row between">
        <Worth />
        <Holding />
      </div>
    </div>
  )
}

/** Long amounts use a smaller font, so that they fit. */
export function sizeOf(text: string): string {
  return text.length > 11 ? 'smallest' : text.length > 5 ? 'smaller' : ''
}

function Worth() {
  const choice = from.value
  if (!choice) return <span class="soft small"> </span>
  const { symbol, price_in_usd: price } = choice.token
  const inUsd = unit.value === 'usd'
  const worth = decimal.value === null ? null : Number(decimal.value) * price
  const shown = inUsd ? formatAmount(decimal.value ?? '0', symbol) : worth === null ? formatUsd(0) : formatUsd(worth)
  const turn = () => {
    const next = inUsd ? decimal.value : worth === null ? null : worth.toFixed(2)
    unit.value = inUsd ? 'token' : 'usd'
    if (typed.value !== '' && next !== null) typed.value = next
  }
  return (
    <button type="button" class="worth" onClick={turn} title={inUsd ? text.inTokens(symbol) : text.inDollars}>
      <span aria-hidden="true">⇄</span> {shown}
      <span class="out-of-sight">. {inUsd ? text.inTokens(visible(symbol)) : text.inDollars}</span>
    </button>
  )
}

function Holding() {
  const [choice, holds] = [from.value, balance.value]
  if (!choice || !holds) return null
  const { decimals, symbol, contract } = choice.token
  const cost = contract === null ? holds.cost : 0n
  const limit = quote.value.limits
  const cap = limit ? BigInt(Math.floor(limit.max_amount * 1e6)) * 10n ** BigInt(Math.max(0, decimals - 6)) : null
  const most = mostOf(holds.units, cost, cap)
  const fill = (units: bigint) => {
    unit.value = 'token'
    typed.value = fromUnits(units, decimals)
  }
  const shown = Number(fromUnits(holds.units, decimals)).toLocaleString('en-US', { maximumSignificantDigits: 6 })
  const left = fromUnits((cost * 3n) / 2n, decimals)
  return (
    <span class="row holding">
      <span class="soft small">{text.holds(`${shown} ${visible(symbol)}`)}</span>
      <Button look="small" onClick={() => fill(most / 2n)}>
        {text.half}
      </Button>
      <Button look="small" onClick={() => fill(most)} title={cost > 0n ? text.leaves(formatAmount(left, symbol)) : ''}>
        {text.max}
      </Button>
    </span>
  )
}
