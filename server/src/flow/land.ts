/**
 * What became of sent payouts. All attempts of an open slot are judged together; the verdict settles the slot, or asks
 * the lane to send or sign once more. Runs on every new head, under the network's lease.
 */
import {
  type AttemptStatus,
  type ChainAdapter,
  confirmationsFor,
  judge,
  networkFeePaid,
  type PayoutKind,
  swept,
  toUsd,
  type Verdict,
} from '@causeway/core'
import { chainOf } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import type { Queries } from '../store/database.ts'
import { addJob, laneOf } from '../store/jobs.ts'
import { ledgerUnits } from '../store/ledger.ts'
import { closeSweep, type Landing, recordLanding } from '../store/payouts.ts'
import { insertPosting } from '../store/progress.ts'
import { lockOpenSlot, openSlots, payoutInOpenSlot, type SlotRecord } from '../store/slotrecords.ts'
import { freePayouts, type SlotRow, settleSlot } from '../store/slots.ts'
import { lockSwapRows, type PayoutRow } from '../store/swaps.ts'
import {
  addSources,
  type LaterDeposit,
  laterDeposits,
  releaseSources,
  sweptSources,
  unbookedUnits,
} from '../store/sweeps.ts'
import { applyWithin } from './advance.ts'
import { closeReward, undoReward } from './disburse.ts'
import { completeCall, isCall } from './relay.ts'
import { closeReturn } from './resolve.ts'

/** Slots looked at in one round; nonces land in order, so the oldest come first. */
const BATCH = 200
/** A node may take a moment to show what it was sent. */
const RESEND_AFTER_MS = 5_000

/** `shakenFrom`: blocks from there on were replaced. */
export async function landPayouts(
  services: Services,
  chain: ChainAdapter,
  head: bigint,
  shakenFrom: bigint | null,
): Promise<void> {
  const finalBelow = head - BigInt(chain.network.finalDepth) + 1n
  const slots = await openSlots(services.database, chain.network.name, { finalBelow, shakenFrom, limit: BATCH })
  await Promise.all(slots.map((slot) => landSlot(services, chain, slot)))
}

async function landSlot(services: Services, chain: ChainAdapter, record: SlotRecord): Promise<void> {
  const { slot, attempts, payouts } = record
  const last = attempts.at(-1)
  const sinceSentMs = services.now().getTime() - (last?.sent_at ?? last?.created_at ?? slot.created_at).getTime()
  if (!last) {
    if (sinceSentMs > RESEND_AFTER_MS) await askLane(services.database, payouts)
    return
  }
  const statuses: AttemptStatus[] = await Promise.all(
    attempts.map(async ({ hash }) => ({
      hash,
      status: await chain.status({ hash, slot: slot.parts, account: slot.account }),
    })),
  )
  const verdict = judge(statuses, {
    confirmations: confirmationsWanted(services, chain, payouts),
    finalDepth: chain.network.finalDepth,
    sinceSentMs,
    stuckAfterMs: chain.network.stuckAfterMs ?? services.config.STUCK_AFTER_SECONDS,
  })
  if (verdict.step === 'wait' || (verdict.step === 'resend' && sinceSentMs < RESEND_AFTER_MS)) return
  if (verdict.step === 'resend' || verdict.step === 'replace') return askLane(services.database, payouts)
  if (verdict.step === 'confirmed') return count(services, chain, record, verdict, statuses)
  await services.database.transaction().execute(async (queries) => {
    await lockSwapRows(
      queries,
      payouts.flatMap(({ swap_id }) => swap_id ?? []),
    )
    const fresh = await lockOpenSlot(queries, slot.id)
    // An attempt that was added while the chain was asked may be the one that used the slot: nothing is proven then.
    if (fresh?.attempts.length === attempts.length) await fail(services, queries, chain, fresh, verdict)
  })
}

/**
 * It was made. The payouts count at the depth that their worth wants, each in a commit of its own, so that a long batch does
 * not begin anew after every crash; the slot is settled once that is final.
 */
async function count(
  services: Services,
  chain: ChainAdapter,
  { slot, payouts }: SlotRecord,
  verdict: Extract<Verdict, { step: 'confirmed' }>,
  statuses: AttemptStatus[],
): Promise<void> {
  const landed = statuses.find(({ hash }) => hash === verdict.hash)?.status
  if (landed?.state !== 'included') return
  const landing = {
    hash: verdict.hash,
    block: landed.block.number,
    feeUnits: verdict.feeUnits / BigInt(payouts.length),
  }
  // What counted where it stands now needs nothing more: a long batch is settled by one commit.
  const isNew = ({ state, tx_hash, block_number }: PayoutRow) =>
    state === 'open' || tx_hash !== landing.hash || block_number !== landing.block
  await Promise.all(payouts.filter(isNew).map((payout) => countPayout(services, slot, payout, landing)))
  // Until then another attempt may take its place, with another fee.
  if (landed.confirmations < chain.network.finalDepth) return
  await services.database.transaction().execute(async (queries) => {
    const isOurs = await settleSlot(queries, slot.id, 'landed')
    if (isOurs) await payFee(queries, chain, slot, payouts, verdict.feeUnits)
  })
}

async function countPayout(
  services: Services,
  { id: slotId, network, parts }: SlotRow,
  { id, swap_id: swapId }: PayoutRow,
  landing: Landing,
): Promise<void> {
  const hasCounted = await services.database.transaction().execute(async (queries) => {
    await lockSwapRows(queries, swapId ? [swapId] : [])
    const payout = await payoutInOpenSlot(queries, slotId, id)
    if (!payout) return false
    await recordLanding(queries, id, landing)
    if (payout.state !== 'open') return false
    await closePayout(services, queries, payout)
    return true
  })
  if (!hasCounted) return
  services.metrics.payouts.inc({ network, step: 'confirmed' })
  services.log.info({ network, slot: parts, payoutId: id, swapId, hash: landing.hash }, 'payout confirmed')
}

/** It was not made, and at final depth that is certain: the payouts may have another slot. */
async function fail(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  { slot, payouts }: SlotRecord,
  verdict: Extract<Verdict, { step: 'reverted' | 'dead' }>,
): Promise<void> {
  const { log, metrics } = services
  const network = chain.network.name
  const isDead = verdict.step === 'dead'
  await settleSlot(queries, slot.id, isDead ? 'dead' : 'landed')
  metrics.payouts.inc({ network, step: verdict.step }, payouts.length)
  const fields = { network, slot: slot.parts, payouts: payouts.map(({ id }) => id) }
  if (isDead) log.error(fields, 'a slot was used by a transaction that is not ours')
  else log.error({ ...fields, hash: verdict.hash }, 'a payout was refused by the chain')
  if (!isDead) await payFee(queries, chain, slot, payouts, verdict.feeUnits)
  for (const payout of payouts) if (payout.state === 'confirmed') await undoPayout(services, queries, payout)
  await freePayouts(queries, slot.id, !isDead)
  await askLane(queries, payouts)
}

async function payFee(
  queries: Queries,
  chain: ChainAdapter,
  slot: SlotRow,
  payouts: PayoutRow[],
  feeUnits: bigint,
): Promise<void> {
  const fee = networkFeePaid(slot.account, chain.network.nativeToken, feeUnits)
  await insertPosting(queries, fee, payouts[0]?.swap_id ?? null)
}

/** It counted at the depth of its tier, and a reorg went deeper. */
async function undoPayout(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  const { kind, deposit_id: depositId, account: from, swap_id: swapId } = payout
  if (swapId) {
    await applyWithin(services, queries, swapId, { type: 'payout_undone', kind: kind as PayoutKind, depositId, from })
    return
  }
  if (kind === 'reward') await undoReward(services, queries, payout)
  services.metrics.alerts.inc()
  services.log.error({ payoutId: payout.id, kind }, 'a transfer that had counted was not made')
}

export async function closePayout(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  if (isCall(payout)) return completeCall(services, queries, payout)
  if (payout.swap_id) {
    const { kind, deposit_id: depositId, account: from } = payout
    await applyWithin(services, queries, payout.swap_id, {
      type: 'payout_confirmed',
      kind: kind as PayoutKind,
      depositId,
      from,
    })
    return
  }
  if (payout.kind === 'return') await closeReturn(services, queries, payout)
  else if (payout.kind === 'reward') await closeReward(services, queries, payout)
  else await closeSweptAddresses(services, queries, payout)
}

/**
 * Books what left each address: what should lie there by the books and the deposits not booked yet, less what does. A sweep
 * takes all that it finds, also what came after it was ordered; an address that refused still holds everything, and waits
 * for the next one.
 */
async function closeSweptAddresses(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  const chain = chainOf(services.chains, payout.network)
  const token = services.catalogue.token(payout.network, payout.token)
  for (const { address } of await sweptSources(queries, payout.id)) {
    const { units: left } = await chain.balance(address, token)
    const later = await laterDeposits(queries, token, address)
    const moved = (await ledgerUnits(queries, address, token)) + (await unbookedUnits(queries, token, address)) - left
    if (moved <= 0n) {
      await releaseSources(queries, payout.id, address)
      continue
    }
    await addSources(queries, payout.id, goneAlong(later, left))
    await insertPosting(queries, swept(address, payout.to_address, token, moved), null)
  }
  await closeSweep(queries, payout.id, 'confirmed', services.now())
}

/** The oldest ones, which are no longer covered by what is left. */
function goneAlong(later: LaterDeposit[], left: bigint): LaterDeposit[] {
  let covered = 0n
  const stayed = new Set<LaterDeposit>()
  for (const deposit of later.toReversed()) {
    if (covered + deposit.units > left) break
    covered += deposit.units
    stayed.add(deposit)
  }
  return later.filter((deposit) => !stayed.has(deposit))
}

/** Gives up a sweep: its coins lie where they were. */
export async function abandonSweep(services: Services, payoutId: string): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    await releaseSources(queries, payoutId)
    await closeSweep(queries, payoutId, 'abandoned', services.now())
  })
}

async function askLane(queries: Queries, payouts: PayoutRow[]): Promise<void> {
  const first = payouts[0]
  if (!first) return
  for (const payout of payouts) {
    await addJob(queries, {
      task: 'pay',
      payload: { payoutId: payout.id },
      lane: laneOf(first.network, first.account),
    })
  }
}

/** The dearest payout of a slot decides how deep it must lie. Nobody waits for our own sweeps: they are booked when final. */
function confirmationsWanted(services: Services, chain: ChainAdapter, payouts: PayoutRow[]): number {
  if (payouts.some(({ kind }) => kind === 'sweep')) return chain.network.finalDepth
  const worth = payouts.map(({ network, token, units }) => {
    const listed = services.catalogue.token(network, token)
    const price = services.market.price(listed)
    return price === null ? Number.POSITIVE_INFINITY : Number(toUsd(units, listed, price, 'up')) / 1e18
  })
  return confirmationsFor(chain.network, Math.max(0, ...worth))
}
