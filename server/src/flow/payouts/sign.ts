/**
 * Signs an order in its slot, and keeps with the bytes the most that they can cost: the fast alarm excuses so much and no more
 * while they are on their way. The chain's family reckons it from what was signed, whichever family it is.
 */
import type { ChainAdapter, Order, PreparedTransfer, SignedTransfer, Slot } from '@causeway/core'

export async function signIn(
  chain: ChainAdapter,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const signed = await chain.sign(order, slot, draft)
  // Signing refuses what is beyond the bounds, so this does not: it tells what the same terms may come to, all told.
  const feeCeiling = chain.maxSigningCost(order, slot, draft).feeUnits
  return feeCeiling === undefined ? signed : { ...signed, feeCeiling }
}
