/**
 * Stores attempts that the journal has and the database lacks in their slot, so that they are judged and sent like all
 * others. An *attempt* is one signed transaction of a slot; a fee bump or a cancellation is the next attempt.
 */
import type { SlotRef } from '../../keys/journal/fences.ts'
import type { Recorded } from '../../keys/orders/orders.ts'
import type { Services } from '../../services.ts'
import { adoptAttempts, payoutsIn, slotOfLine } from '../../store/journal/adopt.ts'
import type { SlotRow } from '../../store/payouts/slots.ts'
import { stopSigning } from './stop-signing.ts'

/** Stores the attempts that the journal has for this open slot and the database lacks. Returns their number. */
export async function adoptSlot(services: Services, slot: SlotRow): Promise<number> {
  return adopt(services, slot, (await services.signing.orders?.recorded(placeOf(slot))) ?? [])
}

/**
 * Like `adoptSlot`. If the result is zero and nothing is signed in the slot, nothing will be: the row may be deleted,
 * even if a process that was paused still has it in memory.
 */
export async function adoptOrRelease(services: Services, slot: SlotRow): Promise<number> {
  return adopt(services, slot, (await services.signing.orders?.release(placeOf(slot), allocationOf(slot))) ?? [])
}

/** The name of this allocation. After a rollback of the database an id is given again, to a slot of another time. */
export function allocationOf({ id, created_at }: SlotRow): string {
  return `${id} of ${created_at.toISOString()}`
}

function placeOf({ network, account, parts }: SlotRow): SlotRef {
  return { network, account, slot: parts }
}

async function adopt(services: Services, slot: SlotRow, records: readonly Recorded[]): Promise<number> {
  const { database, now, log } = services
  const { network, parts } = slot
  if (records.length === 0) return 0
  const payouts = new Set(await payoutsIn(database, slot.id))
  // Journal lines of an earlier slot with the same parts are already stored in that slot.
  const stored = await Promise.all(records.map(({ line }) => slotOfLine(database, line)))
  const unstored = records.filter((_, position) => !stored[position])
  const foreign = unstored.filter((record) => record.payouts.some((id) => !payouts.has(id)))
  for (const { line } of foreign)
    if (!(await isBeforeRestore(services, line.n))) await stopSigning(services, 'rolled_back')
  const missing = unstored.filter((record) => !foreign.includes(record))
  const adopted = await adoptAttempts(
    database,
    slot.id,
    missing.map(({ attempt: number, purpose, transfer: { hash, bytes, feeCeiling }, line }) => ({
      ...{ number, hash, bytes, feeCeiling, line, cancels: purpose === 'cancel' },
    })),
    now(),
  )
  if (adopted > 0) log.warn({ network, slot: parts, adopted }, 'attempts that were signed before a crash are stored')
  return adopted
}

/**
 * Whether the line is from before the last restore. Such a line holds only the payouts that it concerns; it does not
 * stop signing.
 */
export async function isBeforeRestore({ signing }: Services, n: number): Promise<boolean> {
  return n <= ((await signing.orders?.status())?.restoredTo ?? 0)
}
