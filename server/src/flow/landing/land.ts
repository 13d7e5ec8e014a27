/**
 * Follows sent payouts on chain. All attempts (signed transactions) of an open slot are judged together. The verdict
 * settles the slot, or queues a job that sends or signs again. Runs on every new head, under the network's lease.
 */
import {
  Bug,
  type ChainAdapter,
  confirmationsFor,
  type InvalidationProof,
  networkFeePaid,
  nextStep,
  RetryLater,
  type TransferStatus,
  toUsd,
  type Verdict,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { hastenJob, laneOf } from '../../store/db/jobs.ts'
import { recordSwept } from '../../store/deposits/sweeps.ts'
import { type AttemptRow, findSigned } from '../../store/payouts/attempts.ts'
import { type Landing, recordLanding } from '../../store/payouts/payouts.ts'
import { holdReorged } from '../../store/payouts/reorged-payouts.ts'
import { lockOpenSlot, openSlots, payoutInOpenSlot, type SlotRecord } from '../../store/payouts/slot-records.ts'
import { freePayouts, type SlotRow, settleSlot } from '../../store/payouts/slots.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import { lockSwapRows, type PayoutRow } from '../../store/swaps/swaps.ts'
import { adoptSlot } from '../journal/adopt-slot.ts'
import { closeInJournal } from '../journal/close-slot.ts'
import { receivedBy } from '../kinds/leg.ts'
import { readSwept } from '../kinds/swept.ts'
import { tracePayouts } from '../lib/trace-payouts.ts'
import { closePayout } from './complete.ts'
import { undoPayout } from './undo.ts'
import { attemptViews, payoutView, plainFacts, slotView } from './views.ts'

/** Slots checked per round, oldest first, since nonces are mined in order. */
const BATCH = 200
/** A node may need a moment to show a transaction that it was sent. */
const RESEND_AFTER_MS = 5_000

/** `replacedFrom`: the first block that a reorg replaced. */
export async function landPayouts(
  services: Services,
  chain: ChainAdapter,
  head: bigint,
  replacedFrom: bigint | null,
): Promise<void> {
  const finalBelow = head - BigInt(chain.network.finalDepth) + 1n
  const slots = await openSlots(services.database, chain.network.name, { finalBelow, replacedFrom, limit: BATCH })
  const first = firstOfEach(slots)
  const ended = await Promise.allSettled(slots.map((slot) => landSlot(services, chain, slot, first.has(slot))))
  report(services, chain, slots, ended)
}

/** The oldest open slot of each account. With account nonces it blocks all later slots, so it is resent first. */
function firstOfEach(slots: readonly SlotRecord[]): Set<SlotRecord> {
  const waiting = slots.filter(({ payouts }) => payouts.some(({ state }) => state === 'open'))
  const oldest = new Map(waiting.toReversed().map((record) => [record.slot.account, record]))
  return new Set(oldest.values())
}

/**
 * A slot that cannot be judged does not affect the others. The round fails only if all slots failed for temporary
 * reasons.
 */
function report(
  { log, metrics }: Services,
  chain: ChainAdapter,
  slots: readonly SlotRecord[],
  ended: readonly PromiseSettledResult<void>[],
): void {
  const failures = ended.flatMap((one, position) =>
    one.status === 'rejected' ? [{ reason: one.reason as unknown, slot: slots[position]?.slot.parts }] : [],
  )
  const [first] = failures
  if (!first) return
  const troubles = failures.filter(({ reason }) => !(reason instanceof RetryLater))
  for (const { reason, slot } of troubles) {
    metrics.alerts.inc()
    log.error({ network: chain.network.name, slot, err: reason }, 'a slot could not be judged')
  }
  if (failures.length === slots.length && troubles.length === 0) throw first.reason
}

async function landSlot(services: Services, chain: ChainAdapter, record: SlotRecord, isFirst: boolean): Promise<void> {
  const { slot, attempts, payouts } = record
  const last = attempts.at(-1)
  const sinceSentMs = services.now().getTime() - (last?.sent_at ?? last?.created_at ?? slot.created_at).getTime()
  const statuses = await Promise.all(
    attempts.map(({ hash }) =>
      chain.status({ hash, slot: slot.parts, account: slot.account }, (before) =>
        findSigned(services.database, chain.network.name, before),
      ),
    ),
  )
  const facts = plainFacts(services, chain, slot.account)
  const policy = { ...facts.policy, confirmations: confirmationsWanted(services, chain, payouts) }
  const view = slotView(services, record)
  const step = nextStep(view, payouts.map(payoutView), attemptViews(attempts, statuses), { ...facts, policy })
  if (step.step === 'confirm' && step.verdict) return count(services, chain, record, step.verdict, statuses)
  if (step.step === 'unpaid') {
    const { verdict } = step
    // A rolled-back database lacks attempts, and one of them may have paid. Attempts that only the journal has are
    // stored first, and the slot is judged in the next round.
    if (services.signing.stopped !== null || (await adoptSlot(services, slot)) > 0) return
    await services.database.transaction().execute(async (queries) => {
      await lockSwapRows(
        queries,
        payouts.flatMap(({ swap_id }) => swap_id ?? []),
      )
      const fresh = await lockOpenSlot(queries, slot.id)
      // An attempt was added while the chain was asked. That attempt may have consumed the slot, so nothing is proven.
      if (fresh?.attempts.length !== attempts.length) return
      await fail(services, queries, chain, fresh, verdict, proofOf(verdict, attempts, statuses))
    })
    await closeInJournal(services, slot.id)
    return
  }
  // All other steps sign or send, which only the wallet's jobs do.
  const isWaiting = step.step === 'wait' || step.step === 'hold'
  if (!isWaiting && sinceSentMs >= RESEND_AFTER_MS) await askLane(services.database, payouts, isFirst)
}

/**
 * The transaction was mined. Each payout is confirmed at the depth that its value needs, in its own commit, so that a
 * crash does not repeat a long batch. The slot is settled once the block is final.
 */
async function count(
  services: Services,
  chain: ChainAdapter,
  { slot, payouts, attempts }: SlotRecord,
  verdict: Extract<Verdict, { step: 'confirmed' }>,
  statuses: readonly TransferStatus[],
): Promise<void> {
  const at = attempts.findIndex(({ hash }) => hash === verdict.hash)
  const [attempt, landed] = [attempts[at], statuses[at]]
  if (!attempt || landed?.state !== 'included') return
  const landing = {
    hash: verdict.hash,
    block: landed.block.number,
    feeUnits: verdict.feeUnits / BigInt(payouts.length),
  }
  // Payouts that are already confirmed in this block need nothing more: a long batch is settled by one commit.
  const isNew = ({ state, tx_hash, block_number }: PayoutRow) =>
    state === 'open' || tx_hash !== landing.hash || block_number !== landing.block
  await Promise.all(payouts.filter(isNew).map((payout) => countPayout(services, chain, slot, payout, landing, attempt)))
  // Until the block is final, a reorg may replace this attempt by another one with another fee.
  if (landed.confirmations < chain.network.finalDepth) return
  await services.database.transaction().execute(async (queries) => {
    const isOurs = await settleSlot(queries, slot.id, 'landed')
    if (isOurs) await payFee(queries, chain, slot, payouts, verdict)
  })
  await closeInJournal(services, slot.id)
}

async function countPayout(
  services: Services,
  chain: ChainAdapter,
  { id: slotId, network, parts }: SlotRow,
  seen: PayoutRow,
  landing: Landing,
  attempt: AttemptRow,
): Promise<void> {
  const { id, swap_id: swapId } = seen
  const moved = seen.state === 'open' ? await readSwept(services, seen, attempt) : null
  const receivedUnits = await receivedBy(services, chain, seen, landing.hash)
  const hasCounted = await services.database.transaction().execute(async (queries) => {
    await lockSwapRows(queries, swapId ? [swapId] : [])
    const payout = await payoutInOpenSlot(queries, slotId, id)
    if (!payout) return false
    await recordLanding(queries, id, { ...landing, receivedUnits })
    if (payout.state !== 'open') return false
    const landed = { ...payout, block_number: landing.block, received_units: receivedUnits }
    if (moved) await recordSwept(queries, id, moved)
    await closePayout(services, queries, landed)
    return true
  })
  if (!hasCounted) return
  services.metrics.payouts.inc({ network, step: 'confirmed' })
  tracePayouts(services, [seen], { name: 'payout confirmed', from: seen.sent_at ?? seen.created_at })
  services.log.info({ network, slot: parts, payoutId: id, swapId, hash: landing.hash }, 'payout confirmed')
}

type Failure = Extract<Verdict, { step: 'reverted' | 'cancelled' | 'dead' }>

/** The evidence for an operator. A transaction that was mined and failed has itself consumed the slot. */
function proofOf(
  verdict: Failure,
  attempts: readonly { hash: string }[],
  statuses: readonly TransferStatus[],
): InvalidationProof {
  if (verdict.step !== 'reverted') return verdict.evidence
  const landed = statuses[attempts.findIndex(({ hash }) => hash === verdict.hash)]
  if (landed?.state !== 'reverted') throw new Bug('a verdict on nothing', { hash: verdict.hash })
  const reason = `${verdict.hash} is in block ${landed.block.number}, which is final, and failed there`
  return { usedBy: verdict.hash, block: landed.block, reason }
}

/**
 * Settles the slot as unpaid, which is certain at final depth: its payouts may get another slot. Payouts that were
 * confirmed before wait for an operator.
 */
async function fail(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  { slot, payouts, attempts }: SlotRecord,
  verdict: Failure,
  evidence: InvalidationProof,
): Promise<void> {
  const { log, metrics } = services
  const network = chain.network.name
  const isDead = verdict.step === 'dead'
  await settleSlot(queries, slot.id, isDead ? 'dead' : 'landed', evidence)
  metrics.payouts.inc({ network, step: verdict.step }, payouts.length)
  const fields = { network, slot: slot.parts, payouts: payouts.map(({ id }) => id), evidence: evidence.reason }
  if (isDead) log.error(fields, 'a slot was used by a transaction that is not ours')
  else if (verdict.step === 'cancelled') log.warn({ ...fields, hash: verdict.hash }, 'a slot was cancelled')
  else {
    metrics.alerts.inc()
    log.error({ ...fields, hash: verdict.hash }, 'a payout was refused by the chain')
  }
  if (!isDead) await payFee(queries, chain, slot, payouts, verdict)
  const counted = payouts.filter(({ state }) => state === 'confirmed')
  for (const payout of counted) await undoPayout(services, queries, payout)
  // A failure is the recipient's fault only if the transaction has one payout and the chain runs the recipient's code.
  // An exchange fails because of its pool.
  const isTheirs =
    verdict.step === 'reverted' && payouts.length === 1 && chain.recipientGas !== undefined && !payouts[0]?.leg
  const failedAt = isTheirs ? services.now() : null
  // If only a cancellation was signed, no recipient refused a payment.
  const wasSigned = attempts.some(({ cancels }) => !cancels)
  await freePayouts(queries, slot.id, { refused: !isDead && wasSigned, failedAt })
  for (const payout of counted) await holdReorged(queries, payout, evidence, services.now())
  await askLane(
    queries,
    payouts.filter((payout) => !counted.includes(payout)),
  )
}

async function payFee(
  queries: Queries,
  chain: ChainAdapter,
  slot: SlotRow,
  payouts: PayoutRow[],
  { feeUnits, block }: { feeUnits: bigint; block: bigint },
): Promise<void> {
  const fee = networkFeePaid(slot.account, chain.network.nativeToken, feeUnits)
  await insertPosting(queries, fee, payouts[0]?.swap_id ?? null, block)
}

async function askLane(queries: Queries, payouts: PayoutRow[], isFirst = false): Promise<void> {
  for (const { id, network, account } of payouts) {
    await hastenJob(queries, id, laneOf(network, account), isFirst ? 'first' : 'in turn')
  }
}

/**
 * The most valuable payout of a slot decides its required confirmations. Our own sweeps are booked only when final: no
 * user waits for them. So are sales: if a reorg mines one again, either moves another amount. Of those that a restore
 * replayed, sweeps have no units.
 */
function confirmationsWanted(services: Services, chain: ChainAdapter, payouts: PayoutRow[]): number {
  const mayMoveMore = ({ kind, leg, units }: PayoutRow) =>
    kind === 'sweep' || kind === 'sale' || (kind === 'recorded' && (leg !== null || units === 0n))
  if (payouts.some(mayMoveMore)) return chain.network.finalDepth
  const worth = payouts.map(({ network, token, units }) => {
    const listed = services.catalogue.token(network, token)
    const price = services.market.price(listed)
    return price === null ? Number.POSITIVE_INFINITY : Number(toUsd(units, listed, price, 'up')) / 1e18
  })
  return confirmationsFor(chain.network, Math.max(0, ...worth))
}
