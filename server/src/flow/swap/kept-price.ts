/**
 * Whether an ordered payout of a swap may still be made at its price. A recipient that refuses its payout, or a pool that
 * its user moves, could otherwise hold a price open and let the payout pass only after the market has moved.
 */
import { isNear, PayoutImpossible, quoteFor } from '@causeway/core'
import { settlementPlan } from '../../providers/plans.ts'
import type { Services } from '../../services.ts'
import { wasRefused } from '../../store/payouts/holds.ts'
import { type PayoutRow, readSwap, toSwap } from '../../store/swaps/swaps.ts'
import { deviationFor } from './advance.ts'

/**
 * Refuses outputs and sales that were delayed by their recipient or their exchange, while their price is old. They are
 * made if the price comes back in time, and are given up otherwise.
 */
export async function refuseOldPrices(services: Services, payouts: readonly PayoutRow[]): Promise<void> {
  for (const { id, kind, swap_id, leg, held_by, reverts } of payouts) {
    if (swap_id === null || (kind !== 'output' && kind !== 'sale')) continue
    if (held_by !== 'trouble' && reverts === 0) continue
    const isRefused = reverts > 0 || (await wasRefused(services.database, id))
    // Exchanges of one token wait for each other: a user can delay the first, and with it the others.
    if ((isRefused || leg) && !(await keepsPrice(services, swap_id, isRefused)))
      throw new PayoutImpossible('the payout was delayed, and its price is old')
  }
}

/**
 * A refused payout must not cost us more than its service fee: then its recipient gains nothing by the delay. An unknown
 * price keeps: nodes and price sources are not the user's.
 */
async function keepsPrice(services: Services, swapId: string, isRefused: boolean): Promise<boolean> {
  const { database, catalogue, market } = services
  const record = await readSwap(database, swapId)
  const swap = record && toSwap(record, catalogue)
  if (!record || !swap?.quote) return true
  const { source, destination, usesDepositAddress, usesGasless, quote, slippage } = swap
  const route = { source, destination, usesDepositAddress, usesGasless, refuel: swap.refuel !== null }
  const plan = settlementPlan(market.plans(source, destination), swap)
  const priced = plan && market.pricing({ ...route, effort: record.row.recipient_effort, plan }, 0n)
  if (!priced) return true
  const pricing = swap.refuel ? priced : { ...priced, refuel: null }
  // At the agreed network fee: gas that became more expensive is no move of the market.
  const today = quoteFor(pricing, quote.requestedUnits, slippage, quote.blockchainFeeUnits)
  return isNear(quote, today, isRefused ? pricing.serviceFeeBps : deviationFor(services, pricing))
}
