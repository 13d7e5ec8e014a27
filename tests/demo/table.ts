/** The results as a table, and the failures as text. */
import { plainNumber, type Transaction } from '@causeway/sdk'
import { aligned, numberOf } from './board.ts'
import { partsOf } from './plan.ts'
import type { Result } from './run.ts'

const HEAD = ['', ' #', 'networks', 'tokens', 'funding', 'ended', 'after', 'what moved']

export function resultTable(results: readonly Result[]): string {
  const lines = aligned([HEAD, ...results.map(rowOf)]).map((line) => line.trimEnd())
  const problems = results.flatMap((result, index) =>
    result.problems.map(
      (problem) => `✗ ${numberOf(index)}  ${problem} (swap ${result.details?.swap.id ?? 'was not created'})`,
    ),
  )
  return [...lines, ...(problems.length > 0 ? ['', ...problems] : [])].join('\n')
}

function rowOf({ scenario, details, problems, ms }: Result, index: number): string[] {
  const mark = problems.length === 0 ? '✓' : '✗'
  const after = `${(ms / 1000).toFixed(1)} s`.padStart(6)
  return [mark, numberOf(index), ...partsOf(scenario), details?.swap.status ?? 'not created', after, moved(details)]
}

function moved(details: Result['details']): string {
  const transactions = details?.swap.transactions ?? []
  const into = transactions.filter(({ type }) => type === 'input').map(amountOf)
  const out = transactions
    .filter(({ type }) => type !== 'input')
    .map((transaction) => amountOf(transaction) + (transaction.type === 'output' ? '' : ` ${transaction.type}`))
  const reason = details?.swap.fail_reason ? ` (${details.swap.fail_reason})` : ''
  return into.length + out.length > 0 ? `${into.join(' + ')} → ${out.join(' + ')}${reason}` : 'nothing'
}

function amountOf({ amount, token }: Transaction): string {
  return `${plainNumber(amount)} ${token.symbol}`
}
