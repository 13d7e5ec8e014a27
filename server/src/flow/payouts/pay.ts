/**
 * The job of a payout. It first sends signed transactions of the same wallet that are not sent yet. Then it advances
 * the payout's own slot (its reserved nonce or UTXOs), or begins the payout. Jobs of one wallet run one at a time;
 * database constraints hold even if two run.
 */
import { type ChainAdapter, type Objection, type Outcome, PayoutImpossible, RetryLater } from '@causeway/core'
import type { Services } from '../../services.ts'
import { isQueryError } from '../../store/db/database.ts'
import { dropPayJobs } from '../../store/db/jobs.ts'
import { moveToPresent } from '../../store/ledger/treasuries.ts'
import { closePassedHolds } from '../../store/payouts/holds.ts'
import { readPayout } from '../../store/payouts/payouts.ts'
import { readReorged } from '../../store/payouts/reorged-payouts.ts'
import { liveSlot, type SlotRecord, takeUnsent } from '../../store/payouts/slot-records.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { mayPay, withoutSlot } from '../checks/gate.ts'
import { countAsMade } from '../landing/undo.ts'
import { attachRecorded, voidRecorded } from '../swap/match-recorded.ts'
import { advanceSlot, type Ended } from './execute.ts'
import { stepInSlot, stepWithoutSlot } from './machine.ts'
import { beginPayouts } from './plan.ts'
import { giveUp, settle } from './retry.ts'

/** Slots that one job resumes at most. */
const MOST_SLOTS = 25

/** Every payout job first resumes the unsent slots of its wallet. A failing slot is resumed at most once in this time. */
const TROUBLE_AGAIN_MS = 1_000

export async function pay(services: Services, payoutId: string): Promise<void> {
  const { database, chains } = services
  const [read, record] = await Promise.all([readPayout(database, payoutId), liveSlot(database, payoutId)])
  const payout = read && (await takeRecorded(services, read, record))
  if (!payout || payout.state === 'abandoned') return
  if (payout.held_by === 'undone') return settleReorged(services, payout)
  // A confirmed payout is only ever sent again in its own slot, if a reorg removed it.
  if (payout.state === 'confirmed' && record?.slot.state !== 'open') return
  const chain = chains.get(payout.network)
  try {
    if (chain) return await run(services, chain, payout, record)
    const step = await (record ? stepInSlot(services, chain, record) : stepWithoutSlot(services, chain, payout))
    if (step.step === 'wait' && step.hold) await settle(services, payout, step)
  } catch (error) {
    // The database failed, so nothing can be stored about the payout now: the queue runs the job again.
    if (isQueryError(error) || !(error instanceof Error)) throw error
    const { network, id, swap_id: swapId } = payout
    if (!(error instanceof RetryLater) && !(error instanceof PayoutImpossible))
      services.log.error({ network, payoutId: id, swapId, err: error }, 'a payout failed unexpectedly')
    await settle(services, payout, {
      step: 'wait',
      hold: { code: 'trouble', error: error.name },
      detail: error.message,
    })
  }
}

/** A reorged payout waits for an operator. Decided as paid, it is confirmed again. Approved, it is an ordinary payout. */
async function settleReorged(services: Services, payout: PayoutRow): Promise<void> {
  const wasPaid = (await readReorged(services.database, payout.id))?.wasPaid ?? false
  const step = await stepWithoutSlot(services, services.chains.get(payout.network), payout, { wasPaid })
  if (step.step === 'confirm') await countAsMade(services, payout)
}

/**
 * A payout that was restored from the journal: its swap takes it over if the swap exists. If it has no slot any more,
 * it is proven unpaid and is voided.
 */
async function takeRecorded(
  services: Services,
  payout: PayoutRow,
  record: SlotRecord | null,
): Promise<PayoutRow | null> {
  if (payout.kind !== 'recorded' || payout.held_by === 'undone') return payout
  if (payout.state === 'open' && !record) await voidRecorded(services, payout)
  else await attachRecorded(services, payout)
  return readPayout(services.database, payout.id)
}

async function run(
  services: Services,
  chain: ChainAdapter,
  payout: PayoutRow,
  record: SlotRecord | null,
): Promise<void> {
  const isSent = record?.attempts.some(({ sent_at }) => sent_at !== null) ?? false
  const resumed = await resume(services, chain, payout, isSent ? (record?.slot.id ?? null) : null)
  const ended = resumed ?? (record && (await advanceSlot(services, chain, record)))
  if (!ended) return start(services, chain, payout)
  if (ended.record) return settle(services, payout, ended.step)
  return start(services, chain, payout, { outcome: ended.outcome, objections: ended.objections.get(payout.id) ?? null })
}

/**
 * Advances the unsent slots of this wallet; with `before`, only those before that slot: on chains with nonces a gap
 * blocks all later ones. Returns the state of the payout's own slot, if it was among them.
 */
async function resume(
  services: Services,
  chain: ChainAdapter,
  own: PayoutRow,
  before: bigint | null,
): Promise<Ended | null> {
  const { ordering } = chain
  const now = services.now()
  const againAt = new Date(now.getTime() + TROUBLE_AGAIN_MS)
  const records = await takeUnsent(services.database, own, { limit: MOST_SLOTS, before, now, againAt })
  // Sorted by nonce, not by age: a nonce that was released and allocated again has a newer slot than the nonces after
  // it.
  if (ordering) records.sort((a, b) => Number(ordering.slotOrdinal(a.slot.parts) - ordering.slotOrdinal(b.slot.parts)))
  let ownEnd: Ended | null = null
  let isBlocked = false
  for (const record of records) {
    const isOwn = record.payouts.some(({ id }) => id === own.id)
    // A slot without a signature waits while an earlier slot is blocked: its transaction could not be mined.
    if (isBlocked && record.attempts.length === 0) {
      if (isOwn) ownEnd = { record, step: WAITING, outcome: null, objections: new Map() }
      continue
    }
    const ended = await advanceSlot(services, chain, record)
    if (isOwn) ownEnd = ended
    if (ordering && ended.record?.attempts.length === 0) isBlocked = true
    if (ended.record?.attempts.at(-1)?.sent_at) await dropJobs(services, record, own.id)
  }
  return ownEnd
}

const BLOCKED = { code: 'trouble', error: 'RetryLater' } as const
const WAITING = { step: 'wait', hold: BLOCKED, detail: 'nothing is signed in a slot before its own' } as const

/** Drops the jobs of the other payouts in this slot: their transaction is sent. */
async function dropJobs({ database }: Services, { payouts }: SlotRecord, own: string): Promise<void> {
  await dropPayJobs(
    database,
    payouts.map(({ id }) => id).filter((id) => id !== own),
  )
}

interface Carried {
  outcome: Outcome | null
  objections: readonly Objection[] | null
}

/** Begins a payout that has no slot. `carried`: why it lost its former slot. */
async function start(services: Services, chain: ChainAdapter, payout: PayoutRow, carried?: Carried): Promise<void> {
  const { database } = services
  let outcome = carried?.outcome ?? null
  let objections = carried?.objections ?? null
  if (!objections && !outcome) objections = await ask(services, chain, payout)
  let step = await stepWithoutSlot(services, chain, payout, { objections: objections ?? [], outcome })
  if (step.step === 'change_wallet') {
    const moved = await changeWallet(services, chain, payout)
    return moved ? start(services, chain, moved) : undefined
  }
  if (step.step === 'allocate') {
    if (payout.held_by === 'rule') await closePassedHolds(database, payout.id, services.now())
    const begun = await beginPayouts(services, chain, payout)
    if ('record' in begun && begun.record) return settle(services, payout, begun.step)
    outcome = begun.outcome
    if (!outcome) return
    step = await stepWithoutSlot(services, chain, payout, { outcome })
  }
  // The whole gate is asked before a payout is given up, because giving up refunds the swap.
  if (step.step === 'give_up' && step.because !== 'rejected') {
    objections = await ask(services, chain, payout, true)
    step = await stepWithoutSlot(services, chain, payout, { objections, outcome })
  }
  if (step.step === 'give_up') return giveUp(services, payout, step)
  if (step.step === 'hold' || step.step === 'wait') await settle(services, payout, step)
}

/** The payout at the present treasury; null if it ends here, or if other keys are the present ones. */
async function changeWallet({ database }: Services, chain: ChainAdapter, { id }: PayoutRow): Promise<PayoutRow | null> {
  await moveToPresent(database, chain.network.name, chain.treasury)
  const moved = await readPayout(database, id)
  return moved?.state === 'open' && moved.account === chain.treasury ? moved : null
}

async function ask(services: Services, chain: ChainAdapter, payout: PayoutRow, isLast = false): Promise<Objection[]> {
  return (await mayPay(services, chain, [withoutSlot(payout)], { isLast })).get(payout.id) ?? []
}
