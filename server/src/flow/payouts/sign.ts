/**
 * The only place where anything is signed: the gate is asked, the signer signs, the bytes are stored. The maximum fee is stored with
 * them: until the transaction is mined, the fast balance alarm allows for that fee and no more.
 */
import type { ChainAdapter, Order, PreparedTransfer, Purpose } from '@causeway/core'
import type { Services } from '../../services.ts'
import { type AttemptRow, addAttempts, type NewAttempt } from '../../store/payouts/attempts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import { inSlot, mayPayByRecord } from '../checks/gate.ts'
import { PayoutOnHold } from '../checks/payout-on-hold.ts'

export interface SignRequest {
  record: SlotRecord
  order: Order
  draft: PreparedTransfer
  purpose: Purpose
}

export interface Signed {
  attempts: Map<bigint, AttemptRow>
  /** Why nothing was signed in a slot. A slot that is in neither map was not tried. */
  failures: Map<bigint, unknown>
}

/**
 * Signs in the given order and stores all in one commit. If transactions are mined in the order of their slots, it stops at the
 * first slot in which nothing can be signed.
 */
export async function signAll(
  services: Services,
  chain: ChainAdapter,
  requests: readonly SignRequest[],
): Promise<Signed> {
  const { database, metrics } = services
  const signed: NewAttempt[] = []
  const failures = new Map<bigint, unknown>()
  for (const { record, order, draft, purpose } of requests) {
    const { slot, attempts } = record
    try {
      await requireNoObjection(services, record, purpose)
      const { hash, bytes } = await chain.sign(order, slot.parts, draft)
      // `sign` has refused a draft above the limits, so this does not throw.
      const feeCeiling = chain.maxSigningCost(order, slot.parts, draft).feeUnits
      const transfer = { hash, bytes, feeCeiling }
      signed.push({ slotId: slot.id, number: attempts.length, transfer, cancels: purpose === 'cancel' })
    } catch (error) {
      failures.set(slot.id, error)
      if (chain.ordering) break
    }
  }
  const stored = signed.length > 0 ? await addAttempts(database, signed, services.now()) : []
  const { name: network } = chain.network
  if (stored.length > 0) metrics.payouts.inc({ network, step: 'signed' }, stored.length)
  const replaced = stored.filter(({ number }) => number > 0).length
  if (replaced > 0) metrics.payouts.inc({ network, step: 'replaced' }, replaced)
  return { attempts: new Map(stored.map((attempt) => [attempt.slot_id, attempt])), failures }
}

async function requireNoObjection(services: Services, record: SlotRecord, purpose: Purpose): Promise<void> {
  const objections = await mayPayByRecord(services, services.database, inSlot(record), purpose)
  const [first] = [...objections.values()].flat()
  if (first) throw new PayoutOnHold(first.hold)
}
