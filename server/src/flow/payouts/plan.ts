/**
 * Begins payouts. Those that wait for one wallet are begun together: one commit stores their slots, another their
 * signed transactions. Each payout still has its own slot (or its batch's), and after a crash its own job continues it.
 */
import {
  type ChainAdapter,
  type Objection,
  type Order,
  type Outcome,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type Slot,
} from '@causeway/core'
import { budgetsOf } from '../../market/safeguards.ts'
import type { Services } from '../../services.ts'
import { deferPayJobs, dropPayJobs, laneOf } from '../../store/db/jobs.ts'
import { lockBudgets } from '../../store/limits/safeguards.ts'
import { adoptSignedLeg } from '../../store/payouts/legs.ts'
import { waitingBeside } from '../../store/payouts/payouts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import { allocateSlots, takeFence, takenSlots, type WantedSlot } from '../../store/payouts/slots.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { FAILING, failingRecipientsAmong } from '../../swaps/failing-recipients.ts'
import { lastWorth, mayPay, mayPayByRecord, withoutSlot } from '../checks/gate.ts'
import { inCountedTransaction } from '../journal/stop-signing.ts'
import { ensureApproved, withFreshLegs } from '../kinds/leg.ts'
import { isCall } from '../kinds/relay.ts'
import { PayoutOnHold } from '../lib/payout-on-hold.ts'
import { tracePayouts } from '../lib/trace-payouts.ts'
import { refuseOldPrices } from '../swap/kept-price.ts'
import { releaseUnrecorded } from './adopt.ts'
import { advanceSlot, type Ended, sendNewest } from './execute.ts'
import { outcomeOf } from './machine.ts'
import { effortFor, orderFor } from './send.ts'
import { signAll } from './sign.ts'

/** The most payouts begun together, and the most transactions that they are divided into. */
const MOST_PAYOUTS = 60
const MOST_ORDERS = 25

/** The jobs of payouts that are begun along are delayed by this time, in case this job fails early. */
const TAKE_UP_MS = 2_000

interface Planned {
  payouts: PayoutRow[]
  order: Order
  draft: PreparedTransfer
}
type Ready = Planned & WantedSlot

/** Why payouts could not be begun, by payout id. */
type Failures = Map<string, Outcome>

/**
 * Begins this payout, which passed the gate, together with others that wait for the same wallet. Returns the state of
 * its slot, or why it got none.
 */
export async function beginPayouts(
  services: Services,
  chain: ChainAdapter,
  payout: PayoutRow,
): Promise<Ended | { outcome: Outcome | null }> {
  const failures: Failures = new Map()
  const fence = await takeFence(services.database, payout.network, payout.account)
  // A payout in trouble is tried alone first. If it fails again, the others are not prepared in vain.
  const alone = payout.held_since !== null ? await planAll(services, chain, [payout], failures) : null
  if (alone?.length === 0) return { outcome: failures.get(payout.id) ?? null }
  const { others, objection } = await readyBeside(services, chain, payout)
  if (objection) failures.set(payout.id, { ...objection, of: 'prepare', purpose: 'new', failure: 'retryable' })
  const together = objection ? others : [payout, ...others]
  const planned =
    alone && others.length === 0 && !objection ? alone : await planAll(services, chain, together, failures)
  const ready = await chooseSlots(services, chain, planned, failures)
  const isIncluded = ready.some(({ payouts }) => payouts.some(({ id }) => id === payout.id))
  const records = await allocate(services, fence, payout, ready).catch((error: unknown) => {
    if (!(error instanceof RetryLater) && !(error instanceof PayoutOnHold)) throw error
    if (isIncluded) failures.set(payout.id, outcomeOf(error instanceof PayoutOnHold ? 'sign' : 'prepare', 'new', error))
    return []
  })
  const ended = await dispatch(services, chain, ready, records, payout.id)
  return ended ?? { outcome: failures.get(payout.id) ?? null }
}

interface Beside {
  others: PayoutRow[]
  /** An objection to the payout itself that appears only together with the others, such as missing liquidity. */
  objection?: Objection | undefined
}

/**
 * Other payouts that wait for the same wallet and may be paid now. Objections to the rest are handled by their own
 * jobs.
 */
async function readyBeside(services: Services, chain: ChainAdapter, payout: PayoutRow): Promise<Beside> {
  // A payout that the chain reverted before goes alone: in a batch it would make the whole transaction fail. So does an
  // exchange: two of them would share one allowance.
  if (payout.kind === 'sweep' || isCall(payout) || payout.leg || payout.reverts > 0) return { others: [] }
  const most = Math.min(MOST_PAYOUTS, MOST_ORDERS * (chain.batch?.maxTransfers ?? 1)) - 1
  const waiting = (await waitingBeside(services.database, payout, most)).filter(
    ({ reverts, leg }) => reverts === 0 && !leg,
  )
  if (waiting.length === 0) return { others: [] }
  const own = { ...withoutSlot(payout), screenedAt: services.now() }
  const objections = await mayPay(services, chain, [own, ...waiting.map(withoutSlot)])
  const others = waiting.filter(({ id }) => !objections.has(id))
  return { others, objection: objections.get(payout.id)?.[0] }
}

async function planAll(
  services: Services,
  chain: ChainAdapter,
  payouts: PayoutRow[],
  failures: Failures,
): Promise<Planned[]> {
  const size = chain.batch?.maxTransfers ?? 1
  // One token per transaction: some families can batch only one token, and a shortage of one token delays no other.
  const groups = [...Map.groupBy(payouts, ({ token }) => token).values()].flatMap((alike) =>
    Array.from({ length: Math.ceil(alike.length / size) }, (_, index) => alike.slice(index * size, (index + 1) * size)),
  )
  return (await Promise.all(groups.map((group) => plan(services, chain, group, failures)))).flat()
}

/**
 * Prepares a batch. If the batch is refused, the payout that causes it is found by bisection, so that it does not block
 * the others.
 */
async function plan(
  services: Services,
  chain: ChainAdapter,
  payouts: PayoutRow[],
  failures: Failures,
): Promise<Planned[]> {
  try {
    const fresh = await withFreshLegs(services, chain, payouts)
    const order = await orderFor(services, fresh)
    await refuseFailing(services, fresh)
    await refuseOldPrices(services, fresh)
    await ensureApproved(services, chain, fresh)
    const effort = await effortFor(services, chain, fresh)
    return [{ payouts: fresh, order, draft: await chain.prepare(order, null, effort) }]
  } catch (error) {
    const [first] = payouts
    const outcome = outcomeOf('prepare', 'new', error)
    if (first && payouts.length === 1) {
      failures.set(first.id, outcome)
      const fields = { network: first.network, payoutId: first.id, err: error }
      if (outcome.failure === 'unexpected') services.log.error(fields, 'a payout failed unexpectedly')
      return []
    }
    const half = Math.ceil(payouts.length / 2)
    const planned = await plan(services, chain, payouts.slice(0, half), failures)
    // A shortage or a node that does not answer affects the other half as well, so it is not tried.
    if (!(error instanceof PayoutImpossible)) return planned
    return [...planned, ...(await plan(services, chain, payouts.slice(half), failures))]
  }
}

/**
 * Refuses recipients that failed on chain repeatedly, before a slot is allocated: the next transaction would fail, too.
 */
async function refuseFailing({ database, catalogue, now }: Services, payouts: PayoutRow[]): Promise<void> {
  const [first] = payouts
  if (!first || first.kind === 'sweep' || first.leg || isCall(first)) return
  const token = catalogue.token(first.network, first.token)
  const recipients = payouts.map(({ to_address }) => to_address)
  const [failing] = await failingRecipientsAmong(database, token, recipients, now())
  if (failing !== undefined) throw new PayoutImpossible(`${failing}: ${FAILING}`)
}

/** Chooses a slot for each prepared transaction, as far as the chain has free slots. */
async function chooseSlots(
  services: Services,
  chain: ChainAdapter,
  planned: Planned[],
  failures: Failures,
): Promise<Ready[]> {
  const [first] = planned
  if (!first) return []
  const taken: Slot[] = await takenSlots(services.database, chain.network.name, first.order.account)
  const ready: Ready[] = []
  for (const one of planned.slice(0, MOST_ORDERS)) {
    try {
      const parts = await chain.nextSlot(one.order, one.draft, taken)
      taken.push(parts)
      const usd = one.payouts.map((payout) => lastWorth(services, payout))
      ready.push({ ...one, parts, usd, screenedAt: services.now() })
    } catch (error) {
      for (const { id } of one.payouts) failures.set(id, outcomeOf('prepare', 'new', error))
      break
    }
  }
  return ready
}

/**
 * Reserves the payouts' value and stores their slots, all or none. The gate is asked again under locks, so that two
 * processes cannot use the same limit.
 */
async function allocate(services: Services, fence: bigint, own: PayoutRow, ready: Ready[]): Promise<SlotRecord[]> {
  if (ready.length === 0) return []
  const { network, account } = own
  const payouts = ready.flatMap((one) => one.payouts)
  const along = payouts.map(({ id }) => id).filter((id) => id !== own.id)
  const slots = await inCountedTransaction(services, async (queries) => {
    const names = payouts.flatMap(({ kind, token }) => budgetsOf(services.catalogue.token(network, token), kind))
    await lockBudgets(queries, names)
    const objections = await mayPayByRecord(services, queries, payouts.map(withoutSlot), 'new')
    const [objection] = objections.get(own.id) ?? []
    if (objection) throw new PayoutOnHold(objection.hold)
    if (objections.size > 0) throw new RetryLater('another payout that was begun with it must not be paid now')
    const allocated = await allocateSlots(queries, { network, account, fence }, ready)
    // Another process may have renewed the terms of an exchange after this one was prepared.
    for (const { id, leg } of payouts) if (leg) await adoptSignedLeg(queries, id, leg)
    await deferPayJobs(queries, along, laneOf(network, account), TAKE_UP_MS)
    return allocated
  })
  tracePayouts(services, payouts, { name: 'payout planned', from: ({ created_at }) => created_at })
  return slots.map((slot, position) => ({
    slot,
    payouts: ready[position]?.payouts ?? [],
    attempts: [],
    isCancelWanted: false,
  }))
}

/** Signs and stores all transactions, then sends them in order. Returns the state of the slot of `own`. */
async function dispatch(
  services: Services,
  chain: ChainAdapter,
  ready: readonly Ready[],
  records: readonly SlotRecord[],
  own: string,
): Promise<Ended | null> {
  const requests = records.flatMap((record, position) => {
    const one = ready[position]
    return one ? [{ record, order: one.order, draft: one.draft, purpose: 'new' as const }] : []
  })
  if (requests.length === 0) return null
  const { attempts, failures } = await signAll(services, chain, requests)
  let ownEnd: Ended | null = null
  let isReleased = false
  for (const record of records) {
    const isOwn = record.payouts.some(({ id }) => id === own)
    const attempt = attempts.get(record.slot.id)
    const error = failures.get(record.slot.id)
    let ended: Ended | null = null
    if (attempt) ended = await sendFresh(services, chain, { ...record, attempts: [attempt] }, own)
    else if (error !== undefined) ended = await advanceSlot(services, chain, record, outcomeOf('sign', 'new', error))
    // A transaction above a nonce gap cannot be mined: these slots are released and their payouts begin again.
    else if (isReleased) await releaseUnrecorded(services, record.slot)
    if (ended && ended.record === null) isReleased = true
    if (isOwn) ownEnd = ended
  }
  return ownEnd
}

async function sendFresh(services: Services, chain: ChainAdapter, record: SlotRecord, own: string): Promise<Ended> {
  const others = record.payouts.map(({ id }) => id).filter((id) => id !== own)
  const [sent, failure] = await sendNewest(services, chain, record)
  if (failure) return advanceSlot(services, chain, sent, failure)
  await dropPayJobs(services.database, others)
  return { record: sent, step: { step: 'wait', hold: null, detail: null }, outcome: null, objections: new Map() }
}
