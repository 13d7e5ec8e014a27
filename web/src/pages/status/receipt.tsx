/** The receipt of a finished swap: what was sent, what it cost, what arrived, and the transactions. Prints alone. */
import type { SwapDetails, Transaction } from '@causeway/sdk/light'
import type { ComponentChildren } from 'preact'
import { formatAmount, formatUsd, formatUsdDown, shortAddress, visible } from '../../money/format.ts'
import { formatDay } from '../../money/format-time.ts'
import { swap as swapText, status as text } from '../../text/texts.ts'
import { senderOf } from './logic.ts'
import { TransactionLink } from './transaction-link.tsx'

export function Receipt({ details: { swap, quote } }: { details: SwapDetails }) {
  const of = (type: Transaction['type']) => swap.transactions.filter((one) => one.type === type)
  const [inputs, outputs, refunds] = [of('input'), of('output'), of('refund')]
  const { source_token: a, destination_token: b } = swap
  const sent = inputs.reduce((sum, { amount }) => sum + amount, 0) || (quote.requested_amount ?? 0)
  const received = outputs.reduce((sum, { amount }) => sum + amount, 0) || (quote.receive_amount ?? 0)
  const sender = senderOf(swap)
  const fee = (amount: number) => `−${formatUsd(amount * a.price_in_usd)}`
  return (
    <div class="receipt">
      <div class="row between">
        <h2>{text.receipt}</h2>
        <span class="small soft">{formatDay(swap.close_date ?? swap.created_date)}</span>
      </div>
      <dl class="facts">
        <Line name={text.youSent}>
          {formatAmount(sent, a.symbol)} <span class="faint">{formatUsd(sent * a.price_in_usd)}</span>
        </Line>
        <Line name={swapText.networkFee}>{fee(quote.blockchain_fee ?? 0)}</Line>
        <Line name={swapText.serviceFee}>{fee(quote.service_fee ?? 0)}</Line>
        {refunds.map((one) => (
          <Line key={one.transaction_hash ?? one.created_date} name={text.refund}>
            −{formatAmount(one.amount, one.token.symbol)}
          </Line>
        ))}
        <Line name={text.youReceived} look="total">
          <b>{formatAmount(received, b.symbol)}</b>{' '}
          <span class="faint">{formatUsdDown(received * b.price_in_usd)}</span>
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
          <Line key={leg.transaction_hash ?? leg.timestamp} name={visible(leg.provider)}>
            {formatAmount(leg.sold_amount, leg.sold_token.symbol)} →{' '}
            {formatAmount(leg.bought_amount ?? leg.min_bought_amount, leg.bought_token.symbol)}{' '}
            <TransactionLink transaction={leg} />
          </Line>
        ))}
        <Transactions name={text.payout} all={outputs} />
        <Transactions name={text.refund} all={refunds} />
      </dl>
    </div>
  )
}

function onNetwork(name: string): string {
  return text.onNetwork('', visible(name)).trim()
}

function Transactions({ name, all }: { name: string; all: readonly Transaction[] }) {
  return (
    <>
      {all.map((one) => (
        <Line key={one.transaction_hash ?? one.created_date} name={name}>
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
