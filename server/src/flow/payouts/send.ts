/**
 * Turns payouts into an *order* (what the family must do: transfers, a sweep, a call or a cancellation), and broadcasts
 * stored bytes.
 */
import { type ChainAdapter, type Order, RetryLater, type SignedTransfer } from '@causeway/core'
import type { Services } from '../../services.ts'
import { sweptSources } from '../../store/deposits/sweeps.ts'
import { readApprovals } from '../../store/payouts/approvals.ts'
import { type AttemptRow, markCancelSent, markSent } from '../../store/payouts/attempts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import { announceSwaps } from '../../store/swaps/announce.ts'
import { type PayoutRow, readEffort } from '../../store/swaps/swaps.ts'
import { exchangeOrder } from '../kinds/leg.ts'
import { callOrder, isCall } from '../kinds/relay.ts'
import { problemOf, tracePayouts } from '../lib/trace-payouts.ts'

export async function orderFor(services: Services, payouts: PayoutRow[]): Promise<Order> {
  const [first] = payouts
  if (!first) throw new RetryLater('the slot pays nothing any more')
  const { account } = first
  // A sweep or a call restored from the journal: its order is lost, only its bytes are known.
  if (first.kind === 'recorded' && first.units === 0n)
    throw new RetryLater('its order is lost: its bytes are sent again')
  if (isCall(first)) return callOrder(services, first)
  if (first.leg) return exchangeOrder(services, first, payouts.length)
  if (first.kind === 'sweep') {
    const token = services.catalogue.token(first.network, first.token)
    return { kind: 'sweep', account, token, sources: await sweptSources(services.database, first.id) }
  }
  const ids = payouts.map(({ id }) => id)
  const approvals = await readApprovals(services.database, ids)
  // Sorted, because a fee bump must repeat the transfers in the same sequence as the first attempt, or the journal
  // refuses it.
  const inOrder = payouts.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const transfers = inOrder.map(({ id, kind, network, token, units, to_address: to }) => {
    const approval = approvals.get(id)
    const amount = { token: services.catalogue.token(network, token), units }
    return { to, amount, ...(approval ? { approval } : {}), ...(kind === 'withdrawal' ? { isWithdrawal: true } : {}) }
  })
  return { kind: 'transfers', account, transfers }
}

/**
 * The gas surcharge for the recipient's code that the quotes of these payouts have charged. Refunds were charged none.
 */
export async function effortFor(services: Services, chain: ChainAdapter, payouts: PayoutRow[]): Promise<bigint> {
  const [only, ...more] = payouts
  const isDelivery = only?.kind === 'output' || only?.kind === 'refuel'
  if (!chain.recipientGas || !only?.swap_id || !isDelivery || only.leg || more.length > 0) return 0n
  // Only native coins run the recipient's code.
  if (services.catalogue.token(only.network, only.token).contract !== null) return 0n
  return readEffort(services.database, only.swap_id)
}

export async function send(
  services: Services,
  chain: ChainAdapter,
  { slot, payouts }: SlotRecord,
  attempt: AttemptRow,
): Promise<void> {
  const span = { from: services.now(), attempt: attempt.number }
  try {
    await chain.broadcast(signedOf(attempt))
  } catch (error) {
    tracePayouts(services, payouts, { ...span, name: 'payout sent', problem: problemOf(error) })
    throw error
  }
  tracePayouts(services, payouts, { ...span, name: attempt.cancels ? 'cancellation sent' : 'payout sent' })
  if (attempt.cancels) {
    await markCancelSent(services.database, attempt, services.now())
    services.metrics.payouts.inc({ network: slot.network, step: 'cancelling' })
    services.log.warn({ network: slot.network, hash: attempt.hash, slot: slot.parts }, 'a cancellation was sent')
    return
  }
  const ids = payouts.map(({ id }) => id)
  await markSent(services.database, attempt, ids, services.now())
  await announceSwaps(
    services.database,
    payouts.flatMap(({ swap_id }) => swap_id ?? []),
  )
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

export function signedOf(attempt: AttemptRow): SignedTransfer {
  return { hash: attempt.hash, bytes: attempt.bytes }
}
