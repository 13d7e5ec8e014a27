/**
 * The profit or loss of the last day, in today's dollars. Computed once a minute, however many operators look at it.
 */

import { amountsOf } from '../market/amounts.ts'
import { profitInUsd } from '../market/profit.ts'
import { type ProfitRow, profitSince } from '../store/swaps/profit-and-loss.ts'
import type { Console } from './console.ts'

const DAY_MS = 24 * 3_600_000
const KEPT_MS = 60_000

export interface Result {
  /** Dollars of the last day. */
  earned: number
  spent: number
  usd: number
  /** Whether amounts without a price are missing from the sum. */
  is_partial: boolean
}

const kept = new WeakMap<Console, { at: number; rows: Promise<ProfitRow[]> }>()

export async function resultOf(house: Console): Promise<Result> {
  const { earned, result, isPartial } = profitInUsd(await dayOf(house), amountsOf(house).worth)
  return { earned, spent: earned - result, usd: result, is_partial: isPartial }
}

function dayOf(house: Console): Promise<ProfitRow[]> {
  const at = house.now().getTime()
  const known = kept.get(house)
  if (known && at - known.at < KEPT_MS) return known.rows
  const rows = profitSince(house.database, new Date(at - DAY_MS))
  // A failed computation is repeated at the next request.
  rows.catch(() => kept.delete(house))
  kept.set(house, { at, rows })
  return rows
}
