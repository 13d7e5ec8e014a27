/** The results as a table, and in words what went wrong. */
import type { Transaction } from '@causeway/sdk'
import { plainNumber } from '@causeway/sdk'
import { numberOf, titleOf } from './board.ts'
import type { Result } from './run.ts'

const HASH_CHARS = 10

export function resultTable(results: readonly Result[]): string {
  const head = ['', '  #', 'swap', 'ended', 'after', 'came in', 'went out', 'transactions']
  const rows = [head, ...results.map(rowOf)]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const problems = results.flatMap(({ problems: found, details }, index) =>
    found.map((problem) => `✗ ${numberOf(index).trim()}: ${problem} (swap ${details?.swap.id ?? 'not created'})`),
  )
  return [...lines, ...(problems.length > 0 ? ['', ...problems] : [])].join('\n')
}

function rowOf(result: Result, index: number): string[] {
  const { details, problems, ms } = result
  const transactions = details?.swap.transactions ?? []
  const reason = details?.swap.fail_reason
  return [
    problems.length === 0 ? '✓' : '✗',
    numberOf(index),
    titleOf(result.scenario),
    `${details?.swap.status ?? 'not created'}${reason ? ` (${reason})` : ''}`,
    `${(ms / 1000).toFixed(1)} s`,
    amountsOf(transactions.filter(({ type }) => type === 'input')),
    amountsOf(transactions.filter(({ type }) => type !== 'input')),
    transactions.map(({ type, transaction_hash }) => `${type} ${short(transaction_hash)}`).join(', '),
  ]
}

function amountsOf(transactions: readonly Transaction[]): string {
  return transactions.map(({ amount, token }) => `${plainNumber(amount)} ${token.symbol}`).join(' + ') || '-'
}

function short(hash: string | null): string {
  if (hash === null) return '-'
  return hash.length > HASH_CHARS ? `${hash.slice(0, HASH_CHARS)}…` : hash
}
