/**
 * The maximum cost of a transaction and how long it may stay valid. A signer that trusts no draft runs this too, so it
 * depends on the order, the slot, the network's file and the signer's own clock alone.
 */
import {
  type FeeBounds,
  type MaxSigningCost,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type Slot,
} from '@causeway/core'
import type { Settings } from '../settings.ts'
import { contractOf, type Wording } from './order.ts'
import { parseSlot, rawOf } from './slot.ts'

/** The longest validity of anything that we sign, whatever the requester's settings say. */
const LONGEST_MS = 3_600_000
/** Assumed payouts of one network in a busy hour. */
const BUSY_HOUR = 60n

/** The maximum cost. Throws if the slot exceeds the limits, or was made for another order. */
export function exposureOf(chain: Wording, order: Order, slot: Slot, _draft: PreparedTransfer): MaxSigningCost {
  rawOf(chain, order, slot)
  const { feeLimit, expiration, timestamp } = parseSlot(slot)
  const most = mostFeeLimit(chain, order)
  if (feeLimit > most) throw new RetryLater(`it may burn ${feeLimit} sun for energy, and ${most} are allowed`)
  // The slot's own timestamp comes from the requester, so it is not trusted.
  const longest = Math.min(timestamp, Date.now() + chain.settings.maxLeadMs) + LONGEST_MS
  if (expiration > longest) throw new RetryLater('it would stay good for more than an hour')
  return { feeUnits: feeLimit + chain.settings.maxFlatFee }
}

/** The maximum energy fee: zero for native coins, which run no contract. */
export function mostFeeLimit(chain: Wording, order: Order): bigint {
  const { maxFeeLimit, makingFeeLimit } = chain.settings
  const { kind } = contractOf(chain, order)
  if (order.kind === 'sweep') return maxFeeLimit * BigInt(order.sources.length)
  return kind === 'transfer' ? 0n : kind === 'create' ? makingFeeLimit : maxFeeLimit
}

export function feeBounds({ maxFeeLimit, maxFlatFee }: Settings): FeeBounds {
  const payment = maxFeeLimit + maxFlatFee
  return { payment, hour: BUSY_HOUR * payment }
}
