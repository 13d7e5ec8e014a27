/** A payout that failed: it is retried, held for a person or a rule, or given up if nothing of it can be on its way. */
import {
  describeHold,
  FeeAboveLimit,
  holdClass,
  isSameHold,
  type PayoutHold,
  PayoutImpossible,
  RetryLater,
} from '@causeway/core'
import { SignerRefusal, SlotAlreadySigned } from '../../keys/backends/refusal.ts'
import type { Services } from '../../services.ts'
import { addJob, deferPayJobs, laneOf } from '../../store/db/jobs.ts'
import { tellOfOutflow } from '../../store/limits/safeguards.ts'
import { holdPayout, keepHold, readOpenHold, waitingAlike } from '../../store/payouts/holds.ts'
import { liveSlot } from '../../store/payouts/slot-records.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { NotLooked } from '../checks/history.ts'
import { checkPayouts, PayoutOnHold } from '../checks/policy.ts'
import { refuseDoubtful } from '../checks/recognise.ts'
import { abandonReward } from '../kinds/disburse.ts'
import { abandonCall, isCall } from '../kinds/relay.ts'
import { abandonSweep } from '../landing/complete.ts'
import { applyEvent } from '../swap/advance.ts'
import { abandonReturn } from '../swap/resolve-unmatched.ts'

/** What failed for a passing reason is tried again soon, and the longer it lasts the less often: each try asks nodes. */
const RETRY_MS = { first: 100, soon: 2_000, most: 10_000 }
/** After a long trouble the next try comes after this part of the time that it has lasted. */
const RETRY_PART = 8
/** Payouts that one try speaks for at most. */
const MOST_ALIKE = 500
/**
 * What a rule holds leaves its lane, and is looked at again when a switch, a limit, a halt or an approval changes. Besides,
 * in case time alone has mended it: soon where it may (an hour's limit, a price), seldom where a person is waited for or a
 * list of addresses would have to change.
 */
const LOOK_AGAIN_MS = { first: 2_000, rule: 30_000, person: 10 * 60_000 }

/** A person said no: it is given up at once. */
export class Rejected extends PayoutImpossible {
  override name = 'Rejected'
}

/**
 * It did not work out. For a passing reason it is tried again; where nothing was started and it was refused for long
 * enough, it is given up and the swap's money goes back.
 */
export async function postpone(services: Services, payout: PayoutRow, error: unknown): Promise<void> {
  if (error instanceof PayoutOnHold) {
    const waitMs = holdClass(error.hold).needsPerson ? LOOK_AGAIN_MS.person : LOOK_AGAIN_MS.rule
    return putOnHold(services, payout, error.hold, waitMs)
  }
  // Only time or a person changes a policy's answer: until then it is held, not given up.
  if (error instanceof SignerRefusal) {
    const refusal = error instanceof SlotAlreadySigned ? 'slot_already_signed' : 'policy'
    return putOnHold(services, payout, { code: 'signer_refused', refusal }, LOOK_AGAIN_MS.rule, error.message)
  }
  // A signed transaction must come to its end. A payout that was not begun waits for a lower fee, or for a higher limit.
  if (error instanceof FeeAboveLimit && !(await liveSlot(services.database, payout.id)))
    return putOnHold(services, payout, { code: 'fee_above_limit' }, LOOK_AGAIN_MS.rule, error.message)
  if (!(error instanceof RetryLater) && !(error instanceof PayoutImpossible)) throw error
  const { config, database, log, metrics } = services
  const now = services.now()
  const fields = {
    network: payout.network,
    payoutId: payout.id,
    swapId: payout.swap_id,
    kind: payout.kind,
    code: error.name,
    reason: error.message,
  }
  metrics.payouts.inc({ network: payout.network, step: 'held' })
  const recheckAt = new Date(now.getTime() + LOOK_AGAIN_MS.rule)
  if (error instanceof RetryLater && (await keepHold(database, payout.id, recheckAt)))
    return log.warn(fields, 'payout waits')
  const trouble: PayoutHold = { code: 'trouble', error: error.name }
  const since = await holdPayout(database, payout.id, { hold: trouble, detail: error.message, now })
  const lastedMs = now.getTime() - since.getTime()
  if (lastedMs >= patienceWith(config, payout, error)) {
    const objection = await objectionToGivingUp(services, payout, error)
    if (objection) return postpone(services, payout, objection)
    if (await giveUp(services, payout, error)) return log.error(fields, 'payout given up')
  }
  log[error instanceof PayoutImpossible ? 'error' : 'warn'](fields, 'payout waits')
  const waitMs = retryAfter(lastedMs)
  // Payouts that wait in the same queue for the same reason are probably as stuck: one of them is tried for all. They come before this
  // one the next time, so that each has its turn: one that can be paid does not wait behind one that cannot.
  if (error instanceof RetryLater && !payout.started) {
    const alike = await waitingAlike(database, payout, trouble, MOST_ALIKE)
    await deferPayJobs(database, alike, laneOf(payout.network, payout.account), waitMs)
  }
  await payLater(services, payout, waitMs)
}

/**
 * A hold that keeps a payout from being given up: giving up refunds the swap, which a pause, a halt, a screening hit or a doubt
 * after a restore must stop as well. An operator's rejection gives up whatever else holds it, except for such a doubt.
 */
async function objectionToGivingUp(
  services: Services,
  payout: PayoutRow,
  error: Error,
): Promise<PayoutOnHold | undefined> {
  if (payout.started || payout.kind === 'sweep' || isCall(payout)) return undefined
  const doubt = (await refuseDoubtful(services, [payout])).get(payout.id)
  const refused = error instanceof Rejected ? undefined : (await checkPayouts(services, [payout])).get(payout.id)
  return [doubt, refused].find((one) => one instanceof PayoutOnHold)
}

/** How long it is tried before it is given up. */
function patienceWith(config: Services['config'], payout: PayoutRow, error: Error): number {
  // It may have been made: nobody could look.
  if (error instanceof NotLooked) return Number.POSITIVE_INFINITY
  if (error instanceof Rejected || (error instanceof PayoutImpossible && isCall(payout))) return 0
  return error instanceof PayoutImpossible ? config.payoutPatienceMs : config.payoutGiveUpMs
}

function retryAfter(lastedMs: number): number {
  const soon = Math.min(RETRY_MS.soon, Math.max(RETRY_MS.first, lastedMs))
  return Math.max(soon, Math.min(RETRY_MS.most, Math.floor(lastedMs / RETRY_PART)))
}

/** For a rule or a person: logged once, checked again when something changes and now and then, never given up. */
async function putOnHold(
  services: Services,
  payout: PayoutRow,
  hold: PayoutHold,
  waitMs: number,
  detail: string | null = null,
): Promise<void> {
  const { database, log, metrics } = services
  const now = services.now()
  // A change during the check has woken nothing: the first recheck comes soon.
  const recheckInMs = payout.held_by === 'rule' ? waitMs : LOOK_AGAIN_MS.first
  const recheckAt = new Date(now.getTime() + recheckInMs)
  const before = payout.held_by === null ? null : await readOpenHold(database, payout.id)
  const isNew = before === null || !isSameHold(before.hold, hold)
  const { needsPerson, alertsOnce } = holdClass(hold)
  const { network, id: payoutId, swap_id: swapId } = payout
  const fields = { network, payoutId, swapId, code: hold.code, reason: describeHold(hold, detail) }
  // Before it is held itself: of several payouts at once, one is the first.
  if (isNew && alertsOnce && (await tellOfOutflow(database, payout, now))) {
    metrics.alerts.inc()
    log.error(fields, 'the outflow limit of a network is reached')
  }
  await holdPayout(database, payoutId, { hold, detail, now, recheckAt })
  metrics.payouts.inc({ network, step: 'held' })
  if (isNew) {
    if (needsPerson) metrics.alerts.inc()
    log[needsPerson ? 'error' : 'warn'](fields, 'payout is held')
  }
}

/** In trouble without a break for as long as a payout is tried that has no slot. */
export function hasNoHope({ config, now }: Services, { held_by, held_since, state }: PayoutRow): boolean {
  if (state !== 'open' || held_by !== 'trouble' || !held_since) return false
  return now().getTime() - held_since.getTime() >= config.payoutGiveUpMs
}

/** False where something may be on its way: then it is only ever tried again. */
async function giveUp(services: Services, payout: PayoutRow, error: Error): Promise<boolean> {
  if (await liveSlot(services.database, payout.id)) return false
  if (isCall(payout)) {
    await abandonCall(services, payout, error)
    return true
  }
  if (!payout.swap_id) {
    if (payout.kind === 'return') await abandonReturn(services, payout)
    else if (payout.kind === 'reward') await abandonReward(services, payout, error)
    else await abandonSweep(services, payout.id)
    return true
  }
  // The payout's row refuses to be struck out once a slot was handed out meanwhile.
  const { kind, number, deposit_id: depositId } = payout
  // Only what the chain itself would not have speaks against the address: a node that was down or a person's no does not.
  const refused = error instanceof PayoutImpossible && !(error instanceof Rejected)
  await applyEvent(services, payout.swap_id, {
    type: 'payout_abandoned',
    kind,
    depositId,
    number,
    refused,
    rejected: error instanceof Rejected,
  })
  return true
}

async function payLater({ database }: Services, { id, network, account }: PayoutRow, inMs: number): Promise<void> {
  await addJob(database, { task: 'pay', payload: { payoutId: id }, lane: laneOf(network, account) }, { inMs })
}
