/**
 * From slots to sent transactions, several at once: all are signed, the bytes of all are stored in one commit, and only
 * then the first is sent. What a dead process left behind between these steps is taken up here again, oldest first, before
 * anything new is begun: on many chains nothing passes a slot that was left out.
 */
import { type ChainAdapter, FeeAboveLimit, PayoutImpossible, RetryLater, SlotUnavailable } from '@causeway/core'
import { SignerRefusal, SlotAlreadySigned } from '../../keys/backends/refusal.ts'
import type { Services } from '../../services.ts'
import { dropPayJobs, hastenJob, laneOf } from '../../store/db/jobs.ts'
import { type AttemptRow, addAttempts, type NewAttempt } from '../../store/payouts/attempts.ts'
import { type SlotRecord, takeUnsent } from '../../store/payouts/slot-records.ts'
import { releaseUnsigned, wantCancel } from '../../store/payouts/slots.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { requireKnownHistory } from '../checks/history.ts'
import { checkPayouts, isLostUnsent, PayoutOnHold, refuseHalted } from '../checks/policy.ts'
import { refuseDoubtful } from '../checks/recognise.ts'
import { checkRelay } from '../kinds/relay.ts'
import { sleep } from '../lib/sleep.ts'
import { type Due, giveBack, isPassed, useUp, withoutGaps } from './release-slot.ts'
import { hasNoHope } from './retry.ts'
import { effortFor, orderFor, send } from './send.ts'
import { signIn } from './sign.ts'

/** Slots that are taken up at once. */
const MOST_SLOTS = 25

/** What no node took is offered again by the jobs of others, but not by each of them. */
const TROUBLE_AGAIN_MS = 1_000

/** How long what was signed waits behind a slot of which nobody can tell whether it is paid now. */
const IN_THE_WAY_MS = 60_000

const BEGUN_ANEW = 'it is begun anew: a slot before its own was given back'

/** Why payouts did not come all the way, by their ids. */
export type Refusals = Map<string, unknown>

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
  const { ordering } = chain
  // A number that was free again stands in a newer slot than those behind it.
  if (ordering) records.sort((a, b) => Number(ordering.slotOrdinal(a.slot.parts) - ordering.slotOrdinal(b.slot.parts)))
  const again = await Promise.all(records.map((record) => dueAgain(services, chain, record, refusals)))
  const { due, left } = await withoutGaps(
    services,
    chain,
    again.flatMap((one) => one ?? []),
  )
  for (const record of left) refuse(refusals, record, new RetryLater(BEGUN_ANEW))
  await dispatch(services, chain, due, own.id, refusals)
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
    if (record.attempts.length > 0) {
      await refuseLost(services, chain, record)
      return { record, order, draft: null }
    }
    const objection = await objectionTo(services, chain, record)
    if (objection) {
      await giveBack(services, chain, record)
      refuse(refusals, record, objection)
      return null
    }
    const effort = await effortFor(services, chain, record.payouts)
    return { record, order, draft: await chain.prepare(order, null, effort) }
  } catch (error) {
    refuse(refusals, record, error)
    if (record.attempts.length > 0 || !(await isInTheWay(services, chain, record, error))) return null
    await giveBack(services, chain, record).catch((reason) => refuse(refusals, record, reason))
    return null
  }
}

/** What was signed and never sent, and pays for a deposit that is lost, stays here: its own job uses the slot up. */
async function refuseLost({ database, now }: Services, chain: ChainAdapter, record: SlotRecord): Promise<void> {
  if (chain.replacement === 'none' || record.attempts.some(({ cancels }) => cancels)) return
  const [payout] = record.payouts
  if (!payout || !(await isLostUnsent({ database }, record))) return
  await wantCancel(database, payout.id, now())
  await hastenJob(database, payout.id, laneOf(payout.network, payout.account), 'first')
  throw new RetryLater('its deposit has vanished: its slot is cancelled')
}

/**
 * Nothing was signed in it: if it cannot be paid after all, or nobody could say so for long, the slot is given back. Where others land only
 * after it, at once while none of them is signed, so that none comes to wait behind it, and else after a while. What nobody foresaw
 * says no more than that nobody can tell: a fault of ours in one payout wedges no wallet.
 */
async function isInTheWay(
  services: Services,
  chain: ChainAdapter,
  { slot, payouts }: SlotRecord,
  error: unknown,
): Promise<boolean> {
  if (error instanceof PayoutImpossible || error instanceof FeeAboveLimit || error instanceof PayoutOnHold) return true
  if (!chain.ordering) return payouts.every((payout) => hasNoHope(services, payout))
  return isLong(services, slot) || !(await isPassed(services, chain, slot))
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
  const { sendPatienceMs: patienceMs } = services.config
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
  let stopped: { isFree: boolean } | null = null
  for (const { record, order, draft } of due) {
    if (draft === null) continue
    const { slot } = record
    if (stopped) {
      // Nothing is signed behind a slot that was left out.
      if (stopped.isFree) await releaseUnsigned(services.database, slot.id)
      refuse(refusals, record, new RetryLater(BEGUN_ANEW))
      continue
    }
    try {
      await refuseHalted(services, slot)
      signed.push({ slotId: slot.id, number: 0, transfer: await signIn(chain, order, slot.parts, draft) })
    } catch (error) {
      refuse(refusals, record, error)
      const isUsedUp = await makeWay(services, chain, record, error).catch((reason) => {
        refuse(refusals, record, reason)
        return false
      })
      if (chain.ordering && !isUsedUp) stopped = { isFree: isNotSigned(error) }
    }
  }
  if (signed.length === 0) return new Map()
  const attempts = await addAttempts(services.database, signed, services.now())
  services.metrics.payouts.inc({ network: chain.network.name, step: 'signed' }, attempts.length)
  return new Map(attempts.map((attempt) => [attempt.slot_id, attempt]))
}

/** Nothing was signed, and others wait behind this slot: it is given back. True where it is used up instead. */
async function makeWay(services: Services, chain: ChainAdapter, record: SlotRecord, error: unknown): Promise<boolean> {
  if (error instanceof SlotAlreadySigned && chain.ordering) {
    await useUp(services, chain, record)
    return true
  }
  const isStuck =
    error instanceof RetryLater && isLong(services, record.slot) && (await isPassed(services, chain, record.slot))
  return (isNotSigned(error) || isStuck) && !(await giveBack(services, chain, record))
}

function isLong({ now }: Services, { created_at }: SlotRecord['slot']): boolean {
  return now().getTime() - created_at.getTime() >= IN_THE_WAY_MS
}

function isNotSigned(error: unknown): boolean {
  return error instanceof SlotUnavailable || error instanceof SignerRefusal
}

/** One after the other; but a node that does not answer holds up the next one for a moment only. */
async function answered(sent: Promise<unknown>, patienceMs: number): Promise<void> {
  if (patienceMs === 0) {
    await sent
    return
  }
  const over = new AbortController()
  await Promise.race([sent, sleep(patienceMs, over.signal)])
  over.abort()
}

function refuse(refusals: Refusals, { payouts }: SlotRecord, error: unknown): void {
  for (const { id } of payouts) refusals.set(id, error)
}
