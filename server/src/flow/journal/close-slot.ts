/**
 * Writes the closing line of a settled slot to the journal, so that payouts that were not paid in it may get another
 * slot.
 */
import type { Services } from '../../services.ts'
import { closingOf } from '../../store/journal/adopt.ts'
import { readSlot, type SlotRow } from '../../store/payouts/slots.ts'
import { stopSigning } from './stop-signing.ts'

/**
 * If the journal cannot be written, that is harmless: it refuses another slot for these payouts until the closing line
 * is written.
 */
export async function closeInJournal(services: Services, slotId: bigint): Promise<void> {
  if (!services.signing.orders) return
  try {
    const slot = await readSlot(services.database, slotId)
    if (slot && slot.state !== 'open' && !(await closeSlot(services, slot))) await stopSigning(services, 'rolled_back')
  } catch (error) {
    services.log.warn({ err: error, slotId }, 'a settled slot is not closed in the journal yet')
  }
}

/** False if the journal has a transaction of this slot that the database lacks, and that may have paid. */
export async function closeSlot({ database, signing }: Services, settled: SlotRow): Promise<boolean> {
  const { id, network, account, parts, state, evidence } = settled
  const { isPaid, lines } = await closingOf(database, id)
  const outcome = isPaid ? 'paid' : 'unpaid'
  const freed = state === 'dead' ? parts : []
  return (await signing.orders?.close({ network, account, slot: parts, outcome, evidence, freed, lines })) ?? true
}
