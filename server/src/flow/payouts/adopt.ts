/**
 * Handles signatures that the journal has and the database lacks. If the database has the slot, the signature was made
 * right before a crash, and its attempt is stored. A slot, payout or deposit that the database lacks proves a rollback:
 * signing stops.
 */
import { RetryLater } from '@causeway/core'
import { SignerRefusal } from '../../keys/backends/refusal.ts'
import type { OrderRefusal, Recorded } from '../../keys/orders/orders.ts'
import type { Services } from '../../services.ts'
import { findSlot, slotOfLine } from '../../store/journal/adopt.ts'
import { knownPayouts } from '../../store/journal/settles.ts'
import { releaseUnsigned, type SlotRow } from '../../store/payouts/slots.ts'
import { adoptOrRelease, adoptSlot, isBeforeRestore } from '../journal/adopt-slot.ts'
import { closeSlot } from '../journal/close-slot.ts'
import { stopSigning } from '../journal/stop-signing.ts'

/**
 * Brings the database and the journal into agreement after the journal refused a signature. Returns the ids of further
 * known payouts with which the request may be repeated; throws if it must not be repeated.
 */
export async function reconcileRefusal(services: Services, slot: SlotRow, refusal: OrderRefusal): Promise<string[]> {
  switch (refusal.code) {
    case 'settled_before': {
      const known = await knownPayouts(services.database, refusal.payouts)
      if (refusal.payouts.every((id) => known.has(id))) return refusal.payouts
      const settled = await slotOfLine(services.database, refusal.line)
      if (settled && settled.state !== 'open') return closeLate(services, settled)
      if (await isBeforeRestore(services, refusal.line.n))
        throw new SignerRefusal(`its deposit was paid for before the restore (journal line ${refusal.line.n})`)
      return stopSigning(services, 'rolled_back')
    }
    case 'slot_signed':
    case 'payout_signed':
      return reconcileRecord(services, refusal.record)
    case 'stopped':
      return stopSigning(services, refusal.state)
    case 'other_database':
      return stopSigning(services, 'journal_behind')
    case 'slot_released':
      // The row is still there if the process that released the slot ended before it could delete the row.
      await releaseUnsigned(services.database, slot.id)
      throw new RetryLater('another process released this slot')
    case 'signing_now':
      throw new RetryLater('another request signs for this slot or payout now')
    case 'approval_used':
      throw new SignerRefusal(`the approval ${refusal.approval} was used for another slot: approve it again`)
    case 'slot_changed':
      throw new SignerRefusal(`another value was given for the slot ${slot.parts.join(' ')} before`)
    case 'refused':
      throw new SignerRefusal(refusal.reason)
  }
}

async function reconcileRecord(services: Services, record: Recorded): Promise<string[]> {
  const { database } = services
  const slot = (await slotOfLine(database, record.line)) ?? (await findSlot(database, record))
  if (!slot && (await isBeforeRestore(services, record.line.n)))
    throw new SignerRefusal(`it was signed before the restore (journal line ${record.line.n})`)
  if (!slot) return stopSigning(services, 'rolled_back')
  if (slot.state !== 'open') return closeLate(services, slot)
  if ((await adoptSlot(services, slot)) > 0) throw new RetryLater('an attempt that was signed before is stored now')
  throw new SignerRefusal(`the slot ${record.slot.join(' ')} was signed for another order`)
}

/** A crash happened between the settlement of a slot and its closing line in the journal: writes that line now. */
async function closeLate(services: Services, settled: SlotRow): Promise<string[]> {
  if (await closeSlot(services, settled)) return []
  return stopSigning(services, 'rolled_back')
}

/**
 * Releases a slot in which nothing was signed. If the journal has a line for the slot, its bytes are stored instead,
 * and sent.
 */
export async function releaseUnrecorded(services: Services, slot: SlotRow): Promise<boolean> {
  return (await adoptOrRelease(services, slot)) === 0 && releaseUnsigned(services.database, slot.id)
}
