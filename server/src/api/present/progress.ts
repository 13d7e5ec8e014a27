/** The progress of a swap without details about others: a hold is shown only by its kind. */
import { refundAddressText } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { Services } from '../../services.ts'
import type { HistoryRow } from '../../store/swaps/owed-refunds.ts'
import type { RouteHealthRow } from '../../store/swaps/route-health.ts'
import type { SwapView } from '../../store/swaps/swap-read.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { human } from './numbers.ts'
import { debtOf, onlyWayBack, refundAddressOf } from './owed.ts'

export function presentProgress(
  services: Services,
  view: SwapView,
  history: readonly HistoryRow[],
  routes: readonly RouteHealthRow[],
): wire.SwapProgress {
  const { swap, quoteView, deposits } = view
  const { source, destination } = swap
  const route = routes.find((one) => one.source === source.network && one.destination === destination.network)
  const waiting = view.payouts.find(({ state, kind }) => state === 'open' && PAID_TO_PEOPLE.includes(kind))
  const seen = deposits.filter(({ state }) => state !== 'gone').map(({ seen_at }) => seen_at)[0]
  const debt = debtOf(swap)
  return {
    now: services.now().toISOString(),
    quote_expires_at: swap.quoteExpiresAt.toISOString(),
    expires_at: swap.expiresAt.toISOString(),
    deposit_seen_at: seen?.toISOString() ?? null,
    usual_seconds: route?.median ?? quoteView.completionMs / 1000,
    p95_seconds: route?.p95 ?? null,
    gives_up_at: givesUpAt(services, waiting)?.toISOString() ?? null,
    held: waiting ? whyHeld(waiting) : null,
    history: history.map(({ at, type, status }) => ({ at: at.toISOString(), type, status })),
    refund: {
      address: refundAddressOf(swap) ?? onlyWayBack(swap),
      owed: human(debt.units, source),
      needs_address: debt.needsAddress,
      text_to_sign: refundAddressText({ swapId: swap.id, network: source.network, refundAddress: '{address}' }),
    },
  }
}

const PAID_TO_PEOPLE = ['output', 'refuel', 'refund', 'return']

/** Only if nothing was started: a payout that may be on its way is never given up by time. */
function givesUpAt({ config }: Services, payout: PayoutRow | undefined): Date | null {
  if (!payout?.held_since || payout.started || payout.held_by !== 'trouble') return null
  return new Date(payout.held_since.getTime() + config.payoutGiveUpMs)
}

function whyHeld({ held_by: by, held_reason: reason }: PayoutRow): wire.SwapProgress['held'] {
  if (by === null) return null
  const text = reason ?? ''
  if (by === 'rule') {
    if (text.startsWith('the block of its deposit')) return 'deposit'
    return text.startsWith('payouts are paused') || text.startsWith('the outflow') ? 'paused' : 'review'
  }
  return /balance|holds|funds|liquidity|too little/i.test(text) ? 'liquidity' : 'node'
}
