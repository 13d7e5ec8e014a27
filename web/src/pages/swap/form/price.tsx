/** The price in one row that opens: rate, fees in dollars, time; or why there is none. Its height is always there. */
import { AmountLimitError, NoAnswerError, RequestError } from '@causeway/sdk/light'
import { site } from '../../../api/client.ts'
import { isOnline } from '../../../api/online.ts'
import { problemOf } from '../../../api/problems.ts'
import { costShareOf, totalCostOf } from '../../../money/cost.ts'
import { formatPercent, formatRate, formatUsd, visible } from '../../../money/format.ts'
import { formatAge, formatTook, secondsOf } from '../../../money/format-time.ts'
import { costs, shell, swap as text } from '../../../text/texts.ts'
import { useNow } from '../../../ui/clock.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { factsOf } from '../review/facts.ts'
import { hasHighFees } from '../review/warnings.ts'
import { amount, from, quote, to } from '../state.ts'

export function Price() {
  const { quoted, error, isAsking } = quote.value
  if (!quoted || (error && !isOld(error))) return <Waiting />
  const { source_token: a, destination_token: b, rate, avg_completion_time } = quoted.quote
  const [fee, share] = [totalCostOf(quoted.quote), formatPercent(costShareOf(quoted.quote))]
  return (
    <details class={`price ${isAsking ? 'dim' : ''} ${hasHighFees(quoted) ? 'costly' : ''}`}>
      <summary>
        <span class="out-of-sight">{text.price}: </span>
        <span class="price-rate">{text.rateOf(visible(a.symbol), formatRate(rate, b.symbol))}</span>
        <span class="price-end">
          {hasHighFees(quoted) ? (
            <span class="warn-text mid">
              <Icon name="warn" />
              {`${formatUsd(fee)} (${share})`}
              <span class="out-of-sight">. {costs.highFees(share)}</span>
            </span>
          ) : (
            <span>
              <Icon name="gas" />
              {formatUsd(fee)}
            </span>
          )}
          <span class="price-time">
            <Icon name="clock" />
            {formatTook(secondsOf(avg_completion_time))}
          </span>
          <Icon name="down" />
        </span>
      </summary>
      <Facts facts={factsOf(quoted)} />
      <Age />
    </details>
  )
}

function Age() {
  const now = useNow()
  const { at, error } = quote.value
  const age = Math.max(0, Math.round((now - at) / 1000))
  return (
    <dl class="facts price-age">
      <div>
        <dt>{text.updated}</dt>
        <dd>{error ? text.old(age) : formatAge(age)}</dd>
      </div>
    </dl>
  )
}

/** Whether the error says nothing about the price: the last price for the same amount stays, with its age. */
function isOld(error: unknown): boolean {
  return !(error instanceof RequestError) || error.status === 429 || error.status >= 500
}

function Waiting() {
  const { error } = quote.value
  const { sentence, number, isBad } = reasonFor(error)
  return (
    <div class={isBad ? 'price price-rest warn-text' : 'price price-rest'} role="status">
      <span>{sentence}</span>
      {number && <Copy text={number} label={shell.copy} done={shell.copied} />}
    </div>
  )
}

function reasonFor(error: unknown): { sentence: string; number: string | null; isBad: boolean } {
  const [a, b] = [from.value, to.value]
  const quiet = (sentence: string) => ({ sentence, number: null, isBad: false })
  if (amount.value.state === 'ambiguous') return quiet(costs.priceChoose)
  if (!error || !a || !b) return quiet(quote.value.isAsking ? text.gettingPrice : text.priceWaits)
  if (error instanceof NoAnswerError && !isOnline.value) return quiet(costs.priceOffline)
  if (error instanceof AmountLimitError)
    return quiet(error.code === 'LESS_THAN_MIN_ERROR' ? text.priceLarger : text.priceSmaller)
  const paused = [a, b].find(({ network }) => site.value?.paused.includes(`network:${network.name}`))
  const names = [a.token.symbol, a.network.display_name, b.token.symbol, b.network.display_name].map(visible)
  const [x = '', p = '', y = '', q = ''] = names
  const sentences: Record<string, string> = {
    ROUTE_NOT_FOUND_ERROR: text.noRoute(x, p, y, q),
    NETWORK_CURRENCY_DAILY_LIMIT_REACHED: text.dailyLimit,
    PRICE_IMPACT_TOO_HIGH: text.tooLarge,
    SERVICE_STARTING: text.starting,
    PRICE_UNAVAILABLE: text.noPrice,
  }
  const code = error instanceof RequestError ? error.code : ''
  const { text: plain, number } = problemOf(error)
  const sentence = paused ? text.paused(visible(paused.network.display_name)) : (sentences[code] ?? plain)
  return { sentence, number, isBad: true }
}
