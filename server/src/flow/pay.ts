/**
 * Sign, store, send. A payout is put into a slot that is stored first, then signed, and the bytes are stored before they
 * are sent; after a crash at any point the same slot and the same bytes are taken up again. Runs in the lane of the
 * signing account, one at a time; the constraints of the store hold even where two run at once.
 */
import {
  type ChainAdapter,
  type Draft,
  type Order,
  type PayoutKind,
  RetryLater,
  type SignedTransfer,
  SlotGone,
  Unpayable,
} from '@causeway/core'
import { chainOf } from '../chains.ts'
import { SignerRefusal } from '../keys/refusal.ts'
import type { Services } from '../services.ts'
import { addJob, laneOf } from '../store/jobs.ts'
import { holdPayout, readPayout, releaseHold, waitingBeside } from '../store/payouts.ts'
import {
  type AttemptRow,
  addAttempt,
  allocateSlot,
  liveSlot,
  markSent,
  releaseUnsigned,
  type SlotRecord,
  takeFence,
  takenSlots,
} from '../store/slots.ts'
import type { PayoutRow } from '../store/swaps.ts'
import { sweptSources } from '../store/sweeps.ts'
import { announceSwap } from '../store/webhooks.ts'
import { applyEvent } from './advance.ts'
import { checkPayout, Held } from './guard.ts'
import { abandonSweep } from './land.ts'
import { abandonCall, callOrder, checkRelay, isCall } from './relay.ts'
import { abandonReturn } from './resolve.ts'

/** How soon something that failed for a passing reason is tried again. */
const RETRY_MS = 2_000
/** Sending the same bytes again sooner than this tells a node nothing new. */
const RESEND_AFTER_MS = 4_000
/** How soon something that a rule holds is looked at again. */
const HELD_RETRY_MS = 5_000
/** A payout that landed and reverted this often is not tried again. */
const MAX_REVERTS = 2

/** A person said no: it is given up at once. */
class Rejected extends Unpayable {
  override name = 'Rejected'
}

export async function pay(services: Services, payoutId: string): Promise<void> {
  const payout = await readPayout(services.database, payoutId)
  if (!payout || payout.state === 'abandoned') return
  try {
    const chain = chainOf(services.chains, payout.network)
    const standing = await liveSlot(services.database, payoutId)
    // What counts already is only ever sent again, in its own slot, where a reorg threw it out.
    if (payout.state === 'confirmed' && standing?.slot.state !== 'open') return
    if (standing) await continueSlot(services, chain, standing)
    else await startSlot(services, chain, payout)
  } catch (error) {
    await postpone(services, payout, error)
  }
}

async function startSlot(services: Services, chain: ChainAdapter, payout: PayoutRow): Promise<void> {
  const { database } = services
  const { network, account } = payout
  if (payout.rejected_at) throw new Rejected('an operator has rejected it')
  await checkRelay(services, payout)
  await checkPayout(services, payout)
  if (payout.reverts >= MAX_REVERTS) throw new Unpayable('the chain refused it again and again')
  const fence = await takeFence(database, network, account)
  const payouts = [payout, ...(await companions(services, chain, payout))]
  const { order, draft } = await prepareTogether(services, chain, payouts)
  const parts = await chain.nextSlot(order, draft, await takenSlots(database, network, account))
  const payoutIds = payouts.map(({ id }) => id)
  const slot = await allocateSlot(database, { network, account, fence, parts, payoutIds })
  await signAndSend(services, chain, { slot, payouts, attempts: [] }, order, draft)
}

/** Other payouts that wait for the same wallet, where one transaction can pay several at once. */
async function companions(services: Services, chain: ChainAdapter, payout: PayoutRow): Promise<PayoutRow[]> {
  if (!chain.batch || payout.kind === 'sweep' || isCall(payout)) return []
  const found: PayoutRow[] = []
  for (const other of await waitingBeside(services.database, payout, chain.batch.maxTransfers - 1)) {
    const isFree = await checkPayout(services, other).then(
      () => true,
      () => false,
    )
    if (isFree && !other.rejected_at && other.reverts === 0) found.push(other)
  }
  return found
}

/** One that cannot be paid must not hold the others: then `payouts` shrinks to the first, which is told why. */
async function prepareTogether(
  services: Services,
  chain: ChainAdapter,
  payouts: PayoutRow[],
): Promise<{ order: Order; draft: Draft }> {
  const order = await orderFor(services, payouts)
  try {
    return { order, draft: await chain.prepare(order, null) }
  } catch (error) {
    if (payouts.length === 1) throw error
    payouts.splice(1)
    return prepareTogether(services, chain, payouts)
  }
}

/** The slot is there: what is missing is done, and what may have been done is done again in the same slot. */
async function continueSlot(services: Services, chain: ChainAdapter, record: SlotRecord): Promise<void> {
  const last = record.attempts.at(-1)
  const order = await orderFor(services, record.payouts)
  if (!last) {
    const draft = await prepareAgain(services, chain, order, record)
    return signAndSend(services, chain, record, order, draft)
  }
  const age = services.now().getTime() - (last.sent_at ?? last.created_at).getTime()
  // The others of a batch come here too, each with its own job: one broadcast serves all.
  if (last.sent_at && age < RESEND_AFTER_MS) return
  const stuckAfterMs = chain.network.stuckAfterMs ?? services.config.STUCK_AFTER_SECONDS
  if (!last.sent_at || age < stuckAfterMs) return send(services, chain, record, last)
  const draft = await chain.prepare(order, signedOf(last))
  services.metrics.payouts.inc({ network: record.slot.network, step: 'replaced' })
  return signAndSend(services, chain, record, order, draft)
}

/** Nothing was signed yet: if the order cannot be paid after all, the slot is given back untouched. */
async function prepareAgain(
  services: Services,
  chain: ChainAdapter,
  order: Order,
  { slot }: SlotRecord,
): Promise<Draft> {
  try {
    return await chain.prepare(order, null)
  } catch (error) {
    if (error instanceof Unpayable) await releaseUnsigned(services.database, slot.id)
    throw error
  }
}

async function signAndSend(
  services: Services,
  chain: ChainAdapter,
  record: SlotRecord,
  order: Order,
  draft: Draft,
): Promise<void> {
  const signed = await chain.sign(order, record.slot.parts, draft).catch(async (error) => {
    const isUnsigned = record.attempts.length === 0
    if (error instanceof SlotGone && isUnsigned) await releaseUnsigned(services.database, record.slot.id)
    throw error
  })
  const attempt = await addAttempt(services.database, record.slot.id, record.attempts.length, signed)
  services.metrics.payouts.inc({ network: record.slot.network, step: 'signed' })
  await send(services, chain, record, attempt)
}

async function send(
  services: Services,
  chain: ChainAdapter,
  { slot, payouts }: SlotRecord,
  attempt: AttemptRow,
): Promise<void> {
  await chain.broadcast(signedOf(attempt))
  const ids = payouts.map(({ id }) => id)
  await markSent(services.database, attempt, ids, services.now())
  await releaseHold(services.database, ids)
  for (const { swap_id } of payouts) if (swap_id) await announceSwap(services.database, swap_id)
  services.metrics.payouts.inc({ network: slot.network, step: 'sent' })
  for (const payout of payouts) {
    const sinceOrderMs = services.now().getTime() - payout.created_at.getTime()
    if (attempt.number === 0) services.metrics.detectionToBroadcast.observe(sinceOrderMs / 1000)
    const fields = { network: slot.network, payoutId: payout.id, swapId: payout.swap_id, kind: payout.kind }
    services.log.info(
      { ...fields, hash: attempt.hash, slot: slot.parts, attempt: attempt.number, sinceOrderMs },
      'payout sent',
    )
  }
}

/**
 * It did not work out. For a passing reason it is tried again; where nothing was started and it was refused for long
 * enough, it is given up and the swap's money goes back.
 */
async function postpone(services: Services, payout: PayoutRow, error: unknown): Promise<void> {
  if (error instanceof Held) return hold(services, payout, error)
  // Only time or a person changes a policy's answer: until then it is held, not given up.
  if (error instanceof SignerRefusal) return hold(services, payout, new Held(error.message, true))
  if (!(error instanceof RetryLater) && !(error instanceof Unpayable)) throw error
  const { config, database, log, metrics } = services
  const now = services.now()
  const since = await holdPayout(database, payout.id, error.message, now)
  const patience =
    error instanceof Rejected || (error instanceof Unpayable && isCall(payout))
      ? 0
      : error instanceof Unpayable
        ? config.PAYOUT_PATIENCE_SECONDS
        : config.PAYOUT_GIVE_UP_SECONDS
  const fields = {
    network: payout.network,
    payoutId: payout.id,
    swapId: payout.swap_id,
    kind: payout.kind,
    reason: error.message,
  }
  metrics.payouts.inc({ network: payout.network, step: 'held' })
  if (now.getTime() - since.getTime() >= patience && (await giveUp(services, payout, error))) {
    log.error(fields, 'payout given up')
    return
  }
  log[error instanceof Unpayable ? 'error' : 'warn'](fields, 'payout waits')
  await addJob(
    database,
    { task: 'pay', payload: { payoutId: payout.id }, lane: laneOf(payout.network, payout.account) },
    { inMs: RETRY_MS },
  )
}

/** Held by a rule or a person: told once, asked again now and then, never given up. */
async function hold(services: Services, payout: PayoutRow, held: Held): Promise<void> {
  const { database, log, metrics } = services
  await holdPayout(database, payout.id, held.message, services.now())
  metrics.payouts.inc({ network: payout.network, step: 'held' })
  if (payout.held_reason !== held.message) {
    const fields = { network: payout.network, payoutId: payout.id, swapId: payout.swap_id, reason: held.message }
    if (held.needsPerson) metrics.alerts.inc()
    log[held.needsPerson ? 'error' : 'warn'](fields, 'payout is held')
  }
  await addJob(
    database,
    { task: 'pay', payload: { payoutId: payout.id }, lane: laneOf(payout.network, payout.account) },
    { inMs: HELD_RETRY_MS },
  )
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
    else await abandonSweep(services, payout.id)
    return true
  }
  // The payout's row refuses to be struck out once a slot was handed out meanwhile.
  const event = { type: 'payout_abandoned', kind: payout.kind as PayoutKind, depositId: payout.deposit_id } as const
  await applyEvent(services, payout.swap_id, event)
  return true
}

async function orderFor(services: Services, payouts: PayoutRow[]): Promise<Order> {
  const [first] = payouts
  if (!first) throw new RetryLater('the slot pays nothing any more')
  const { account } = first
  if (isCall(first)) return callOrder(services, first)
  if (first.kind === 'sweep') {
    const token = services.catalogue.token(first.network, first.token)
    return { kind: 'sweep', account, token, sources: await sweptSources(services.database, first.id) }
  }
  const transfers = payouts.map(({ network, token, units, to_address: to }) => ({
    to,
    amount: { token: services.catalogue.token(network, token), units },
  }))
  return { kind: 'transfers', account, transfers }
}

function signedOf(attempt: AttemptRow): SignedTransfer {
  return { hash: attempt.hash, bytes: attempt.bytes }
}
