/**
 * Signs an order in its slot and keeps the maximum fee with the bytes. Until the transaction is mined, the fast balance alarm
 * allows for that fee and no more.
 */
import type { ChainAdapter, Order, PreparedTransfer, SignedTransfer, Slot } from '@causeway/core'

export async function signIn(
  chain: ChainAdapter,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const signed = await chain.sign(order, slot, draft)
  // `sign` has refused a draft above the limits, so this does not throw.
  return { ...signed, feeCeiling: chain.maxSigningCost(order, slot, draft).feeUnits }
}
