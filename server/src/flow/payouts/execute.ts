/**
 * Carries out the steps of a slot: asks `nextStep`, does the step, passes its outcome to the next question, and stops
 * when nothing can be done now. After a crash at any point the same slot and the same bytes are used again.
 */
import {
  type ChainAdapter,
  type Order,
  type Outcome,
  type PayoutStep,
  PermanentlyRejected,
  type PreparedTransfer,
  type Purpose,
  RetryLater,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import { type AttemptRow, markRefused } from '../../store/payouts/attempts.ts'
import { liveSlot, type SlotRecord } from '../../store/payouts/slot-records.ts'
import { takenSlots } from '../../store/payouts/slots.ts'
import { inSlot, mayPay, type Objections } from '../checks/gate.ts'
import { sleep } from '../lib/sleep.ts'
import { releaseUnrecorded } from './adopt.ts'
import { outcomeOf, stepInSlot } from './machine.ts'
import { effortFor, orderFor, send, signedOf } from './send.ts'
import { signAll } from './sign.ts'

/** A limit against endless loops. The longest regular sequence is shorter: sign, send, refused, bump, send. */
const MOST_STEPS = 8

/** The state of a slot when nothing more can be done now. */
export interface Ended {
  /** The slot as it is now; null if it was released. */
  record: SlotRecord | null
  step: Extract<PayoutStep, { step: 'hold' | 'wait' }>
  outcome: Outcome | null
  objections: Objections
}

const DONE = { step: 'wait', hold: null, detail: null } as const
const NO_OBJECTIONS: Objections = new Map()

export async function advanceSlot(
  services: Services,
  chain: ChainAdapter,
  first: SlotRecord,
  given: Outcome | null = null,
): Promise<Ended> {
  let record = first
  let outcome = given
  let wasRefused = given?.of === 'broadcast'
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const looked = await look(services, chain, record, outcome)
    outcome = looked.outcome
    const { objections } = looked
    const step = await stepInSlot(services, chain, record, { ...looked, objections: [...objections.values()].flat() })
    if (step.step === 'hold' || step.step === 'wait') return { record, step, outcome, objections }
    if (step.step === 'release') {
      if (await releaseUnrecorded(services, record.slot)) return { record: null, step: DONE, outcome, objections }
      // A transaction was signed in the slot: by another process, or by the signer, whose answer was lost.
      const signed = await liveSlot(services.database, record.payouts[0]?.id ?? '')
      if (!signed || signed.attempts.length === 0) return { record, step: DONE, outcome, objections }
      record = signed
      outcome = null
      continue
    }
    if (step.step === 'send' || step.step === 'resend') {
      const [sent, failure] = await sendNewest(services, chain, record)
      record = sent
      // The bytes cannot be replaced, so the old ones were sent once more. The error is still shown to the operator.
      if (outcome) return { record, step: asTrouble(outcome), outcome, objections }
      if (!failure) return { record, step: DONE, outcome: null, objections }
      outcome = failure
      wasRefused = true
      continue
    }
    if (step.step !== 'sign' && step.step !== 'bump' && step.step !== 'cancel') break
    const purpose = step.step === 'sign' ? 'new' : step.step
    const [signed, failure] = await signAndSend(services, chain, record, purpose, looked.draft)
    record = signed
    if (!failure) return { record, step: DONE, outcome: null, objections }
    outcome = wasRefused && purpose !== 'new' ? blocked(failure) : failure
    if (failure.of === 'broadcast') wasRefused = true
  }
  return { record, step: outcome ? asTrouble(outcome) : DONE, outcome, objections: NO_OBJECTIONS }
}

/**
 * Before the first signature in a slot: asks the gate, prepares the transaction, and checks for a nonce gap below the
 * slot.
 */
async function look(
  services: Services,
  chain: ChainAdapter,
  record: SlotRecord,
  outcome: Outcome | null,
): Promise<{ outcome: Outcome | null; objections: Objections; draft: PreparedTransfer | null; hasGapBefore: boolean }> {
  const nothing = { outcome, objections: NO_OBJECTIONS, draft: null, hasGapBefore: false }
  const hasKeys = record.slot.account === chain.treasury
  if (record.attempts.length > 0 || outcome || record.isCancelWanted || !hasKeys) return nothing
  const objections = await mayPay(services, chain, inSlot(record))
  if (objections.size > 0) return { ...nothing, objections }
  try {
    const order = await orderFor(services, record.payouts)
    const draft = await chain.prepare(order, null, await effortFor(services, chain, record.payouts))
    return { ...nothing, draft, hasGapBefore: await hasGapBefore(services, chain, record, order, draft) }
  } catch (error) {
    return { ...nothing, outcome: failed(services, record, 'prepare', 'new', error) }
  }
}

/**
 * Whether the account has an unused nonce below this slot: a transaction above a nonce gap would never be mined. False
 * if no node answers.
 */
async function hasGapBefore(
  { database }: Services,
  chain: ChainAdapter,
  { slot }: SlotRecord,
  order: Order,
  draft: PreparedTransfer,
): Promise<boolean> {
  const { ordering } = chain
  if (!ordering) return false
  const own = ordering.slotOrdinal(slot.parts)
  const taken = await takenSlots(database, slot.network, slot.account)
  const before = taken.filter((parts) => ordering.slotOrdinal(parts) < own)
  const free = await chain.nextSlot(order, draft, before).catch(() => null)
  return free !== null && ordering.slotOrdinal(free) < own
}

/**
 * Signs the next attempt and sends it. A second signature in a slot is the same payment with a higher fee, or a
 * cancellation; the chain accepts at most one of them.
 */
async function signAndSend(
  services: Services,
  chain: ChainAdapter,
  record: SlotRecord,
  purpose: Purpose,
  prepared: PreparedTransfer | null,
): Promise<[SlotRecord, Outcome | null]> {
  const { slot, payouts, attempts } = record
  const last = attempts.at(-1)
  let order: Order
  let draft: PreparedTransfer
  try {
    order = purpose === 'cancel' ? { kind: 'cancel', account: slot.account } : await orderFor(services, payouts)
    const effort = purpose === 'cancel' ? 0n : await effortFor(services, chain, payouts)
    draft = prepared ?? (await chain.prepare(order, last ? signedOf(last) : null, effort))
  } catch (error) {
    return [record, failed(services, record, 'prepare', purpose, error)]
  }
  try {
    const { attempts: stored, failures } = await signAll(services, chain, [{ record, order, draft, purpose }])
    const attempt = stored.get(slot.id)
    if (!attempt) return [record, failed(services, record, 'sign', purpose, failures.get(slot.id))]
    if (purpose === 'cancel') {
      const fields = {
        network: slot.network,
        account: slot.account,
        slot: slot.parts,
        payouts: payouts.map(({ id }) => id),
      }
      services.log.warn(fields, 'a slot is cancelled')
    }
    return sendNewest(services, chain, { ...record, attempts: [...attempts, attempt] })
  } catch (error) {
    return [record, failed(services, record, 'sign', purpose, error)]
  }
}

/** Broadcasts the newest attempt. Returns the slot with the updated attempt. */
export async function sendNewest(
  services: Services,
  chain: ChainAdapter,
  record: SlotRecord,
): Promise<[SlotRecord, Outcome | null]> {
  const last = record.attempts.at(-1)
  if (!last) return [record, null]
  const purpose = last.cancels ? 'cancel' : last.number > 0 ? 'bump' : 'new'
  const now = services.now()
  const replaceLast = (change: Partial<AttemptRow>) => ({
    ...record,
    attempts: record.attempts.with(-1, { ...last, ...change }),
  })
  try {
    await answered(send(services, chain, record, last), services.config.sendPatienceMs)
    return [replaceLast({ sent_at: now, accepted_at: last.accepted_at ?? now }), null]
  } catch (error) {
    const outcome = failed(services, record, 'broadcast', purpose, error)
    if (!(error instanceof PermanentlyRejected) || chain.replacement === 'none') return [record, outcome]
    if (await markRefused(services.database, last, now)) {
      services.metrics.alerts.inc()
      const { network, account, parts } = record.slot
      const fields = {
        network,
        account,
        slot: parts,
        payouts: record.payouts.map(({ id }) => id),
        reason: error.message,
      }
      services.log.error(fields, 'no node will ever take a transaction: its slot is cancelled')
    }
    return [replaceLast({ refused_at: now }), outcome]
  }
}

/**
 * Waits for the node's answer for a limited time, so that a slow node does not delay the next transaction. Sending the
 * same bytes again is harmless.
 */
async function answered(sent: Promise<unknown>, patienceMs: number): Promise<void> {
  if (patienceMs === 0) {
    await sent
    return
  }
  const over = new AbortController()
  const late = sleep(patienceMs, over.signal).then(() => 'late' as const)
  const first = await Promise.race([sent, late]).finally(() => over.abort())
  if (first !== 'late') return
  // A late answer is still stored, by `send`.
  sent.catch(() => undefined)
  throw new RetryLater('the node does not answer')
}

function failed(
  { log }: Services,
  { slot, payouts }: Pick<SlotRecord, 'slot' | 'payouts'>,
  of: Outcome['of'],
  purpose: Purpose,
  error: unknown,
): Outcome {
  const outcome = outcomeOf(of, purpose, error)
  const fields = { network: slot.network, slot: slot.parts, payouts: payouts.map(({ id }) => id), err: error }
  if (outcome.failure === 'unexpected') log.error(fields, 'a payout failed unexpectedly')
  return outcome
}

/**
 * The hold for a transaction that every node rejects and that cannot be replaced: it blocks every later nonce of the
 * wallet.
 */
function blocked(outcome: Outcome): Outcome {
  if (outcome.hold.code !== 'trouble') return outcome
  return {
    ...outcome,
    hold: { code: 'trouble', error: 'WalletBlocked' },
    detail: `the wallet is blocked: ${outcome.detail}`,
  }
}

function asTrouble({ hold, detail, failure }: Outcome): Ended['step'] {
  const trouble = hold.code === 'trouble' ? hold : ({ code: 'trouble', error: failure } as const)
  return { step: 'wait', hold: trouble, detail }
}
