/**
 * The only place that signs. It asks the gate; the signer signs and records the transaction in its journal; then the
 * bytes are stored. The maximum fee is stored with them: until the transaction is mined, the balance alarm allows for
 * that fee and no more.
 */
import { Bug, type ChainAdapter, type Order, type PreparedTransfer, type Purpose } from '@causeway/core'
import { SignerRefusal } from '../../keys/backends/refusal.ts'
import type { RecordedPayout } from '../../keys/journal/line.ts'
import type { OrderRefusal, SignRequest as OrderRequest } from '../../keys/orders/orders.ts'
import type { Services } from '../../services.ts'
import { readSettles, readSiblings } from '../../store/journal/settles.ts'
import { type AttemptRow, addAttempts, type NewAttempt } from '../../store/payouts/attempts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { inSlot, mayPayByRecord } from '../checks/gate.ts'
import { allocationOf } from '../journal/adopt-slot.ts'
import { PayoutOnHold } from '../lib/payout-on-hold.ts'
import { problemOf, tracePayouts } from '../lib/trace-payouts.ts'
import { reconcileRefusal } from './adopt.ts'

export interface SignRequest {
  record: SlotRecord
  order: Order
  draft: PreparedTransfer
  purpose: Purpose
}

export interface Signed {
  attempts: Map<bigint, AttemptRow>
  /** Why a slot was not signed. A slot in neither map was not tried. */
  failures: Map<bigint, unknown>
}

/**
 * Signs in the given sequence and stores all attempts in one commit. On chains with nonces it stops at the first slot
 * that cannot be signed.
 */
export async function signAll(
  services: Services,
  chain: ChainAdapter,
  requests: readonly SignRequest[],
): Promise<Signed> {
  const { database, metrics } = services
  const signed: NewAttempt[] = []
  const failures = new Map<bigint, unknown>()
  for (const request of requests) {
    const { slot, payouts, attempts } = request.record
    const from = services.now()
    const span = {
      name: request.purpose === 'cancel' ? 'cancellation signed' : 'payout signed',
      attempt: attempts.length,
    }
    try {
      await requireNoObjection(services, request.record, request.purpose)
      signed.push(await signOrder(services, request))
      tracePayouts(services, payouts, { ...span, from })
    } catch (error) {
      tracePayouts(services, payouts, { ...span, from, problem: problemOf(error) })
      failures.set(slot.id, error)
      if (chain.ordering) break
    }
  }
  const stored = signed.length > 0 ? await addAttempts(database, signed, services.now()) : []
  const { name: network } = chain.network
  if (stored.length > 0) metrics.payouts.inc({ network, step: 'signed' }, stored.length)
  const replaced = stored.filter(({ number }) => number > 0).length
  if (replaced > 0) metrics.payouts.inc({ network, step: 'replaced' }, replaced)
  return { attempts: new Map(stored.map((attempt) => [attempt.slot_id, attempt])), failures }
}

async function requireNoObjection(services: Services, record: SlotRecord, purpose: Purpose): Promise<void> {
  const objections = await mayPayByRecord(services, services.database, inSlot(record), purpose)
  const [first] = [...objections.values()].flat()
  if (first) throw new PayoutOnHold(first.hold)
}

/** How often a refusal that the database can explain is repeated with that explanation. */
const MOST_TRIES = 3

async function signOrder(services: Services, { record, order, draft, purpose }: SignRequest): Promise<NewAttempt> {
  const { signing, database } = services
  const { slot, attempts } = record
  if (!signing.orders) throw new Bug('this process does not sign', { slot: slot.parts.join(' ') })
  // A cancellation pays no recipient and settles nothing.
  const paid = purpose === 'cancel' ? [] : record.payouts
  const [known, payouts] = await Promise.all([readSiblings(database, paid), describe(services, paid, order)])
  const request: OrderRequest = {
    ...{ database: signing.database, network: slot.network, order, slot: slot.parts, draft, purpose, known },
    allocation: allocationOf(slot),
    attempt: attempts.length,
    payouts,
    writer: [signing.writer, Number(signing.seen)],
  }
  let refusal: OrderRefusal | null = null
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const answer = await signing.orders.sign(request)
    if (answer.is === 'signed') {
      const { attempt: number, transfer, line } = answer.record
      return { slotId: slot.id, number, transfer, cancels: answer.record.purpose === 'cancel', line }
    }
    refusal = answer.refusal
    known.push(...(await reconcileRefusal(services, slot, refusal)))
  }
  throw new SignerRefusal(`the journal has another record: ${refusal?.code}`)
}

async function describe(
  { database }: Services,
  payouts: readonly PayoutRow[],
  order: Order,
): Promise<RecordedPayout[]> {
  const settles = await readSettles(database, payouts)
  return payouts.map(({ id, kind, swap_id, number, token, units, to_address, campaign, period }) => ({
    ...{ id, kind, swap: swap_id, number, token, units: units.toString(), to: to_address },
    ...(campaign === null || period === null ? {} : { campaign, period }),
    ...(order.kind === 'sweep'
      ? { sources: order.sources.map(({ address, index, branch }) => ({ address, index, branch })) }
      : {}),
    settles: settles.get(id) ?? [],
  }))
}
