/** A payout that cannot continue now: it is held for a rule or an operator, retried later, or given up. */
import { covers, describeHold, holdClass, type PayoutHold, type PayoutStep } from '@causeway/core'
import type { Services } from '../../services.ts'
import { addJob, deferPayJobs, laneOf } from '../../store/db/jobs.ts'
import { tellOfOutflow } from '../../store/limits/safeguards.ts'
import { holdPayout, keepHold, raiseHold, readOpenHold, waitingAlike } from '../../store/payouts/holds.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { abandonReward } from '../kinds/disburse.ts'
import { abandonCall, isCall } from '../kinds/relay.ts'
import { abandonSweep } from '../kinds/swept.ts'
import { abandonWithdrawal } from '../kinds/withdrawal.ts'
import { applyEvent } from '../swap/advance.ts'
import { abandonReturn } from '../swap/resolve-unmatched.ts'

/** Exponential backoff with a cap: each try asks nodes. */
const RETRY_MS = { first: 100, soon: 2_000, most: 10_000 }
/** After a long trouble the next retry comes after this fraction of the time that it has lasted. */
const RETRY_PART = 8
/** The most waiting payouts that one failed try delays along with it. */
const MOST_ALIKE = 500
/**
 * A held payout leaves its queue and is checked again when a switch, a limit, a halt or an approval changes. It is also
 * checked at these intervals, in case time alone has ended the hold: often for an hourly limit or a price, rarely if an
 * operator or a list must change. `soon`: a change while it was being held did not wake it.
 */
const RECHECK_MS = { soon: 2_000, rule: 30_000, person: 10 * 60_000 }
/** How long the screening service may fail before an operator is alerted. */
const SILENCE_MS = 10 * 60_000

export async function settle(
  services: Services,
  payout: PayoutRow,
  step: Extract<PayoutStep, { step: 'hold' | 'wait' }>,
): Promise<void> {
  if (step.step === 'hold') return putOnHold(services, payout, step.hold, step.detail)
  if (step.hold) await retryLater(services, payout, step.hold, step.detail)
}

/**
 * Holds a payout for a rule or an operator: logged once, rechecked when something changes and at intervals, never given
 * up.
 */
async function putOnHold(
  services: Services,
  payout: PayoutRow,
  hold: PayoutHold,
  detail: string | null,
): Promise<void> {
  const { database, log, metrics } = services
  const now = services.now()
  const { needsPerson, alertsOnce } = holdClass(hold)
  const waitMs = needsPerson && holdClass(hold).outlastsTrouble ? RECHECK_MS.person : RECHECK_MS.rule
  const isNew = await isNewHold(services, payout, hold)
  const { network, id: payoutId, swap_id: swapId } = payout
  const fields = { network, payoutId, swapId, code: hold.code, reason: describeHold(hold, detail) }
  // Asked before this payout is held: if several payouts are held for the same outflow, only the first one alerts.
  if (isNew && alertsOnce && (await tellOfOutflow(database, payout, now))) {
    metrics.alerts.inc()
    log.error(fields, 'the outflow limit of a network is reached')
  }
  const recheck = { at: new Date(now.getTime() + waitMs), soonAt: new Date(now.getTime() + RECHECK_MS.soon) }
  await holdPayout(database, payoutId, { hold, detail, now, recheck })
  metrics.payouts.inc({ network, step: 'held' })
  if (isNew) {
    if (needsPerson) metrics.alerts.inc()
    log[needsPerson ? 'error' : 'warn'](fields, 'payout is held')
  }
}

async function isNewHold({ database }: Services, payout: PayoutRow, hold: PayoutHold): Promise<boolean> {
  const before = payout.held_by === null ? null : await readOpenHold(database, payout.id)
  return before === null || before.isAnswered || !covers(before.hold, hold)
}

async function retryLater(
  services: Services,
  payout: PayoutRow,
  hold: PayoutHold,
  detail: string | null,
): Promise<void> {
  const { database, log, metrics } = services
  const now = services.now()
  const { network, account, id, swap_id, kind } = payout
  const code = hold.code === 'trouble' ? hold.error : hold.code
  const fields = { network, payoutId: id, swapId: swap_id, kind, code, reason: describeHold(hold, detail) }
  metrics.payouts.inc({ network, step: 'held' })
  log[code === 'PayoutImpossible' ? 'error' : 'warn'](fields, 'payout waits')
  if (await keepHold(database, id, new Date(now.getTime() + RECHECK_MS.rule))) return
  const isNew = await isNewHold(services, payout, hold)
  const held = await holdPayout(database, id, { hold, detail, now })
  if (code === 'WalletBlocked' && isNew) {
    metrics.alerts.inc()
    log.error({ ...fields, account }, 'a wallet is wedged: no node takes its next transaction')
  }
  if (code === 'ScreeningUnanswered' && held.id && held.openMs >= SILENCE_MS && (await raiseHold(database, held.id))) {
    metrics.alerts.inc()
    log.error(fields, 'the screening service does not answer: payouts wait')
  }
  // A process that has not read its wallet's history yet pays nothing at all. It tries soon, however long the payout waits.
  const waitMs = code === 'NotLooked' ? RETRY_MS.soon : backoff(Math.max(held.troubleMs, held.openMs))
  // Payouts that wait in the same queue for the same reason probably fail, too, so one try delays them all. They come
  // before this payout in the next round: each gets its turn, and a payable one does not wait behind an unpayable one.
  if (!payout.started && code !== 'PayoutImpossible') {
    const alike = await waitingAlike(database, payout, hold, MOST_ALIKE)
    await deferPayJobs(database, alike, laneOf(network, account), waitMs)
  }
  await addJob(database, { task: 'pay', payload: { payoutId: id }, lane: laneOf(network, account) }, { inMs: waitMs })
}

function backoff(lastedMs: number): number {
  const soon = Math.min(RETRY_MS.soon, Math.max(RETRY_MS.first, lastedMs))
  return Math.max(soon, Math.min(RETRY_MS.most, Math.floor(lastedMs / RETRY_PART)))
}

/** Gives up a payout of which nothing can be in flight. The update fails if a slot was allocated meanwhile. */
export async function giveUp(
  services: Services,
  payout: PayoutRow,
  { because, hold, detail }: Extract<PayoutStep, { step: 'give_up' }>,
): Promise<void> {
  const { id: payoutId, network, swap_id: swapId, kind, number, deposit_id: depositId } = payout
  const code = hold?.code === 'trouble' ? hold.error : because
  const fields = { network, payoutId, swapId, kind, code, reason: detail ?? because }
  // The last hold stays visible on the abandoned payout.
  if (hold) await holdPayout(services.database, payoutId, { hold, detail, now: services.now() })
  // Only the chain's own refusal counts against an address: a node that was down or an operator's rejection does not.
  const refused = because === 'impossible'
  if (isCall(payout)) await abandonCall(services, payout, code, fields.reason)
  else if (swapId)
    await applyEvent(services, swapId, {
      ...{ type: 'payout_abandoned', kind, depositId, number, refused },
      rejected: because === 'rejected',
    })
  else if (kind === 'return') await abandonReturn(services, payout)
  else if (kind === 'reward') await abandonReward(services, payout, because !== 'trouble')
  else if (kind === 'withdrawal') await abandonWithdrawal(services, payout)
  else await abandonSweep(services, payoutId)
  services.log.error(fields, 'payout given up')
}
