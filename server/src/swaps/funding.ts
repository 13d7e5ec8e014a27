/** How much of a swap's amount has arrived, how much is missing, and until when the rest is awaited. */
import { isFullyFunded, roundToDisplay } from '@causeway/core'
import type { SwapView } from '../store/swaps/swap-read.ts'

export interface Funding {
  receivedUnits: bigint
  /** Zero if nothing more is expected: the swap is paid, closed, or its amount is open. */
  remainingUnits: bigint
  /** Until when the rest is awaited; null if nothing is expected. */
  waitsUntil: Date | null
}

/**
 * Deposits count from their first block on. A transaction in the mempool may never be mined: a page that counted it
 * could ask the depositor for too little.
 */
export function fundingOf({ swap, deposits, dueAt }: SwapView): Funding {
  const arrived = deposits.filter(({ state, block_number }) => isHere(state) && block_number !== null)
  const receivedUnits = arrived.reduce((sum, { units }) => sum + units, 0n)
  const isWaiting = swap.status === 'user_transfer_pending' && !isFullyFunded(swap, receivedUnits, 1n)
  if (!isWaiting) return { receivedUnits, remainingUnits: 0n, waitsUntil: null }
  const { requestedUnits, source } = swap
  // Rounded up to the digits that people see, so that the amount in whole tokens and in base units are the same.
  const remainingUnits = requestedUnits === null ? 0n : roundToDisplay(requestedUnits - receivedUnits, source, 'up')
  return { receivedUnits, remainingUnits, waitsUntil: dueAt ?? swap.expiresAt }
}

/** The amount of the deposit action: the rest after a part payment, otherwise the amount as requested. */
export function unitsToAsk(view: SwapView): bigint {
  const { receivedUnits, remainingUnits } = fundingOf(view)
  return receivedUnits > 0n && remainingUnits > 0n ? remainingUnits : (view.swap.requestedUnits ?? 0n)
}

function isHere(state: SwapView['deposits'][number]['state']): boolean {
  return state === 'seen' || state === 'confirmed'
}
