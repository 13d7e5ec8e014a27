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
import { chainOf } from '../chains.ts'
import type { Services } from '../services.ts'
import type { Queries } from '../store/database.ts'
import { addJob, laneOf } from '../store/jobs.ts'
import { closeSweep, recordLanding } from '../store/payouts.ts'
import { insertPosting } from '../store/progress.ts'
import { freePayouts, openSlots, type SlotRecord, settleSlot } from '../store/slots.ts'
import { lockSwapRows, type PayoutRow } from '../store/swaps.ts'
import { releaseSources, sweptSources } from '../store/sweeps.ts'
import { applyWithin } from './advance.ts'
import { completeCall, isCall } from './relay.ts'
import { closeReturn } from './resolve.ts'

/** Slots looked at in one round; nonces land in order, so the oldest come first. */
const BATCH = 200
/** A node may take a moment to show what it was sent. */
const RESEND_AFTER_MS = 5_000

export async function landPayouts(services: Services, chain: ChainAdapter): Promise<void> {
  const slots = await openSlots(services.database, chain.network.name, BATCH)
  await Promise.all(slots.map((slot) => landSlot(services, chain, slot)))
}

async function landSlot(services: Services, chain: ChainAdapter, record: SlotRecord): Promise<void> {
  const { slot, attempts, payouts } = record
  const last = attempts.at(-1)
  const sinceSentMs = services.now().getTime() - (last?.sent_at ?? last?.created_at ?? slot.created_at).getTime()
  if (!last) {
    if (sinceSentMs > RESEND_AFTER_MS) await askLane(services, services.database, payouts)
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
  if (verdict.step === 'resend' || verdict.step === 'replace') return askLane(services, services.database, payouts)
  await services.database
    .transaction()
    .execute((queries) => settle(services, queries, chain, record, verdict, statuses))
}

async function settle(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  { slot, payouts }: SlotRecord,
  verdict: Extract<Verdict, { step: 'confirmed' | 'reverted' | 'dead' }>,
  statuses: AttemptStatus[],
): Promise<void> {
  const { log, metrics } = services
  const network = chain.network.name
  await lockSwapRows(
    queries,
    payouts.flatMap(({ swap_id }) => swap_id ?? []),
  )
  if (!(await settleSlot(queries, slot.id, verdict.step === 'dead' ? 'dead' : 'landed'))) return
  metrics.payouts.inc({ network, step: verdict.step }, payouts.length)
  const fields = { network, slot: slot.parts, payouts: payouts.map(({ id }) => id) }
  if (verdict.step === 'dead') {
    log.error(fields, 'a slot was used by a transaction that is not ours')
    await freePayouts(queries, slot.id, false)
    return askLane(services, queries, payouts)
  }
  await insertPosting(
    queries,
    networkFeePaid(slot.account, chain.network.nativeToken, verdict.feeUnits),
    payouts[0]?.swap_id ?? null,
  )
  if (verdict.step === 'reverted') {
    log.error({ ...fields, hash: verdict.hash }, 'a payout was refused by the chain')
    await freePayouts(queries, slot.id, true)
    return askLane(services, queries, payouts)
  }
  const landed = statuses.find(({ hash }) => hash === verdict.hash)?.status
  const block = landed?.state === 'included' ? landed.block.number : 0n
  const feeUnits = verdict.feeUnits / BigInt(payouts.length)
  for (const payout of payouts) {
    await recordLanding(queries, payout.id, { hash: verdict.hash, block, feeUnits })
    await closePayout(services, queries, payout)
  }
  log.info({ ...fields, hash: verdict.hash }, 'payout confirmed')
}

async function closePayout(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
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
  else await closeSweptAddresses(services, queries, payout)
}

/** One address of a sweep may refuse while the rest goes through: what still lies there waits for the next sweep. */
async function closeSweptAddresses(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  const chain = chainOf(services.chains, payout.network)
  const token = services.catalogue.token(payout.network, payout.token)
  for (const { address, units } of await sweptSources(queries, payout.id)) {
    const left = await chain.balance(address, token)
    if (left.units >= units) await releaseSources(queries, payout.id, address)
    else await insertPosting(queries, swept(address, payout.to_address, token, units), null)
  }
  await closeSweep(queries, payout.id, 'confirmed', services.now())
}

/** Gives up a sweep: its coins lie where they were. */
export async function abandonSweep(services: Services, payoutId: string): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    await releaseSources(queries, payoutId)
    await closeSweep(queries, payoutId, 'abandoned', services.now())
  })
}

async function askLane(services: Services, queries: Queries, payouts: PayoutRow[]): Promise<void> {
  const first = payouts[0]
  if (!first) return
  for (const payout of payouts) {
    await addJob(
      queries,
      { task: 'pay', payload: { payoutId: payout.id }, lane: laneOf(first.network, first.account) },
      services.now(),
    )
  }
}

/** The dearest payout of a slot decides how deep it must lie. */
function confirmationsWanted(services: Services, chain: ChainAdapter, payouts: PayoutRow[]): number {
  const worth = payouts.map(({ network, token, units }) => {
    const listed = services.catalogue.token(network, token)
    const price = services.market.price(listed)
    return price === null ? Number.POSITIVE_INFINITY : Number(toUsd(units, listed, price, 'up')) / 1e18
  })
  return confirmationsFor(chain.network, Math.max(0, ...worth))
}
