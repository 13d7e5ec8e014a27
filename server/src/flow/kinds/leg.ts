/**
 * Legs: payouts whose transaction is an exchange. It sells the payout's token, and the exchange itself pays the
 * recipient. Before it, the router needs an approval for exactly that amount: a payout of its own, behind the same gate.
 */
import { Bug, type ChainAdapter, type Exchange, type Order, parseRoute, RetryLater, type TxHash } from '@causeway/core'
import type { Services } from '../../services.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { readApprovals } from '../../store/payouts/approvals.ts'
import { legsBeside } from '../../store/payouts/payouts.ts'
import { insertCall } from '../../store/swaps/gasless.ts'
import { type PayoutRow, toLeg } from '../../store/swaps/swaps.ts'

/**
 * How long after its order an exchange is valid. It must be the same for every attempt in a slot, because the journal
 * accepts only the same order again. After it the exchange is impossible, and the swap is refunded.
 */
const TERM_MS = 60 * 60_000

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
  const deadline = new Date(Math.floor((createdAt.getTime() + TERM_MS) / 1000) * 1000)
  return { ...leg, network, sells: { token: catalogue.token(network, token), units }, to, deadline }
}

/**
 * Orders the approval that a leg needs, and lets the leg wait for it. One leg per wallet and token is on its way at a
 * time: an approval is set, not added, so a second one would change the allowance of the first.
 */
export async function ensureApproved(services: Services, chain: ChainAdapter, payouts: PayoutRow[]): Promise<void> {
  const [payout] = payouts
  if (!payout?.leg) return
  const { exchanges } = chain
  if (!exchanges) throw new Bug('this network has no exchanges', { network: payout.network })
  const { sells, route } = exchangeOf(services, payout)
  if (sells.token.contract === null) return
  const { isBusy, isApproving } = await legsBeside(services.database, payout)
  if (isBusy) throw new RetryLater('another exchange of this token is on its way')
  const { router } = parseRoute(route)
  if ((await exchanges.allowance(router, sells.token)) >= sells.units) return
  if (!isApproving) {
    const call = exchanges.approvalCall(router, sells.token, sells.units)
    const { account } = payout
    const { contract: to, network } = sells.token
    await services.database.transaction().execute(async (queries) => {
      const values = { kind: 'admin' as const, token: chain.network.nativeToken, units: 0n, account, to, call }
      const ordered = await insertCall(queries, { ...values, now: services.now() })
      await addJob(queries, { task: 'pay', payload: { payoutId: ordered.id }, lane: laneOf(network, account) })
    })
  }
  throw new RetryLater('the router is not approved yet')
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
