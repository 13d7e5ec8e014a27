/** The amount to send: in tokens or dollars, with the balance, buttons that fill it in, and what is wrong with it. */
import type { ComponentChildren } from 'preact'
import { formatAmount, formatBalance, formatUsd, visible } from '../../../money/format.ts'
import { asTyped, fromUnits } from '../../../money/parse-amount.ts'
import { swap as text } from '../../../text/texts.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { mostOf } from '../logic.ts'
import { balance, decimal, from, locked, quote, typed, unit } from '../state.ts'
import { TokenButton } from './choosing.tsx'
import { amountProblem } from './says.tsx'

export function SendPanel() {
  const choice = from.value
  const symbol = visible(choice?.token.symbol ?? '')
  const inUsd = unit.value === 'usd'
  const problem = amountProblem()
  return (
    <div class={problem ? 'panel wrong' : 'panel'}>
      <div class="panel-head">
        <label class="mid" for="amount">
          {text.send}
        </label>
        {!locked.value.includes('amount') && <Fill />}
      </div>
      <div class="panel-line">
        {inUsd && <span class="amount-sign">$</span>}
        <AmountRoom shown={typed.value}>
          <input
            id="amount"
            class="amount"
            inputMode="decimal"
            autocomplete="off"
            placeholder="0"
            aria-label={text.amountLabel(inUsd ? 'USD' : symbol)}
            aria-invalid={problem !== null}
            aria-describedby="amount-says"
            readOnly={locked.value.includes('amount')}
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
        </AmountRoom>
        <TokenButton side="source" />
      </div>
      <div id="amount-says" class="panel-foot" aria-live="polite">
        {problem ?? (
          <>
            <Worth />
            <Balance />
          </>
        )}
      </div>
    </div>
  )
}

/** With more characters than this, the field has a line of its own on a phone. */
const SHORT = 12

/** The room of an amount's field: its font shrinks with the number of characters, so that no digit is cut off. */
export function AmountRoom({ shown, children }: { shown: string; children: ComponentChildren }) {
  const { length } = shown
  return (
    <span class={length > SHORT ? 'amount-room long' : 'amount-room'} style={{ '--letters': Math.max(1, length) }}>
      {children}
    </span>
  )
}

function Worth() {
  const choice = from.value
  if (!choice) return <span />
  const { symbol, price_in_usd: price } = choice.token
  const inUsd = unit.value === 'usd'
  const worth = decimal.value === null ? null : Number(decimal.value) * price
  const shown = inUsd ? formatAmount(decimal.value ?? '0', symbol) : formatUsd(worth ?? 0)
  const turn = () => {
    const next = inUsd ? decimal.value : worth === null ? null : worth.toFixed(2)
    unit.value = inUsd ? 'token' : 'usd'
    if (typed.value !== '' && next !== null) typed.value = asTyped(next)
  }
  return (
    <button type="button" class="worth" onClick={turn} title={inUsd ? text.inTokens(symbol) : text.inDollars}>
      {shown}
      <Icon name="turn" />
      <span class="out-of-sight">. {inUsd ? text.inTokens(visible(symbol)) : text.inDollars}</span>
    </button>
  )
}

function Balance() {
  const [choice, holds] = [from.value, balance.value]
  if (!choice || !holds) return <span />
  const { decimals, symbol } = choice.token
  return <span>{text.holds(`${formatBalance(fromUnits(holds.units, decimals))} ${visible(symbol)}`)}</span>
}

/**
 * Buttons that fill in shares of the sendable amount: the balance, less the network fee, up to the limit of the route.
 */
function Fill() {
  const [choice, holds] = [from.value, balance.value]
  if (!choice || !holds) return null
  const { decimals, symbol, contract, precision } = choice.token
  const cost = contract === null ? holds.cost : 0n
  const limit = quote.value.limits
  const cap = limit ? BigInt(Math.floor(limit.max_amount * 1e6)) * 10n ** BigInt(Math.max(0, decimals - 6)) : null
  const most = mostOf(holds.units, cost, cap)
  const step = 10n ** BigInt(Math.max(0, decimals - precision))
  const fill = (units: bigint) => {
    unit.value = 'token'
    typed.value = asTyped(fromUnits((units / step) * step, decimals))
  }
  const left = fromUnits((cost * 3n) / 2n, decimals)
  const chips: [string, bigint, string][] = [
    [text.quarter, most / 4n, ''],
    [text.half, most / 2n, ''],
    [text.max, most, cost > 0n ? text.leaves(formatAmount(left, symbol)) : ''],
  ]
  return (
    <span class="chips">
      {chips.map(([name, units, title]) => (
        <Button key={name} look="small" title={title} onClick={() => fill(units)}>
          {name}
        </Button>
      ))}
    </span>
  )
}
