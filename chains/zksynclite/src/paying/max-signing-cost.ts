/**
 * The maximum cost of a transfer, whatever its draft says. A signer that trusts no draft runs this too, so it depends
 * on the order, the slot and the network's file alone.
 */
import {
  FeeAboveLimit,
  type FeeBounds,
  type MaxSigningCost,
  type Order,
  type PreparedTransfer,
  type Slot,
} from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { FEE, packable } from '../packing.ts'
import type { Settings } from '../settings.ts'
import { paymentOf } from './order.ts'
import { nonceOf } from './slot.ts'
import { parseTerms } from './terms.ts'

export function exposureOf(chain: ZkSyncChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  nonceOf(slot)
  paymentOf(chain, order)
  const { fee, unlock } = parseTerms(draft)
  for (const one of [fee, unlock?.fee ?? 0n]) refuseDear(chain.settings, one)
  return { feeUnits: fee + (unlock?.fee ?? 0n) }
}

export function refuseDear({ maxFee }: Settings, fee: bigint): void {
  if (fee > maxFee) throw new FeeAboveLimit(`it would cost ${fee}, and may cost ${maxFee}`)
  if (packable(fee, FEE, 'up') !== fee) throw new FeeAboveLimit(`a fee of ${fee} cannot be written here`)
}

/** The default fee limits of a signer: a payment may have to set the account's key first. */
export function feeBounds({ maxFee }: Settings): FeeBounds {
  return { payment: 2n * maxFee, hour: 200n * maxFee }
}
