/** The steps so far and those to come, each with its time and its transaction. */
import { plainNumber, type SwapDetails, type Transaction } from '@causeway/sdk/light'
import { formatAmount, formatShort, visible } from '../../../money/format.ts'
import { formatClock } from '../../../money/format-time.ts'
import { fromUnits, toUnits } from '../../../money/parse-amount.ts'
import { status as text } from '../../../text/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { type Mark, markOf } from '../../../wallet/guard.ts'
import { progress } from '../state.ts'
import type { Stage } from '../story.ts'
import { TransactionLink } from '../transaction-link.tsx'
import { purchaseOf, type StepRow, salesOf, userExchangeOf } from './legs.ts'

export function Steps({ details, stage }: { details: SwapDetails; stage: Stage }) {
  const mark = markOf(details.swap.id)
  return (
    <ol class="steps" aria-label={text.timeline}>
      {stepsOf(details, stage, mark).map(({ key, name, state, look, note, transaction, at }) => (
        <li
          key={key}
          class={`step ${state} ${state === 'done' ? (look ?? '') : ''}`}
          aria-current={state === 'now' ? 'step' : undefined}
        >
          <span class="step-mark">
            {state === 'done' && <Icon name={look ? LOOKS[look] : 'check'} />}
            {state === 'now' && <Icon name="spinner" spins />}
          </span>
          <span class="step-what">
            <b>{name}</b>
            <span class="out-of-sight">, {SPOKEN[state]}</span>
            <small>
              {note}
              {transaction && <TransactionLink transaction={transaction} />}
            </small>
          </span>
          <time>{at && formatClock(at)}</time>
        </li>
      ))}
    </ol>
  )
}

const LOOKS = { back: 'undo', lost: 'warn', ended: 'clock' } as const
const SPOKEN = { done: text.stateDone, now: text.stateNow, later: text.stateLater }

function stepsOf({ swap, quote }: SwapDetails, stage: Stage, mark: Mark | null): StepRow[] {
  const of = (type: Transaction['type']) => swap.transactions.filter((one) => one.type === type)
  const [inputs, outputs, refunds] = [of('input'), of('output'), of('refund')]
  const source = visible(swap.source_network.display_name)
  const destination = visible(swap.destination_network.display_name)
  const blank = { note: null, transaction: null, at: null }
  const made: StepRow = { ...blank, key: 'made', name: text.stepMade, state: 'done', at: swap.created_date }
  const isOver = ['done', 'returned', 'expired', 'failed'].includes(stage)
  const ended = (name: string): StepRow => ({ ...blank, key: 'end', name, state: 'done', at: swap.close_date })
  // Nothing arrived, so nothing follows.
  if (stage === 'expired' && swap.transactions.length === 0)
    return [made, { ...ended(text.stepExpired), look: 'ended', note: text.stillMonitored }]
  if (stage === 'failed' && inputs.length === 0) return [made, { ...ended(text.stepLost), look: 'lost' }]

  const deposits = inputs.map((one, at) => {
    const isDone = one.status === 'completed'
    return rowOf(one, isDone ? text.stepConfirmed : text.stepConfirming(source), `in${at}`)
  })
  if (stage === 'sent') {
    if (mark?.isSent) {
      const sent = { transaction_hash: mark.hash ?? null, network: swap.source_network }
      const note = quote.requested_amount ? formatAmount(quote.requested_amount, swap.source_token.symbol) : null
      const at = new Date(mark.at).toISOString()
      deposits.push({ key: 'sent', name: text.stepWallet, state: 'done', note, transaction: sent, at })
    }
    const note = text.stepLookingNote
    deposits.push({ ...blank, key: 'looking', name: text.stepLooking(source), state: 'now', note })
  } else if (deposits.length === 0)
    deposits.push({ ...blank, key: 'in', name: text.stepDeposit(source), state: isOver ? 'later' : 'now' })
  else if (stage === 'waiting')
    // A part arrived: the rest comes next.
    deposits.push({ ...blank, key: 'rest', name: text.stepRest(restOf(swap, quote, inputs)), state: 'now' })

  const sales = salesOf(swap)
  // Both kinds occur if a second deposit was returned after the first one was paid.
  const payouts = [
    ...outputs.map((one, at) => {
      const name = one.status === 'completed' ? text.stepPayout(destination) : text.stepPaying(destination)
      return rowOf(one, name, `out${at}`, purchaseOf(swap, one))
    }),
    ...refunds.map((one, at) => {
      const name = one.status === 'completed' ? text.stepReturn(source) : text.stepReturning(source)
      return { ...rowOf(one, name, `back${at}`), look: 'back' as const }
    }),
  ]
  const goesBack = ['returning', 'returned', 'owed', 'small'].includes(stage)
  const back = { owed: text.stepAddress, small: text.stepSmall }[stage as string] ?? text.stepReturning(source)
  if (stage === 'owed' || stage === 'small') payouts.push({ ...blank, key: 'out', name: back, state: 'now' })
  else if (payouts.length === 0 && !isOver) {
    // The payout waits for an open sale.
    const isNow = (stage === 'paying' || stage === 'returning') && sales.every(({ state }) => state === 'done')
    const pays = heldStep(destination) ?? (isNow ? text.stepPaying(destination) : text.stepPayout(destination))
    const note = goesBack ? null : formatShort(quote.receive_amount ?? 0, swap.destination_token.symbol)
    payouts.push({ ...blank, key: 'out', name: goesBack ? back : pays, state: isNow ? 'now' : 'later', note })
  }
  const isEnded = ['failed', 'expired'].includes(stage)
  const end: StepRow = isOver
    ? isEnded
      ? { ...ended(text.stepEnded), look: 'ended' }
      : ended(text.stepDone)
    : { ...blank, key: 'end', name: text.stepDone, state: 'later' }
  // The depositor's own exchange brings the deposit, and ours follows it.
  const arrived = userExchangeOf(swap) ? [...sales, ...deposits] : [...deposits, ...sales]
  // A refund is the end of its swap.
  return [made, ...arrived, ...payouts, ...(goesBack ? [] : [end])]
}

/** The name of the step while the payout is held; null if it is not. */
function heldStep(destination: string): string | null {
  const held = progress.value?.held
  return held ? (held === 'review' ? text.stepHeld : text.stepDelayed(destination)) : null
}

/** The part of the deposit that is still missing. */
function restOf(swap: SwapDetails['swap'], quote: SwapDetails['quote'], inputs: readonly Transaction[]): string {
  const { symbol, decimals } = swap.source_token
  const units = (amount: number) => toUnits(plainNumber(amount), decimals) ?? 0n
  const rest = inputs.reduce((left, { amount }) => left - units(amount), units(quote.requested_amount ?? 0))
  return formatAmount(fromUnits(rest < 0n ? 0n : rest, decimals), symbol)
}

function rowOf(transaction: Transaction, name: string, key: string, by: string | null = null): StepRow {
  const isDone = transaction.status === 'completed'
  const blocks = text.blocks(transaction.confirmations, transaction.max_confirmations)
  const amount = formatAmount(transaction.amount, transaction.token.symbol)
  return {
    key,
    name,
    state: isDone ? 'done' : 'now',
    note: [amount, ...(by ? [by] : []), ...(isDone ? [] : [blocks])].join(' · '),
    transaction,
    at: transaction.timestamp,
  }
}
