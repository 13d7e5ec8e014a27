/**
 * From slots to sent transactions, several at once: all are signed, the bytes of all are stored in one commit, and only
 * then the first is sent. What a dead process left behind between these steps is taken up here again, oldest first, before
 * anything new is begun: on many chains nothing passes a slot that was left out.
 */
import { type ChainAdapter, type Draft, type Order, RetryLater, SlotGone, TooDear, Unpayable } from '@causeway/core'
import { SignerRefusal } from '../keys/refusal.ts'
import type { Services } from '../services.ts'
import { type AttemptRow, addAttempts, type NewAttempt } from '../store/attempts.ts'
import { dropPayJobs } from '../store/jobs.ts'
import { type SlotRecord, takeUnsent } from '../store/slotrecords.ts'
import { releaseUnsigned } from '../store/slots.ts'
import type { PayoutRow } from '../store/swaps.ts'
import { checkPayouts, refuseHalted } from './guard.ts'
import { requireKnownHistory } from './history.ts'
import { pause } from './pause.ts'
import { hasNoHope } from './postpone.ts'
import { refuseDoubtful } from './recognise.ts'
import { checkRelay } from './relay.ts'
import { effortFor, orderFor, send } from './send.ts'
import { signIn } from './sign.ts'

/** Slots that are taken up at once. */
const MOST_SLOTS = 25

/** What no node took is offered again by the jobs of others, but not by each of them. */
const TROUBLE_AGAIN_MS = 1_000

/** Why payouts did not come all the way, by their ids. */
export type Refusals = Map<string, unknown>

/** A slot whose bytes are to be sent for the first time. Without a draft they are stored already. */
export interface Due {
  record: SlotRecord
  order: Order
  draft: Draft | null
}

/** Sends what stands in slots of this account, or in those before the given one, and was not sent yet. Null where nothing does. */
export async function resume(
  services: Services,
  chain: ChainAdapter,
  own: PayoutRow,
  before: bigint | null = null,
): Promise<Refusals | null> {
  const refusals: Refusals = new Map()
  const now = services.now()
  const againAt = new Date(now.getTime() + TROUBLE_AGAIN_MS)
  const records = await takeUnsent(services.database, own, { limit: MOST_SLOTS, before, now, againAt })
  if (records.length === 0) return null
  const due = await Promise.all(records.map((record) => dueAgain(services, chain, record, refusals)))
  await dispatch(
    services,
    chain,
    due.flatMap((one) => one ?? []),
    own.id,
    refusals,
  )
  return refusals
}

async function dueAgain(
  services: Services,
  chain: ChainAdapter,
  record: SlotRecord,
  refusals: Refusals,
): Promise<Due | null> {
  try {
    const order = await orderFor(services, record.payouts)
    if (record.attempts.length > 0) return { record, order, draft: null }
    const objection = await objectionTo(services, chain, record)
    if (objection) {
      await releaseUnsigned(services.database, record.slot.id)
      refuse(refusals, record, objection)
      return null
    }
    const effort = await effortFor(services, chain, record.payouts)
    return { record, order, draft: await chain.prepare(order, null, effort) }
  } catch (error) {
    // Nothing was signed yet: if it cannot be paid after all, or nobody could say so for long, the slot is given back untouched.
    const isOver = error instanceof RetryLater && record.payouts.every((payout) => hasNoHope(services, payout))
    if (error instanceof Unpayable || error instanceof TooDear || isOver)
      await releaseUnsigned(services.database, record.slot.id)
    refuse(refusals, record, error)
    return null
  }
}

/**
 * A slot that was taken before a crash, a pause or a restore is signed by the rules of now: its payouts may have been made
 * since by another one, which a database that went back in time has forgotten.
 */
async function objectionTo(services: Services, chain: ChainAdapter, { payouts }: SlotRecord): Promise<unknown> {
  await requireKnownHistory(services, chain, payouts)
  for (const payout of payouts) await checkRelay(services, payout)
  const refused = [
    ...(await refuseDoubtful(services, payouts)).values(),
    ...(await checkPayouts(services, payouts)).values(),
  ]
  return refused[0] ?? null
}

/** In the order given. `own` is the payout whose job this is: the jobs of the others are done with once they are sent. */
export async function dispatch(
  services: Services,
  chain: ChainAdapter,
  due: readonly Due[],
  own: string,
  refusals: Refusals,
): Promise<void> {
  const stored = await signAndStore(services, chain, due, refusals)
  const { SEND_PATIENCE_MS: patienceMs } = services.config
  const sending = new Map<SlotRecord, Promise<void>>()
  for (const { record } of due) {
    const attempt = record.attempts.at(-1) ?? stored.get(record.slot.id)
    if (!attempt) continue
    const others = record.payouts.map(({ id }) => id).filter((id) => id !== own)
    const sent = send(services, chain, record, attempt)
      .then(() => dropPayJobs(services.database, others))
      .catch((error) => refuse(refusals, record, error))
      .finally(() => sending.delete(record))
    sending.set(record, sent)
    await answered(sent, patienceMs)
  }
  await answered(Promise.all(sending.values()), patienceMs)
  // An answer that still comes is noted. The lane does not wait for it: sending the same bytes again is harmless.
  for (const record of sending.keys()) refuse(refusals, record, new RetryLater('the node does not answer'))
}

async function signAndStore(
  services: Services,
  chain: ChainAdapter,
  due: readonly Due[],
  refusals: Refusals,
): Promise<Map<bigint, AttemptRow>> {
  const signed: NewAttempt[] = []
  for (const { record, order, draft } of due) {
    if (draft === null) continue
    const { slot } = record
    try {
      await refuseHalted(services, slot)
      signed.push({ slotId: slot.id, number: 0, transfer: await signIn(chain, order, slot.parts, draft) })
    } catch (error) {
      // Nothing was signed, and others wait behind this slot: it is given back.
      const isFree = error instanceof SlotGone || error instanceof SignerRefusal
      if (isFree) await releaseUnsigned(services.database, slot.id)
      refuse(refusals, record, error)
    }
  }
  if (signed.length === 0) return new Map()
  const attempts = await addAttempts(services.database, signed, services.now())
  services.metrics.payouts.inc({ network: chain.network.name, step: 'signed' }, attempts.length)
  return new Map(attempts.map((attempt) => [attempt.slot_id, attempt]))
}

/** One after the other; but a node that does not answer holds up the next one for a moment only. */
async function answered(sent: Promise<unknown>, patienceMs: number): Promise<void> {
  if (patienceMs === 0) {
    await sent
    return
  }
  const over = new AbortController()
  await Promise.race([sent, pause(patienceMs, over.signal)])
  over.abort()
}

function refuse(refusals: Refusals, { payouts }: SlotRecord, error: unknown): void {
  for (const { id } of payouts) refusals.set(id, error)
}
