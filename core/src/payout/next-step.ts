/**
 * The payout state machine: one table of slot states and events. `nextStep` returns the next step for a payout and its
 * slot. The executor carries out that one step, adds its outcome to the facts and calls `nextStep` again.
 */
import { type PayoutHold, runsGiveUpClock } from '../swap/hold.ts'
import { judgeAttempts, type Verdict } from '../swap/payout.ts'
import type { ObjectionClass, ObjectionCode } from './gate.ts'
import type { AttemptView, Failure, Outcome, PayoutMachineFacts, PayoutStep, PayoutView, SlotView } from './views.ts'

/**
 * The states of a payout's slot. `none`: the payout has no slot. `unsigned`: nothing is signed in it. `signed`: no node
 * has accepted it. `accepted`: a node has. `cancelling`: the newest attempt is a cancellation. `confirmed`: all payouts
 * of the slot are confirmed, but the slot is not final.
 */
export const SLOT_STATES = ['none', 'unsigned', 'signed', 'accepted', 'cancelling', 'confirmed'] as const
export type SlotState = (typeof SLOT_STATES)[number]

/** After this many refusals, by the chain or by every node, the payout is given up. */
const MAX_REVERTS = 2
/**
 * A call runs third-party code, which may pass our simulation and still fail on chain at our cost: it is tried once.
 */
const MAX_CALL_REVERTS = 1
/** An exchange reverts if its pool moved. Each attempt is simulated first, so it may be tried once more. */
const MAX_LEG_REVERTS = 3
/** How long an unsigned nonce may block signed transactions before it is cancelled. */
const BLOCKED_MS = 60_000
/** How long after the end of its term an exchange is cancelled: the chain's clock may be behind ours. */
const LAPSED_MS = 60_000
/** Minimum time between two broadcasts of the same bytes. */
const RESEND_AFTER_MS = 4_000

interface View {
  slot: SlotView | null
  payouts: readonly PayoutView[]
  attempts: readonly AttemptView[]
  facts: PayoutMachineFacts
  verdict: Verdict | null
  state: SlotState
}

type Is = (view: View) => boolean
type Cell = ((view: View) => PayoutStep) | null

export function nextStep(
  slot: SlotView | null,
  payouts: readonly PayoutView[],
  attempts: readonly AttemptView[],
  facts: PayoutMachineFacts,
): PayoutStep {
  const view: View = {
    ...{ slot, payouts, attempts, facts },
    verdict: verdictOf(attempts, facts),
    state: slotState(slot, payouts, attempts),
  }
  for (const event of PAYOUT_EVENTS) {
    const cell = PAYOUT_TABLE[event][view.state]
    if (cell && EVENTS[event](view)) return cell(view)
  }
  return WAIT
}

export function slotState(
  slot: SlotView | null,
  payouts: readonly Pick<PayoutView, 'state'>[],
  attempts: readonly Pick<AttemptView, 'cancels' | 'firstAcceptedAt'>[],
): SlotState {
  if (slot === null) return 'none'
  const newest = attempts.at(-1)
  if (newest === undefined) return 'unsigned'
  if (payouts.every(({ state }) => state === 'confirmed')) return 'confirmed'
  if (newest.cancels) return 'cancelling'
  return attempts.some(({ firstAcceptedAt }) => firstAcceptedAt !== null) ? 'accepted' : 'signed'
}

/** The verdict from the chain status of all attempts of the slot; null if the status of one is unknown. */
function verdictOf(attempts: readonly AttemptView[], { policy }: PayoutMachineFacts): Verdict | null {
  const statuses = attempts.flatMap(({ hash, cancels, status }) => (status ? [{ hash, cancels, status }] : []))
  if (statuses.length === 0 || statuses.length < attempts.length) return null
  return judgeAttempts(statuses, policy)
}

/** Whether one of these steps failed in this way. */
const failed =
  (failure: Failure, ...steps: Outcome['of'][]): Is =>
  ({ facts: { outcome } }) =>
    outcome?.failure === failure && steps.includes(outcome.of)

/** The events, in order of precedence. The first one that is true and has a cell for the slot's state decides. */
const EVENTS = {
  included: ({ verdict }) => verdict?.step === 'confirmed',
  failed: ({ verdict }) => isFailure(verdict),
  in_block: ({ attempts }) =>
    attempts.some(({ status }) => status?.state === 'included' || status?.state === 'reverted'),
  was_paid: ({ facts }) => facts.wasPaid,
  network_missing: ({ facts }) => !facts.chain.isConfigured,
  keys_missing: ({ facts }) => !facts.chain.hasKeys,
  uncancelled: ({ facts: { outcome } }) => outcome?.purpose === 'cancel' && outcome.of !== 'broadcast',
  cancel_wanted: isCancelWanted,
  lapsed: ({ payouts, facts }) => payouts.some((payout) => hasLapsed(payout, facts.now)),
  doubted: ({ facts }) => facts.isSourceInDoubt,
  rejected: ({ facts }) => has(facts, 'end', ['rejected']) && !mayHaveBeenPaid(facts),
  // A finished relay moves no money, so it may end although the wallet is halted or a switch is off.
  ended: ({ facts }) => has(facts, 'end', ['relay']) && !mayHaveBeenPaid(facts),
  objection: ({ facts }) => facts.objections.some((one) => one.class === 'hold'),
  worn_out: ({ payouts }) => payouts.some(isWornOut),
  waiting: ({ facts }) => facts.objections.some((one) => one.class === 'wait'),
  objected: failed('objected', 'sign'),
  impossible: failed('impossible', 'prepare', 'sign'),
  fee_above_limit: failed('fee_above_limit', 'prepare', 'sign'),
  signer_refused: failed('signer_refused', 'sign'),
  slot_unavailable: failed('slot_unavailable', 'prepare', 'sign'),
  unprepared: ({ facts }) => facts.outcome?.of === 'prepare',
  signer_silent: ({ facts }) => facts.outcome?.of === 'sign',
  gap: ({ slot }) => slot?.hasGapBefore === true,
  refused: ({ facts }) => facts.outcome?.of === 'broadcast',
  unsent: ({ attempts }) => attempts.at(-1)?.lastAcceptedAt === null,
  stuck: isStuck,
  quiet: isQuiet,
  none: () => true,
} satisfies Record<string, Is>

export type PayoutEvent = keyof typeof EVENTS
export const PAYOUT_EVENTS = Object.keys(EVENTS) as PayoutEvent[]

/**
 * With one of these objections the payout may already have been paid. Not even an operator's rejection ends it, because
 * that would refund the swap.
 */
const MAY_HAVE_BEEN_PAID: readonly ObjectionCode[] = ['restore', 'reorged', 'history', 'stopped']

function mayHaveBeenPaid(facts: PayoutMachineFacts): boolean {
  return has(facts, 'hold', MAY_HAVE_BEEN_PAID) || has(facts, 'wait', ['unlooked'])
}

const WAIT: PayoutStep = { step: 'wait', hold: null, detail: null }
const send = (): PayoutStep => ({ step: 'send' })
const resend = (): PayoutStep => ({ step: 'resend' })
const wait = (): PayoutStep => WAIT

export const PAYOUT_TABLE: Readonly<Record<PayoutEvent, Readonly<Record<SlotState, Cell>>>> = {
  // First: what the chain reports.
  included: row(null, null, confirm, confirm, confirm, confirm),
  failed: row(null, null, unpaid, unpaid, unpaid, unpaid),
  in_block: row(null, null, wait, wait, wait, wait),
  // Second: decisions of operators.
  was_paid: row(() => ({ step: 'confirm', verdict: null }), null, null, null, null, null),
  network_missing: row(unconfigured, wait, wait, wait, wait, wait),
  keys_missing: row(
    () => ({ step: 'change_wallet' }),
    () => ({ step: 'release' }),
    null,
    null,
    null,
    null,
  ),
  uncancelled: row(null, retryOrHold, retryOrHold, retryOrHold, resend, null),
  cancel_wanted: row(null, release, cancelOrHoldBack, replaceBy('cancel'), null, null),
  // Mined now, it would only fail. It is cancelled rather than bumped, so that it does not block the wallet.
  lapsed: row(null, null, replaceBy('cancel'), replaceBy('cancel'), null, null),
  // Bytes that no node has are not sent for the first time while their deposit may be gone.
  doubted: row(null, null, holdBack, null, null, null),
  rejected: row(endBy('rejected'), release, null, null, null, null),
  ended: row(endBy('impossible'), release, null, null, null, null),
  // Third: objections of the gate.
  objection: row(holdForObjection, release, null, null, null, null),
  worn_out: row(giveUpAfterPatience, release, null, null, null, null),
  waiting: row(giveUpAfterTrouble, freeIfBlocking, null, null, null, null),
  objected: row(retryOrHold, release, retryOrHold, retryOrHold, retryOrHold, retryOrHold),
  // Fourth: how the last step failed. A signed transaction must be finished, so its newest bytes are sent again.
  impossible: row(giveUpAfterPatience, release, resend, resend, resend, resend),
  fee_above_limit: row(retryOrHold, release, resend, resend, resend, resend),
  signer_refused: row(retryOrHold, release, retryOrHold, retryOrHold, retryOrHold, retryOrHold),
  slot_unavailable: row(retryOrHold, release, resend, resend, resend, resend),
  unprepared: row(giveUpAfterTrouble, freeIfBlocking, resend, resend, resend, resend),
  signer_silent: row(retryOrHold, cancelIfBlocking, retryOrHold, retryOrHold, retryOrHold, retryOrHold),
  gap: row(null, ({ slot }) => ({ step: slot?.isSignedBehind ? 'sign' : 'release' }), null, null, null, null),
  // Last: the normal path. Bytes that no node accepts are replaced once they are stuck, and finally cancelled.
  refused: row(null, null, replaceRefused, replaceRefused, replaceRefused, replaceRefused),
  unsent: row(null, null, send, send, send, send),
  stuck: row(null, null, send, bumpOrResend, replaceBy('cancel'), replaceBy('bump')),
  quiet: row(null, null, send, resend, resend, resend),
  none: row(
    () => ({ step: 'allocate' }),
    () => ({ step: 'sign' }),
    wait,
    wait,
    wait,
    wait,
  ),
}

function row(...[none, unsigned, signed, accepted, cancelling, confirmed]: [Cell, Cell, Cell, Cell, Cell, Cell]) {
  return { none, unsigned, signed, accepted, cancelling, confirmed }
}

function has(facts: PayoutMachineFacts, of: ObjectionClass, codes: readonly ObjectionCode[]): boolean {
  return facts.objections.some((one) => one.class === of && codes.includes(one.code))
}

function isFailure(verdict: Verdict | null): verdict is Extract<Verdict, { step: 'reverted' | 'cancelled' | 'dead' }> {
  return verdict?.step === 'reverted' || verdict?.step === 'cancelled' || verdict?.step === 'dead'
}

function isCall({ kind }: PayoutView): boolean {
  return kind === 'relay' || kind === 'admin'
}

function isWornOut(payout: PayoutView): boolean {
  if (payout.isLeg) return payout.reverts >= MAX_LEG_REVERTS
  return payout.reverts >= (isCall(payout) ? MAX_CALL_REVERTS : MAX_REVERTS)
}

/**
 * Whether the slot must be cancelled: an operator wants it, no node will ever accept the bytes, or the deposit was lost
 * before a node accepted them.
 */
function isCancelWanted({ facts, attempts }: View): boolean {
  if (facts.isCancelWanted || attempts.at(-1)?.isPermanentlyRejected) return true
  return facts.isSourceLost && attempts.length > 0 && attempts.every(({ firstAcceptedAt }) => firstAcceptedAt === null)
}

function hasLapsed({ state, validUntil }: PayoutView, now: Date): boolean {
  return state === 'open' && !!validUntil && now.getTime() - validUntil.getTime() >= LAPSED_MS
}

/**
 * Whether the newest attempt is stuck. The clock starts when a node first accepts the bytes, or at their creation if none
 * has. A node that accepts and drops them repeatedly does not restart it.
 */
function isStuck({ attempts, facts }: View): boolean {
  const newest = attempts.at(-1)
  if (!newest) return false
  const since = newest.firstAcceptedAt ?? newest.createdAt
  return facts.now.getTime() - since.getTime() >= facts.policy.stuckAfterMs
}

function isQuiet({ attempts, facts }: View): boolean {
  const newest = attempts.at(-1)
  if (attempts.some(({ status }) => status?.state === 'pending')) return false
  return facts.now.getTime() - (newest?.lastAcceptedAt ?? facts.now).getTime() >= RESEND_AFTER_MS
}

function isOverdue({ facts: { troubleMs, policy } }: View): boolean {
  return troubleMs >= policy.giveUpMs
}

function confirm({ verdict }: View): PayoutStep {
  return verdict?.step === 'confirmed' ? { step: 'confirm', verdict } : WAIT
}

function unpaid({ verdict, payouts }: View): PayoutStep {
  if (!isFailure(verdict)) return WAIT
  return { step: 'unpaid', verdict, reorged: payouts.filter(({ state }) => state === 'confirmed').map(({ id }) => id) }
}

/** Without a configured network nothing can be checked, so the payout is neither paid nor given up. */
function unconfigured(): PayoutStep {
  return { step: 'wait', hold: { code: 'trouble', error: 'NetworkMissing' }, detail: 'the network is not configured' }
}

/**
 * Frees the slot. If signed transactions wait behind its nonce, it is cancelled instead, because they could not be
 * mined across a gap.
 */
function release({ slot }: View): PayoutStep {
  return { step: slot?.isSignedBehind ? 'cancel' : 'release' }
}

/** Replaces the transaction. If the chain allows no replacement, the same bytes are sent until they expire. */
function replaceBy(as: 'bump' | 'cancel'): Cell {
  return ({ facts }) => ({ step: facts.chain.canReplace ? as : 'resend' })
}

/** Cancels bytes that no node has. If the chain allows no replacement, those of a lost deposit stay here until they expire. */
function cancelOrHoldBack(view: View): PayoutStep {
  const { chain, isSourceLost } = view.facts
  if (chain.canReplace) return { step: 'cancel' }
  return isSourceLost ? holdBack() : resend()
}

function holdBack(): PayoutStep {
  const hold = { code: 'trouble', error: 'RetryLater' } as const
  return { step: 'wait', hold, detail: 'its deposit is in doubt: what was signed for it is not sent' }
}

/**
 * Bumps the fee. After a long outage the old bytes are sent once more first: the outage alone is no reason to replace
 * them.
 */
function bumpOrResend(view: View): PayoutStep {
  return { step: view.facts.chain.canReplace && !isOverdue(view) ? 'bump' : 'resend' }
}

function replaceRefused(view: View): PayoutStep {
  if (!isStuck(view) || !view.facts.chain.canReplace) return retryOrHold(view)
  if (view.state === 'confirmed') return { step: 'bump' }
  return { step: view.state === 'cancelling' || isOverdue(view) ? 'cancel' : 'bump' }
}

/**
 * Frees or cancels a nonce that blocks later payouts. If slots are independent nothing is blocked, so the slot is freed
 * only when the payout is given up.
 */
function freeIfBlocking(view: View): PayoutStep {
  const { slot, facts } = view
  if (!facts.chain.isOrdered) return isOverdue(view) ? { step: 'release' } : asTrouble(view)
  if (!slot?.isSignedBehind) return { step: 'release' }
  return slot.ageMs >= BLOCKED_MS ? { step: 'cancel' } : asTrouble(view)
}

/**
 * Cancels a slot that blocks signed transactions. Otherwise the slot is kept, because the signer may have signed before
 * it failed.
 */
function cancelIfBlocking(view: View): PayoutStep {
  const { slot, facts } = view
  const isBlocking = facts.chain.isOrdered && slot?.isSignedBehind && slot.ageMs >= BLOCKED_MS
  return isBlocking ? { step: 'cancel' } : asTrouble(view)
}

/**
 * Temporary failures are retried. A fee limit, the signer's policy and the gate need time or an operator, so the payout
 * is held.
 */
function retryOrHold(view: View): PayoutStep {
  const { outcome } = view.facts
  if (!outcome || outcome.hold.code === 'trouble') return asTrouble(view)
  return { step: 'hold', hold: outcome.hold, detail: outcome.detail }
}

function holdForObjection({ facts }: View): PayoutStep {
  const objection = facts.objections.find((one) => one.class === 'hold')
  return objection ? { step: 'hold', hold: objection.hold, detail: objection.detail } : WAIT
}

function asTrouble(view: View): PayoutStep {
  return { step: 'wait', ...shown(view) }
}

function endBy(because: 'rejected' | 'impossible'): Cell {
  return (view) => {
    const objection = view.facts.objections.find((one) => one.class === 'end')
    return { step: 'give_up', because, hold: objection?.hold ?? null, detail: objection?.detail ?? null }
  }
}

function giveUpAfterPatience(view: View): PayoutStep {
  const { payouts, facts } = view
  const patienceMs = payouts.some(isCall) ? 0 : facts.policy.patienceMs
  return facts.troubleMs >= patienceMs ? { step: 'give_up', because: 'impossible', ...shown(view) } : asTrouble(view)
}

function giveUpAfterTrouble(view: View): PayoutStep {
  const { hold, detail } = shown(view)
  const mayEnd = hold !== null && runsGiveUpClock(hold) && isOverdue(view)
  return mayEnd ? { step: 'give_up', because: 'trouble', hold, detail } : { step: 'wait', hold, detail }
}

const WORN_OUT: PayoutHold = { code: 'trouble', error: 'PayoutImpossible' }

/** The problem, as operators see it. */
function shown({ facts, payouts }: View): { hold: PayoutHold | null; detail: string | null } {
  const { outcome, objections } = facts
  if (outcome) return { hold: outcome.hold, detail: outcome.detail }
  const waiting = objections.find((one) => one.class === 'wait')
  if (payouts.some(isWornOut)) return { hold: WORN_OUT, detail: 'the chain refused it again and again' }
  return { hold: waiting?.hold ?? null, detail: waiting?.detail ?? null }
}
