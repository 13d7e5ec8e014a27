/** Test helper: what a step keeps of deposits because it does not cover its gas. */
import type { Context, Step, Swap } from './swap/swap.ts'

export const KEPT = 'an amount below the dust limit is kept: it does not cover its gas'

/** Throws if a step kept more than dust of a deposit, whatever gas costs, or did not report it. */
export function checkKept(before: Swap, { swap, alerts }: Step, { dustUnits }: Context): void {
  const kept = swap.deposits
    .map(({ id }) => keptOf(swap, id) - keptOf(before, id))
    .reduce((a, b) => (a > b ? a : b), 0n)
  if (kept > dustUnits) throw new Error('only dust is kept')
  if (kept * 100n > dustUnits && !alerts.includes(KEPT)) throw new Error('what is kept is reported')
}

/** Taken off the deposit, and ordered to no address. */
function keptOf({ payouts, deposits }: Swap, id: string): bigint {
  const back = payouts.filter(({ depositId, state }) => depositId === id && state !== 'abandoned')
  const refundUnits = deposits.find((deposit) => deposit.id === id)?.refundUnits ?? 0n
  return back.reduce((left, { units, feeUnits }) => left - units - feeUnits, refundUnits)
}
