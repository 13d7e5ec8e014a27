/** Profit and loss of several tokens as one sum, in today's dollars. */
import type { ProfitRow } from '../store/swaps/profit-and-loss.ts'
import type { Amounts } from './amounts.ts'

export interface ProfitInUsd {
  earned: number
  networkFees: number
  rewards: number
  lost: number
  result: number
  /** Whether amounts without a price are missing from the sums. */
  isPartial: boolean
}

export function profitInUsd(rows: readonly ProfitRow[], worth: Amounts['worth']): ProfitInUsd {
  const sum = (units: (row: ProfitRow) => bigint) =>
    rows.reduce((all, row) => all + (worth(row.network, row.token, units(row)) ?? 0), 0)
  const parts = {
    earned: sum((row) => row.earned),
    networkFees: sum((row) => row.networkFees),
    rewards: sum((row) => row.rewards),
    lost: sum((row) => row.lost),
  }
  const result = parts.earned - parts.networkFees - parts.rewards - parts.lost
  return { ...parts, result, isPartial: rows.some((row) => worth(row.network, row.token, 1n) === null) }
}
