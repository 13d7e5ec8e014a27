/**
 * The maximum cost of an order, whatever its draft says. The network sets its fee and no draft can raise it; a signer
 * that trusts no draft uses the maximum in the network's file.
 */
import type { FeeBounds, MaxSigningCost, Order, PreparedTransfer, Slot } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import type { Settings } from '../settings.ts'
import { CANCEL_UNITS } from './action.ts'
import { actionsOf } from './order.ts'

export function exposureOf(chain: HyperliquidChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  const actions = actionsOf(chain, order, slot, draft)
  const moved = order.kind === 'cancel' ? CANCEL_UNITS : 0n
  return { feeUnits: BigInt(actions.length) * chain.settings.maxFee + moved }
}

/** The default fee limits of a signer: in a busy hour three hundred new recipients are paid. */
export function feeBounds({ maxFee }: Settings): FeeBounds {
  return { payment: 2n * maxFee, hour: 300n * maxFee }
}
