/**
 * Beginning payouts. Where several wait for one wallet they are begun together: the slots of all are stored in one commit.
 * Each is still a payout with a slot of its own (or of its batch), taken up by its own job after a crash.
 */
import { type ChainAdapter, type Order, PayoutImpossible, type PreparedTransfer, type Slot } from '@causeway/core'
import type { Services } from '../../services.ts'
import { deferPayJobs, laneOf } from '../../store/db/jobs.ts'
import { closePassedHolds } from '../../store/payouts/holds.ts'
import { waitingBeside } from '../../store/payouts/payouts.ts'
import { allocateSlots, takeFence, takenSlots, type WantedSlot } from '../../store/payouts/slots.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { FAILING, failingRecipientsAmong } from '../../swaps/failing-recipients.ts'
import { notLookedAt } from '../checks/history.ts'
import { withLiquidity } from '../checks/liquidity.ts'
import { checkPayouts } from '../checks/policy.ts'
import { overRecipientCap } from '../checks/recipient-cap.ts'
import { refuseDoubtful } from '../checks/recognise.ts'
import { isCall } from '../kinds/relay.ts'
import { dispatch, type Refusals } from './dispatch.ts'
import { effortFor, orderFor } from './send.ts'

/** Payouts that are begun together, and transactions that they are put into. */
const MOST_PAYOUTS = 60
const MOST_ORDERS = 25

/** Others that are begun along keep their jobs for this long, for the case that this one does not get far. */
const TAKE_UP_MS = 2_000

interface Planned {
  payouts: PayoutRow[]
  order: Order
  draft: PreparedTransfer
}
type Ready = Planned & WantedSlot

/** Begins this payout, and others that wait beside it. Throws where this one did not come all the way. */
export async function beginPayouts(services: Services, chain: ChainAdapter, payout: PayoutRow): Promise<void> {
  const { database } = services
  const { network, account } = payout
  const refusals: Refusals = new Map()
  const objecting = objectionTo(services, chain, payout)
  // What was held before mostly is again: neither the wallet nor a node is troubled for it.
  const wasHeld = payout.held_since !== null
  if (wasHeld) refuse(await objecting)
  if (payout.held_by === 'rule') await closePassedHolds(database, payout.id, services.now())
  const planAlone = () => planAll(services, chain, [payout], refusals)
  const begun = Promise.all([takeFence(database, network, account), waitingFor(services, chain, payout)])
  const [[fence, waiting], early, objection] = await Promise.all([
    begun,
    // Anything else that nobody waits beside is asked about at the node while it is checked; its slot comes after both.
    begun.then(([, others]) => (wasHeld || others.length > 0 ? null : planAlone())),
    objecting,
  ])
  refuse(objection)
  // What was in trouble is tried alone first: where nothing gets on, the others need not be prepared with it again and again.
  const isTroubled = payout.held_by === 'trouble'
  const alone = early ?? (isTroubled ? await planAlone() : null)
  if (alone?.length === 0) throw refusals.get(payout.id)
  const others = await beside(services, chain, payout, waiting)
  const planned = alone && others.length === 0 ? alone : await planAll(services, chain, [payout, ...others], refusals)
  const ready = await chooseSlots(services, chain, await withLiquidity(services, chain, planned, refusals), refusals)
  if (ready.length > 0) {
    const along = ready.flatMap(({ payouts }) => payouts.map(({ id }) => id)).filter((id) => id !== payout.id)
    const slots = await database.transaction().execute(async (queries) => {
      const allocated = await allocateSlots(queries, { network, account, fence }, ready)
      await deferPayJobs(queries, along, laneOf(network, account), TAKE_UP_MS)
      return allocated
    })
    const due = ready.flatMap(({ payouts, order, draft }, position) => {
      const slot = slots[position]
      return slot ? [{ record: { slot, payouts, attempts: [] }, order, draft }] : []
    })
    await dispatch(services, chain, due, payout.id, refusals)
  }
  if (refusals.has(payout.id)) throw refusals.get(payout.id)
}

/** Why it must not be paid now; null where nothing speaks against it. */
async function objectionTo(services: Services, chain: ChainAdapter, payout: PayoutRow): Promise<unknown> {
  const refused = (await checkPayouts(services, [payout])).get(payout.id)
  return refused ?? (await overRecipientCap(services, chain, [payout])).get(payout.id) ?? null
}

function refuse(objection: unknown): void {
  if (objection !== null) throw objection
}

/** Others that wait for the same wallet. */
async function waitingFor(services: Services, chain: ChainAdapter, payout: PayoutRow): Promise<PayoutRow[]> {
  // One that the chain has refused before goes alone: in a batch it would take the others down with it.
  if (payout.kind === 'sweep' || isCall(payout) || payout.reverts > 0) return []
  const most = Math.min(MOST_PAYOUTS, MOST_ORDERS * (chain.batch?.maxTransfers ?? 1)) - 1
  return waitingBeside(services.database, payout, most)
}

/** Those of them that may be paid now. Those that may not are told why by their own jobs. */
async function beside(
  services: Services,
  chain: ChainAdapter,
  payout: PayoutRow,
  waiting: readonly PayoutRow[],
): Promise<PayoutRow[]> {
  if (waiting.length === 0) return []
  const refused = new Map<string, unknown>([
    ...(await notLookedAt(services, chain, waiting)),
    ...(await checkPayouts(services, [payout, ...waiting])),
    ...(await refuseDoubtful(services, waiting)),
  ])
  const ready = waiting.filter(({ id, rejected_at, reverts }) => !refused.has(id) && !rejected_at && reverts === 0)
  const crowded = await overRecipientCap(services, chain, [payout, ...ready])
  return ready.filter(({ id }) => !crowded.has(id))
}

async function planAll(
  services: Services,
  chain: ChainAdapter,
  payouts: PayoutRow[],
  refusals: Refusals,
): Promise<Planned[]> {
  const size = chain.batch?.maxTransfers ?? 1
  // One token a transaction: some families can batch only that, and a token that is short holds up no other.
  const groups = [...Map.groupBy(payouts, ({ token }) => token).values()].flatMap((alike) =>
    Array.from({ length: Math.ceil(alike.length / size) }, (_, index) => alike.slice(index * size, (index + 1) * size)),
  )
  return (await Promise.all(groups.map((group) => plan(services, chain, group, refusals)))).flat()
}

/** One that cannot be paid must not hold the others: it is found by halves, down to itself, and told why. */
async function plan(
  services: Services,
  chain: ChainAdapter,
  payouts: PayoutRow[],
  refusals: Refusals,
): Promise<Planned[]> {
  const order = await orderFor(services, payouts)
  try {
    await refuseFailing(services, payouts)
    const effort = await effortFor(services, chain, payouts)
    return [{ payouts, order, draft: await chain.prepare(order, null, effort) }]
  } catch (error) {
    const [first] = payouts
    if (first && payouts.length === 1) refusals.set(first.id, error)
    if (payouts.length === 1) return []
    const half = Math.ceil(payouts.length / 2)
    const planned = await plan(services, chain, payouts.slice(0, half), refusals)
    // What is short now, or does not answer, is as short for the other half.
    if (!(error instanceof PayoutImpossible)) return planned
    return [...planned, ...(await plan(services, chain, payouts.slice(half), refusals))]
  }
}

/** Before a slot is taken: one that has failed on chain again and again would cost us the next transaction too. */
async function refuseFailing({ database, catalogue, now }: Services, payouts: PayoutRow[]): Promise<void> {
  const [first] = payouts
  if (!first || first.kind === 'sweep' || isCall(first)) return
  const token = catalogue.token(first.network, first.token)
  const recipients = payouts.map(({ to_address }) => to_address)
  const [failing] = await failingRecipientsAmong(database, token, recipients, now())
  if (failing !== undefined) throw new PayoutImpossible(`${failing}: ${FAILING}`)
}

/** As many as there are slots for. */
async function chooseSlots(
  services: Services,
  chain: ChainAdapter,
  planned: Planned[],
  refusals: Refusals,
): Promise<Ready[]> {
  const [first] = planned
  if (!first) return []
  const taken: Slot[] = await takenSlots(services.database, chain.network.name, first.order.account)
  const ready: Ready[] = []
  for (const one of planned.slice(0, MOST_ORDERS)) {
    try {
      const parts = await chain.nextSlot(one.order, one.draft, taken)
      taken.push(parts)
      ready.push({ ...one, parts })
    } catch (error) {
      for (const { id } of one.payouts) refusals.set(id, error)
      break
    }
  }
  return ready
}
