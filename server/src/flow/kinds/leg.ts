/**
 * Legs: payouts whose transaction is an exchange. It sells the payout's token, and the exchange itself pays the
 * recipient. Before it, the router needs an approval for exactly that amount: a payout of its own, behind the same gate.
 */
import {
  Bug,
  type ChainAdapter,
  type Exchange,
  isSameToken,
  type Order,
  PayoutImpossible,
  parseRoute,
  RetryLater,
  type TxHash,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import type { StoredLeg } from '../../store/db/schema.ts'
import { readApprovals } from '../../store/payouts/approvals.ts'
import { legsBeside, storeLeg } from '../../store/payouts/legs.ts'
import { insertCall } from '../../store/swaps/gasless.ts'
import { type PayoutRow, toLeg } from '../../store/swaps/swaps.ts'
import { aggregatedRoute } from './aggregated.ts'

/**
 * How long an exchange is valid. It stays the same for every attempt in a slot, because the journal accepts only the
 * same order again. A new slot gets a new deadline.
 */
const TERM_MS = 30 * 60_000
/** A private endpoint may never include it, and until the deadline it blocks the wallet. */
const PRIVATE_TERM_MS = 9 * 60_000
/** After this many failed approvals the token does not allow the exchange. */
const MAX_FAILED_APPROVALS = 3

/** Another exchange of the same token goes first. Waiting for it is no trouble, so the give-up clock does not run. */
class ExchangeQueued extends RetryLater {
  override name = 'ExchangeQueued'
}

/** The exchange waits for its approval. It keeps its place in the queue. */
class ApprovalPending extends RetryLater {
  override name = 'ApprovalPending'
}

export async function exchangeOrder(services: Services, payout: PayoutRow, alike: number): Promise<Order> {
  if (alike !== 1) throw new Bug('an exchange shares no transaction', { payout: payout.id, alike })
  const approval = (await readApprovals(services.database, [payout.id])).get(payout.id)
  const exchange = exchangeOf(services, payout)
  return { kind: 'exchange', account: payout.account, exchange, ...(approval ? { approval } : {}) }
}

function exchangeOf({ catalogue }: Services, payout: PayoutRow): Exchange {
  const { network, token, units, to_address: to, created_at: createdAt, leg: stored } = payout
  if (!stored) throw new Bug('not a leg', { payout: payout.id })
  const leg = toLeg(payout, stored, catalogue)
  const deadline = stored.deadline
    ? new Date(stored.deadline)
    : wholeSecond(createdAt.getTime() + termMs(catalogue, network))
  return { ...leg, network, sells: { token: catalogue.token(network, token), units }, to, deadline }
}

function termMs(catalogue: Services['catalogue'], network: string): number {
  return catalogue.network(network).privateSubmission ? PRIVATE_TERM_MS : TERM_MS
}

function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / 1000) * 1000)
}

/**
 * Before a leg gets a slot, it takes the pool that gives the most now, or an aggregator that gives more, and a new deadline
 * if the old one is near. In a slot it never changes.
 */
export async function withFreshLegs(
  services: Services,
  chain: ChainAdapter,
  payouts: PayoutRow[],
): Promise<PayoutRow[]> {
  const [payout] = payouts
  if (!payout?.leg || payouts.length > 1) return payouts
  const pooled = freshLeg(services, payout, payout.leg)
  const better = await aggregatedRoute(services, chain, payout, exchangeOf(services, { ...payout, leg: pooled }))
  const leg = better ? { ...pooled, ...better } : pooled
  return leg === payout.leg ? payouts : [await storeLeg(services.database, payout.id, leg)]
}

function freshLeg(services: Services, payout: PayoutRow, stored: StoredLeg): StoredLeg {
  const { sells, buys, deadline } = exchangeOf(services, payout)
  const now = services.now().getTime()
  const wholeMs = termMs(services.catalogue, payout.network)
  // A deadline with less than two thirds of its time left is renewed.
  const isNear = stored.deadline === undefined || (deadline.getTime() - now) * 3 < wholeMs * 2
  const until = isNear ? wholeSecond(now + wholeMs).toISOString() : deadline.toISOString()
  const [token, hub, side] =
    payout.kind === 'sale' ? ([sells.token, buys, 'sale'] as const) : ([buys, sells.token, 'purchase'] as const)
  const [best] = services.market
    .exchanges(token, side)
    .filter((option) => isSameToken(option.hub, hub))
    .map((option) => ({ ...option, out: option.curve.out(sells.units) ?? 0n }))
    .sort((a, b) => Number(b.out > a.out) - Number(b.out < a.out))
  const { provider, route } = best && best.out > 0n ? best : stored
  const isSame = until === stored.deadline && route === stored.route && provider === stored.provider
  return isSame ? stored : { ...stored, provider, route, deadline: until }
}

/**
 * Orders the approval that a leg needs, and lets the leg wait for it. One leg per wallet and token is on its way at a
 * time, oldest first: an approval is set, not added, so a second one would change the allowance of the first.
 */
export async function ensureApproved(services: Services, chain: ChainAdapter, payouts: PayoutRow[]): Promise<void> {
  const [payout] = payouts
  if (!payout?.leg) return
  const { exchanges } = chain
  if (!exchanges) throw new Bug('this network has no exchanges', { network: payout.network })
  const { sells, route } = exchangeOf(services, payout)
  if (sells.token.contract === null) return
  const { isBusy, isApproving, failedApprovals } = await legsBeside(services.database, payout)
  if (isBusy) throw new ExchangeQueued('another exchange of this token goes first')
  const { router } = parseRoute(route)
  const allowed = await exchanges.allowance(router, sells.token)
  if (allowed >= sells.units) return
  if (failedApprovals >= MAX_FAILED_APPROVALS) throw new PayoutImpossible('the router cannot be approved')
  if (!isApproving) {
    // Some tokens refuse to change an allowance that is not zero, such as the rest of an exchange that was given up.
    const call = exchanges.approvalCall(router, sells.token, allowed === 0n ? sells.units : 0n)
    const { account } = payout
    const { contract: to, network } = sells.token
    await services.database.transaction().execute(async (queries) => {
      const values = { kind: 'admin' as const, token: chain.network.nativeToken, units: 0n, account, to, call }
      const ordered = await insertCall(queries, { ...values, now: services.now() })
      await addJob(queries, { task: 'pay', payload: { payoutId: ordered.id }, lane: laneOf(network, account) })
    })
  }
  throw new ApprovalPending('the router is not approved yet')
}

/** The units that a mined exchange gave its recipient; null for other payouts. */
export async function receivedBy(
  services: Services,
  chain: ChainAdapter,
  payout: PayoutRow,
  hash: TxHash,
): Promise<bigint | null> {
  if (!payout.leg) return null
  const exchange = exchangeOf(services, payout)
  if (!chain.exchanges) throw new Bug('this network has no exchanges', { network: payout.network })
  const units = await chain.exchanges.received(hash, exchange)
  if (units >= exchange.minUnits) return units
  // The router must have enforced the minimum. The payout was made and is never repeated: an operator compensates.
  services.metrics.alerts.inc()
  const fields = { network: payout.network, payoutId: payout.id, hash, units, minUnits: exchange.minUnits }
  services.log.error(fields, 'an exchange gave less than its minimum')
  return units
}
