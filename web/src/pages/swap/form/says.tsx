/** Problems with the amount, shown in place of its worth, each with the button that fixes it. */
import { AmountLimitError, plainNumber } from '@causeway/sdk/light'
import type { ComponentChildren } from 'preact'
import { formatAmount, formatDecimal, formatUsd, shorten, visible } from '../../../money/format.ts'
import { asTyped, fromUnits } from '../../../money/parse-amount.ts'
import { swap as text } from '../../../text/texts.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { sessionFor } from '../../../wallet/session.ts'
import { methodsOf, mostOf } from '../logic.ts'
import { amount, balance, from, method, quote, takeAmount, typed, unit, units } from '../state.ts'

/** The problem with the amount; null if it is fine, or nothing is known against it yet. */
export function amountProblem(): ComponentChildren | null {
  return ofTyping() ?? ofLimits() ?? ofBalance()
}

function Problem({ says, children }: { says: string; children?: ComponentChildren }) {
  return (
    <>
      <span class="panel-problem">
        <Icon name="warn" />
        {says}
      </span>
      {children}
    </>
  )
}

function Use({ value }: { value: string }) {
  return (
    <Button look="small" onClick={() => takeAmount(value)}>
      {text.use(formatDecimal(value))}
    </Button>
  )
}

function ofTyping() {
  const [read, choice] = [amount.value, from.value]
  if (read.state === 'bad') return <Problem says={text.notANumber} />
  if (read.state === 'ambiguous')
    return (
      <Problem says={text.mean(formatDecimal(read.grouped), formatDecimal(read.fraction))}>
        <span class="chips">
          {[read.grouped, read.fraction].map((meant) => (
            <Button look="small" key={meant} onClick={() => (typed.value = asTyped(meant))}>
              {text.use(formatDecimal(meant))}
            </Button>
          ))}
        </span>
      </Problem>
    )
  if (read.state === 'ok' && choice && units.value === null && unit.value === 'token')
    return <Problem says={text.tooPrecise(visible(choice.token.symbol), choice.token.decimals)} />
  return null
}

function ofLimits() {
  const [{ error }, choice] = [quote.value, from.value]
  if (!(error instanceof AmountLimitError) || !choice) return null
  const { symbol } = choice.token
  const usd = formatUsd(error.limit * choice.token.price_in_usd)
  const isLow = error.code === 'LESS_THAN_MIN_ERROR'
  // Rounded down, a maximum is still within the limit.
  const limit = isLow ? plainNumber(error.limit) : shorten(plainNumber(error.limit))
  return (
    <Problem says={isLow ? text.least(formatAmount(limit, symbol), usd) : text.most(formatAmount(limit, symbol))}>
      <Use value={limit} />
    </Problem>
  )
}

function ofBalance() {
  const [choice, holds, needs] = [from.value, balance.value, units.value]
  if (!choice || !holds || needs === null) return null
  const { decimals, symbol, contract } = choice.token
  const own = choice.network.token
  if (needs > holds.units) {
    const most = fromUnits(mostOf(holds.units, contract === null ? holds.cost : 0n, null), decimals)
    return (
      <Problem says={text.balance(formatAmount(fromUnits(holds.units, decimals), symbol))}>
        {most !== '0' && <Use value={most} />}
      </Problem>
    )
  }
  const left = contract === null ? holds.native - needs : holds.native
  if (left >= holds.cost || method.value === 'gasless') return null
  const native = (value: bigint) => formatAmount(fromUnits(value, own.decimals), own.symbol)
  const signs = sessionFor(choice.network)?.wallet.signTypedData !== undefined
  return (
    <Problem says={text.gas(native(holds.cost), native(left > 0n ? left : 0n))}>
      {methodsOf(choice, signs).includes('gasless') && (
        <Button look="small" onClick={() => (method.value = 'gasless')}>
          {text.withoutGas}
        </Button>
      )}
    </Problem>
  )
}
