/** The owed deposits of a swap, and how much a new refund address could receive. */
import type { DepositRow, SwapRecord } from '../../store/swaps/swaps.ts'

/** Deposits that their swap no longer waits for, and of which a part has no payout. */
export function owedDeposits({ row, deposits }: SwapRecord): DepositRow[] {
  if (row.status === 'user_transfer_pending') return []
  return deposits.filter(
    ({ state, units, output_units, refund_units }) => state === 'confirmed' && output_units + refund_units < units,
  )
}

/**
 * The units of an owed deposit that may go to a new refund address: all that is not finally delivered or refunded. A
 * part may be promised to a recipient now; if that payout is given up or rejected, this part goes to the refund address
 * as well.
 */
export function withinReach({ row, payouts }: SwapRecord, { id, units, output_units }: DepositRow): bigint {
  const delivered = row.status === 'completed' ? output_units : 0n
  return payouts
    .filter(({ deposit_id, state }) => deposit_id === id && state === 'confirmed')
    .reduce((left, payout) => left - payout.units - payout.kept_units, units - delivered)
}
