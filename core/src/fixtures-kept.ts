/** Test helper: checks the amounts that a step keeps because they do not cover the gas of a refund. */
import type { Context, Step, Swap } from './swap/swap.ts'

export const KEPT = 'an amount below the dust limit is kept: it does not cover its gas'

/** Throws if a step kept more than dust, at any gas price, or kept something without reporting it. */
export function checkKept(before: Swap, { swap, alerts }: Step, { dustUnits }: Context): void {
  const kept = swap.deposits
    .map(({ id }) => keptOf(swap, id) - keptOf(before, id))
    .reduce((a, b) => (a > b ? a : b), 0n)
  if (kept > dustUnits) throw new Error('only dust is kept')
  if (kept * 100n > dustUnits && !alerts.includes(KEPT)) throw new Error('what is kept is reported')
}

/** The part of the deposit's refund that neither a payout nor its fee covers. */
function keptOf({ payouts, deposits }: Swap, id: string): bigint {
  const back = payouts.filter(({ depositId, state }) => depositId === id && state !== 'abandoned')
  const refundUnits = deposits.find((deposit) => deposit.id === id)?.refundUnits ?? 0n
  return back.reduce((left, { units, feeUnits }) => left - units - feeUnits, refundUnits)
}
