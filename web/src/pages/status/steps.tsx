/** The steps so far and those to come, each with its time and its transaction. */
import type { SwapDetails, Transaction } from '@causeway/sdk/light'
import { formatAmount, formatTime, shortAddress, visible } from '../../money/format.ts'
import { shell, status as text } from '../../text/en.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Stage } from './logic.ts'

interface StepRow {
  key: string
  name: string
  state: 'done' | 'now' | 'later'
  note: string | null
  transaction: Transaction | null
  at: string | null
}

export function Steps({ details, stage }: { details: SwapDetails; stage: Stage }) {
  return (
    <ol class="steps" aria-label={text.steps}>
      {stepsOf(details, stage).map(({ key, name, state, note, transaction, at }) => (
        <li key={key} class={`step ${state}`} aria-current={state === 'now' ? 'step' : undefined}>
          <Icon name={state === 'done' ? 'check' : state === 'now' ? 'dot' : 'circle'} filled={state === 'now'} />
          <span class="step-name">
            {name}
            <span class="out-of-sight">, {SPOKEN[state]}</span>
            {note && <span class="soft small"> {note}</span>}
          </span>
          {transaction && <TransactionLink transaction={transaction} />}
          <time class="soft small">{at && formatTime(at)}</time>
        </li>
      ))}
    </ol>
  )
}

const SPOKEN = { done: text.stateDone, now: text.stateNow, later: text.stateLater }

function TransactionLink({ transaction }: { transaction: Transaction }) {
  const { transaction_hash: hash, network } = transaction
  if (!hash) return null
  const url = network.transaction_explorer_template.replace('{0}', encodeURIComponent(hash))
  // Links only to other sites over https.
  if (!url.startsWith('https://')) return <span class="mono small">{shortAddress(hash)}</span>
  return (
    <a class="mono small" href={url} target="_blank" rel="noreferrer noopener">
      {shortAddress(hash)}
      <span class="out-of-sight"> ({shell.opensOutside})</span>
    </a>
  )
}

function stepsOf({ swap }: SwapDetails, stage: Stage): StepRow[] {
  const of = (type: Transaction['type']) => swap.transactions.filter((one) => one.type === type)
  const [inputs, outputs, refunds] = [of('input'), of('output'), of('refund')]
  const made: StepRow = {
    key: 'made',
    name: text.stepMade,
    state: 'done',
    note: null,
    transaction: null,
    at: swap.created_date,
  }
  const isBack = refunds.every(({ status }) => status === 'completed')
  // An undelivered swap is not over before its refund arrived.
  const isOver = (stage === 'failed' ? refunds.length > 0 : ['done', 'returned', 'expired'].includes(stage)) && isBack
  const deposits = inputs.length > 0 ? inputs.map((one, at) => rowOf(one, text.stepDeposit, `in${at}`)) : []
  if (deposits.length === 0)
    deposits.push({ ...made, key: 'in', name: text.stepDeposit, state: isOver ? 'later' : 'now', at: null })
  else if (stage === 'waiting')
    // A part arrived: the rest comes next.
    deposits.push({ ...made, key: 'rest', name: text.stepRest, state: 'now', at: null })
  const goesBack = refunds.length > 0 || ['returning', 'returned', 'owed'].includes(stage)
  const payoutName = text.stepPayout(visible(swap.destination_network.display_name))
  const payouts = goesBack
    ? refunds.map((one, at) => rowOf(one, text.stepReturn, `back${at}`))
    : outputs.map((one, at) => rowOf(one, payoutName, `out${at}`))
  if (payouts.length === 0) {
    const state = stage === 'paying' || stage === 'owed' ? 'now' : 'later'
    payouts.push({ ...made, key: 'out', name: goesBack ? text.stepReturn : payoutName, state, at: null })
  }
  const end: StepRow = {
    ...made,
    key: 'end',
    name: stage === 'failed' || stage === 'expired' || stage === 'returned' ? text.stepEnded : text.stepDone,
    state: isOver ? 'done' : 'later',
    at: swap.close_date,
  }
  return [made, ...deposits, ...payouts, end]
}

function rowOf(transaction: Transaction, name: string, key: string): StepRow {
  const isDone = transaction.status === 'completed'
  const blocks = text.blocks(transaction.confirmations, transaction.max_confirmations)
  const amount = formatAmount(transaction.amount, transaction.token.symbol)
  return {
    key,
    name,
    state: isDone ? 'done' : 'now',
    note: isDone ? amount : `${amount} · ${blocks}`,
    transaction,
    at: transaction.timestamp,
  }
}
