/**
 * A slot in which nothing was signed is given back as if it had not been taken. But where transactions land in the order of their slots,
 * what was signed behind it would wait for ever: then it is used up by a cancellation, and so is one that a signer has bound to
 * something else.
 */
import type { ChainAdapter, Order, PreparedTransfer } from '@causeway/core'
import type { Services } from '../../services.ts'
import { addAttempts } from '../../store/payouts/attempts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import { releaseUnsigned, type SlotRow, signedSlots, takenSlots } from '../../store/payouts/slots.ts'
import { refuseHalted } from '../checks/policy.ts'
import { send } from './send.ts'
import { signIn } from './sign.ts'

/** A slot whose bytes are to be sent for the first time. Without a draft they are stored already. */
export interface Due {
  record: SlotRecord
  order: Order
  draft: PreparedTransfer | null
}

/** True where it is free again, false where it is being used up, or somebody else has signed in it. */
export async function giveBack(services: Services, chain: ChainAdapter, record: SlotRecord): Promise<boolean> {
  if (!(await isPassed(services, chain, record.slot))) return releaseUnsigned(services.database, record.slot.id)
  await useUp(services, chain, record)
  return false
}

/** Whether something was signed that lands only after this slot. */
export async function isPassed(services: Services, { ordering }: ChainAdapter, slot: SlotRow): Promise<boolean> {
  if (!ordering) return false
  const signed = await signedSlots(services.database, slot.network, slot.account)
  return signed.some((parts) => ordering.slotOrdinal(parts) > ordering.slotOrdinal(slot.parts))
}

/** Signs a cancellation where nothing else of ours was signed, stores and sends it. */
export async function useUp(services: Services, chain: ChainAdapter, record: SlotRecord): Promise<void> {
  const { slot, payouts } = record
  const order: Order = { kind: 'cancel', account: slot.account }
  const draft = await chain.prepare(order, null, 0n)
  await refuseHalted(services, slot)
  const transfer = await signIn(chain, order, slot.parts, draft)
  const attempts = await addAttempts(
    services.database,
    [{ slotId: slot.id, number: 0, transfer, cancels: true }],
    services.now(),
  )
  services.metrics.payouts.inc({ network: slot.network, step: 'signed' })
  const fields = {
    network: slot.network,
    account: slot.account,
    slot: slot.parts,
    payouts: payouts.map(({ id }) => id),
  }
  services.log.warn(fields, 'a slot that others wait behind is used up by a cancellation')
  for (const attempt of attempts) await send(services, chain, record, attempt)
}

/** Nothing is signed behind a number that is nobody's: such slots are given back, and their payouts begin anew. */
export async function withoutGaps(
  services: Services,
  chain: ChainAdapter,
  due: readonly Due[],
): Promise<{ due: Due[]; left: SlotRecord[] }> {
  const { ordering } = chain
  if (!ordering) return { due: [...due], left: [] }
  const kept: Due[] = []
  const left: SlotRecord[] = []
  for (const one of due) {
    const { record, order, draft } = one
    const { slot } = record
    const isFresh = draft !== null
    const taken = isFresh ? await takenSlots(services.database, slot.network, slot.account) : []
    const before = taken.filter((parts) => ordering.slotOrdinal(parts) < ordering.slotOrdinal(slot.parts))
    // Where nobody can tell what is free, it is signed where it stands.
    const free = isFresh ? await chain.nextSlot(order, draft, before).catch(() => null) : null
    const hasGap = free !== null && ordering.slotOrdinal(free) < ordering.slotOrdinal(slot.parts)
    const isFree =
      hasGap && !(await isPassed(services, chain, slot)) && (await releaseUnsigned(services.database, slot.id))
    if (isFree) left.push(record)
    else kept.push(one)
  }
  return { due: kept, left }
}
