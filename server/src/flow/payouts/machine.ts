/** Asks the payout machine (`nextStep`): reads its input from the database, and turns errors into outcomes. */
import {
  type Address,
  type ChainAdapter,
  type Failure,
  FeeAboveLimit,
  nextStep,
  type Objection,
  type ObjectionCode,
  type Outcome,
  type PayoutHold,
  PayoutImpossible,
  type PayoutMachineFacts,
  type PayoutStep,
  type Purpose,
  RetryLater,
  SlotUnavailable,
  type SlotView,
} from '@causeway/core'
import { SignerRefusal } from '../../keys/backends/refusal.ts'
import type { Services } from '../../services.ts'
import { troubleMs } from '../../store/payouts/holds.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import { signedSlots } from '../../store/payouts/slots.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { inSlot, mayPayByRecord } from '../checks/gate.ts'
import { attemptViews, payoutView, plainFacts, slotView } from '../landing/views.ts'
import { PayoutOnHold } from '../lib/payout-on-hold.ts'

/** Facts that the database rows do not have: the gate's objections, the outcome of the last step, a nonce gap. */
export interface Known {
  objections?: readonly Objection[]
  outcome?: Outcome | null
  hasGapBefore?: boolean
  wasPaid?: boolean
}

/** The next step of a payout that has no slot. */
export async function stepWithoutSlot(
  services: Services,
  chain: ChainAdapter | undefined,
  payout: PayoutRow,
  known: Known = {},
): Promise<PayoutStep> {
  return nextStep(null, [payoutView(payout)], [], await factsFor(services, chain, payout.account, [payout], known))
}

/** The next step of a slot and the payouts in it. */
export async function stepInSlot(
  services: Services,
  chain: ChainAdapter | undefined,
  record: SlotRecord,
  known: Known = {},
): Promise<PayoutStep> {
  const { payouts, attempts } = record
  const view: SlotView = {
    ...slotView(services, record),
    isSignedBehind: attempts.length === 0 && (await isSignedBehind(services, chain, record)),
    hasGapBefore: known.hasGapBefore ?? false,
  }
  const isUnsent = attempts.length > 0 && attempts.every(({ sent_at }) => sent_at === null)
  const doubts = isUnsent ? await depositDoubts(services, record) : new Set()
  return nextStep(view, payouts.map(payoutView), attemptViews(attempts), {
    ...(await factsFor(services, chain, record.slot.account, payouts, known)),
    isSourceLost: doubts.has('deposit'),
    isSourceInDoubt: doubts.has('reverifying'),
    isCancelWanted: record.isCancelWanted,
  })
}

async function factsFor(
  services: Services,
  chain: ChainAdapter | undefined,
  account: Address,
  payouts: readonly PayoutRow[],
  { objections = [], outcome = null, wasPaid = false }: Known,
): Promise<PayoutMachineFacts> {
  const facts = plainFacts(services, chain, account)
  const open = payouts.filter(({ state }) => state === 'open')
  const lasted = await Promise.all(open.map(({ id }) => troubleMs(services.database, id, facts.now)))
  // The trouble of a batch has lasted as long as that of its newest troubled payout.
  return { ...facts, objections, outcome, wasPaid, troubleMs: lasted.length === 0 ? 0 : Math.min(...lasted) }
}

/** Whether a transaction is signed in a later slot of the account, which is mined only after this slot. */
async function isSignedBehind(
  { database }: Services,
  chain: ChainAdapter | undefined,
  { slot }: SlotRecord,
): Promise<boolean> {
  const ordering = chain?.ordering
  if (!ordering) return false
  const signed = await signedSlots(database, slot.network, slot.account)
  return signed.some((parts) => ordering.slotOrdinal(parts) > ordering.slotOrdinal(slot.parts))
}

/** The gate's objections to a payment of nothing that was sent yet, because of the deposits that fund it. */
async function depositDoubts(services: Services, record: SlotRecord): Promise<ReadonlySet<ObjectionCode>> {
  const objections = await mayPayByRecord(services, services.database, inSlot(record), 'new')
  const codes = [...objections.values()].flat().map(({ code }) => code)
  return new Set(codes.filter((code) => code === 'deposit' || code === 'reverifying'))
}

export function outcomeOf(of: Outcome['of'], purpose: Purpose, error: unknown): Outcome {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const [failure, hold] = failureOf(error, { code: 'trouble', error: name })
  return { of, purpose, failure, hold, detail: hold.code === 'trouble' || failure !== 'objected' ? message : null }
}

function failureOf(error: unknown, trouble: PayoutHold): [Failure, PayoutHold] {
  if (error instanceof PayoutOnHold) return ['objected', error.hold]
  if (error instanceof SignerRefusal) return ['signer_refused', { code: 'signer_refused', refusal: 'policy' }]
  if (error instanceof FeeAboveLimit) return ['fee_above_limit', { code: 'fee_above_limit' }]
  if (error instanceof SlotUnavailable) return ['slot_unavailable', trouble]
  if (error instanceof PayoutImpossible) return ['impossible', trouble]
  return [error instanceof RetryLater ? 'retryable' : 'unexpected', trouble]
}
