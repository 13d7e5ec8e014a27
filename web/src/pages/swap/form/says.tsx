/** Problems that prevent a price, each with a button that fixes it. */
import { AmountLimitError, plainNumber, RequestError } from '@causeway/sdk/light'
import { site } from '../../../api/client.ts'
import { problemOf } from '../../../api/problems.ts'
import { formatAmount, formatUsd, visible } from '../../../money/format.ts'
import { fromUnits } from '../../../money/parse-amount.ts'
import { shell, swap as text } from '../../../text/en.ts'
import { Button } from '../../../ui/button.tsx'
import { useNow } from '../../../ui/clock.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { sessionFor } from '../../../wallet/session.ts'
import { methodsOf, mostOf } from '../logic.ts'
import { amount, balance, from, method, quote, takeAmount, to, typed, unit, units } from '../state.ts'

export function AmountSays() {
  return (
    <div id="amount-says" aria-live="polite">
      {sayAmount() ?? sayBalance()}
    </div>
  )
}

function sayAmount() {
  const [read, choice] = [amount.value, from.value]
  if (read.state === 'bad') return <Notice tone="bad">{text.notANumber}</Notice>
  if (read.state === 'ambiguous') {
    return (
      <Notice tone="warn">
        <span>{text.mean(read.grouped, read.fraction)}</span>
        <span class="row">
          {[read.grouped, read.fraction].map((meant) => (
            <Button look="small" key={meant} onClick={() => (typed.value = /\./.test(meant) ? `${meant}0` : meant)}>
              {text.use(meant)}
            </Button>
          ))}
        </span>
      </Notice>
    )
  }
  if (read.state === 'ok' && choice && units.value === null && unit.value === 'token')
    return <Notice tone="bad">{text.tooPrecise(visible(choice.token.symbol), choice.token.decimals)}</Notice>
  return null
}

function sayBalance() {
  const [choice, holds, needs] = [from.value, balance.value, units.value]
  if (!choice || !holds || needs === null) return null
  const { decimals, symbol, contract } = choice.token
  const own = choice.network.token
  const show = (value: bigint) => formatAmount(fromUnits(value, decimals), symbol)
  if (needs > holds.units) {
    const most = fromUnits(mostOf(holds.units, contract === null ? holds.cost : 0n, null), decimals)
    return (
      <Notice tone="warn">
        <span>{text.balance(show(holds.units), show(needs))}</span>
        {most !== '0' && (
          <Button look="small" onClick={() => takeAmount(most)}>
            {text.use(most)}
          </Button>
        )}
      </Notice>
    )
  }
  const left = contract === null ? holds.native - needs : holds.native
  if (left >= holds.cost || method.value === 'gasless') return null
  const native = (value: bigint) => formatAmount(fromUnits(value, own.decimals), own.symbol)
  const signs = sessionFor(choice.network)?.wallet.signTypedData !== undefined
  return (
    <Notice tone="warn">
      <span>{text.gas(native(holds.cost), native(left > 0n ? left : 0n))}</span>
      {methodsOf(choice, signs).includes('gasless') && (
        <Button look="small" onClick={() => (method.value = 'gasless')}>
          {text.withoutGas}
        </Button>
      )}
    </Notice>
  )
}

export function QuoteSays() {
  const { error, quoted, at } = quote.value
  const now = useNow()
  const age = Math.round((now - at) / 1000)
  return (
    <div aria-live="polite">
      {error ? sayError(error) : null}
      {error && quoted ? <p class="soft small">{text.old(age)}</p> : null}
    </div>
  )
}

function sayError(error: unknown) {
  const [a, b] = [from.value, to.value]
  if (!a || !b) return null
  const { symbol } = a.token
  if (error instanceof AmountLimitError) {
    const isLess = error.code === 'LESS_THAN_MIN_ERROR'
    const limit = formatAmount(error.limit, symbol)
    const usd = formatUsd(error.limit * a.token.price_in_usd)
    return (
      <Notice tone="warn">
        <span>{isLess ? text.least(limit, usd) : text.most(limit)}</span>
        <Button look="small" onClick={() => takeAmount(plainNumber(error.limit))}>
          {text.use(plainNumber(error.limit))}
        </Button>
      </Notice>
    )
  }
  const code = error instanceof RequestError ? error.code : ''
  const paused = [a, b].find(({ network }) => site.value?.paused.includes(`network:${network.name}`))
  if (paused) return <Notice tone="warn">{text.paused(visible(paused.network.display_name))}</Notice>
  const route: Record<string, string> = {
    ROUTE_NOT_FOUND_ERROR: text.noRoute(
      visible(symbol),
      visible(a.network.display_name),
      visible(b.token.symbol),
      visible(b.network.display_name),
    ),
    NETWORK_CURRENCY_DAILY_LIMIT_REACHED: text.dailyLimit,
    PRICE_IMPACT_TOO_HIGH: text.tooLarge,
    SERVICE_STARTING: text.starting,
    PRICE_UNAVAILABLE: text.noPrice,
  }
  const { text: sentence, number } = problemOf(error)
  return (
    <Notice tone="warn">
      <span>{route[code] ?? sentence}</span>
      {number && <Copy text={number} label={shell.copy} done={shell.copied} />}
    </Notice>
  )
}
