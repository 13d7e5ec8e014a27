/**
 * What a transaction may cost at most. A signer that believes no draft runs this too, so it depends on the order, the slot and
 * the network's file alone.
 */
import { type Draft, type Exposure, type FeeBounds, type Order, RetryLater, type Slot } from '@causeway/core'
import type { Settings } from '../settings.ts'
import type { Wording } from './order.ts'
import { parseSlot, rawOf } from './slot.ts'

/** Nothing that we sign stays good for longer, whatever the settings of those who ask for it say. */
const LONGEST_MS = 3_600_000
/** Payouts of one network in a busy hour. */
const BUSY_HOUR = 60n

/** Throws where the slot goes beyond the bounds, or was made for another order. */
export function exposureOf(chain: Wording, order: Order, slot: Slot, _draft: Draft): Exposure {
  rawOf(chain, order, slot)
  const { feeLimit, expiration, timestamp } = parseSlot(slot)
  const most = mostFeeLimit(chain.settings, order)
  if (feeLimit > most) throw new RetryLater(`it may burn ${feeLimit} sun for energy, and ${most} are allowed`)
  if (expiration - timestamp > LONGEST_MS) throw new RetryLater('it would stay good for more than an hour')
  return { feeUnits: feeLimit + chain.settings.maxFlatFee }
}

export function mostFeeLimit({ maxFeeLimit }: Settings, order: Order): bigint {
  if (order.kind === 'sweep') return maxFeeLimit * BigInt(order.sources.length)
  const isOfToken = order.kind === 'transfers' && order.transfers.some(({ amount }) => amount.token.contract !== null)
  return isOfToken ? maxFeeLimit : 0n
}

export function feeBounds({ maxFeeLimit, maxFlatFee }: Settings): FeeBounds {
  const payment = maxFeeLimit + maxFlatFee
  return { payment, hour: BUSY_HOUR * payment }
}
