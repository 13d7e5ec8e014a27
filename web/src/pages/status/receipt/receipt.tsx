/** The receipt of a finished swap: what was sent, what it cost, what arrived, and the transactions. Prints alone. */
import type { SwapDetails, Transaction } from '@causeway/sdk/light'
import type { ComponentChildren } from 'preact'
import { formatAmount, formatUsd, providerName, shortAddress, visible } from '../../../money/format.ts'
import { formatDay } from '../../../money/format-time.ts'
import { costs, swap as swapText, status as text } from '../../../text/texts.ts'
import { senderOf } from '../logic.ts'
import { progress } from '../state.ts'
import { TransactionLink } from '../transaction-link.tsx'
import { sumsOf } from './sums.ts'

export function Receipt({ details: { swap, quote } }: { details: SwapDetails }) {
  const of = (type: Transaction['type']) => swap.transactions.filter((one) => one.type === type)
  const [inputs, outputs, refunds, refuels] = [of('input'), of('output'), of('refund'), of('refuel')]
  const { source_token: a, destination_token: b } = swap
  const sums = sumsOf({ swap, quote }, progress.value?.refund.owed)
  const { differenceCents: difference } = sums
  const sender = senderOf(swap)
  return (
    <div class="receipt">
      <div class="row between">
        <h2>{text.receipt}</h2>
        <span class="small soft">{formatDay(swap.close_date ?? swap.created_date)}</span>
      </div>
      <dl class="facts">
        <Line name={text.youSent}>
          {formatAmount(sums.sent, a.symbol)} <span class="faint">{usd(sums.sentCents)}</span>
        </Line>
        <Line name={swapText.networkFee}>{less(sums.networkCents)}</Line>
        <Line name={swapText.serviceFee}>{less(sums.serviceCents)}</Line>
        {sums.refuelCents > 0 && <Line name={swapText.refuelFee}>{less(sums.refuelCents)}</Line>}
        {refunds.length > 0 && <Line name={text.refund}>{less(sums.backCents)}</Line>}
        {sums.heldCents > 0 && <Line name={text.heldEnd}>{less(sums.heldCents)}</Line>}
        {difference !== 0 && (
          <Line
            name={refunds.length > 0 && difference > 0 ? costs.refundFee : differenceName(swap, quote, sums.received)}
          >
            {difference > 0 ? less(difference) : `+${usd(-difference)}`}
          </Line>
        )}
        <Line name={text.youReceived} look="total">
          <b>{formatAmount(sums.received, b.symbol)}</b> <span class="faint">{usd(sums.receivedCents)}</span>
        </Line>
      </dl>
      <hr />
      <dl class="facts">
        {sender && (
          <Line name={text.from}>
            <span class="mono">{shortAddress(sender)}</span> {onNetwork(swap.source_network.display_name)}
          </Line>
        )}
        <Line name={text.to}>
          <span class="mono">{shortAddress(swap.destination_address)}</span>{' '}
          {onNetwork(swap.destination_network.display_name)}
        </Line>
        <Transactions name={text.deposit} all={inputs} />
        {swap.legs.map((leg) => (
          <Line key={leg.transaction_hash ?? leg.timestamp} name={providerName(leg.provider)}>
            {formatAmount(leg.sold_amount, leg.sold_token.symbol)} →{' '}
            {formatAmount(leg.bought_amount ?? leg.min_bought_amount, leg.bought_token.symbol)}{' '}
            <TransactionLink transaction={leg} />
          </Line>
        ))}
        <Transactions name={text.payout} all={outputs} />
        <Transactions name={swapText.refuelFee} all={refuels} isWithAmount />
        <Transactions name={text.refund} all={refunds} isWithAmount />
      </dl>
    </div>
  )
}

/** If what was quoted arrived, no price has changed: the exchanges on the way took the difference. */
function differenceName({ legs }: SwapDetails['swap'], quote: SwapDetails['quote'], received: string): string {
  if (legs.length === 0) return costs.priceChange
  return Number(received) === quote.receive_amount ? costs.exchangeFee : costs.exchangeAndPrice
}

function onNetwork(name: string): string {
  return text.onNetwork('', visible(name)).trim()
}

function usd(cents: number): string {
  return formatUsd(cents / 100)
}

function less(cents: number): string {
  return `−${usd(cents)}`
}

interface TransactionsProps {
  name: string
  all: readonly Transaction[]
  isWithAmount?: boolean
}

function Transactions({ name, all, isWithAmount = false }: TransactionsProps) {
  return (
    <>
      {all.map((one) => (
        <Line key={one.transaction_hash ?? one.created_date} name={name}>
          {isWithAmount && `${formatAmount(one.amount, one.token.symbol)} `}
          <TransactionLink transaction={one} />
        </Line>
      ))}
    </>
  )
}

interface LineProps {
  name: string
  look?: 'total'
  children: ComponentChildren
}

function Line({ name, look, children }: LineProps) {
  return (
    <div class={look}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
