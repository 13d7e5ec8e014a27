/** The progress of a swap without details about others: a hold is shown only by its kind. */
import { refundAddressText, TreasuryShort } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { Services } from '../../services.ts'
import type { OpenHold } from '../../store/payouts/holds.ts'
import type { HistoryRow } from '../../store/swaps/owed-refunds.ts'
import type { RouteHealthRow } from '../../store/swaps/route-health.ts'
import type { SwapView } from '../../store/swaps/swap-read.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { human } from './numbers.ts'
import { debtOf, onlyWayBack, refundAddressOf } from './owed.ts'
import { presentFunding } from './swap.ts'

export function presentProgress(
  services: Services,
  view: SwapView,
  history: readonly HistoryRow[],
  routes: readonly RouteHealthRow[],
  open: OpenHold | null,
): wire.SwapProgress {
  const { swap, quoteView, deposits } = view
  const { source, destination } = swap
  const route = routes.find((one) => one.source === source.network && one.destination === destination.network)
  const waiting = payoutInProgress(view)
  const seen = deposits.filter(({ state }) => state !== 'gone').map(({ seen_at }) => seen_at)[0]
  const debt = debtOf(swap)
  return {
    now: services.now().toISOString(),
    quote_expires_at: swap.quoteExpiresAt.toISOString(),
    expires_at: swap.expiresAt.toISOString(),
    deposit_seen_at: seen?.toISOString() ?? null,
    ...presentFunding(view),
    usual_seconds: route?.median ?? quoteView.completionMs / 1000,
    p95_seconds: route?.p95 ?? null,
    gives_up_at: givesUpAt(services, waiting)?.toISOString() ?? null,
    held: open && whyHeld(open),
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

/** The payout that the user waits for. */
export function payoutInProgress({ payouts }: SwapView): PayoutRow | undefined {
  return payouts.find(({ state, kind }) => state === 'open' && PAID_TO_PEOPLE.includes(kind))
}

/** When the payout is given up; null if it was started: a payout that may be in flight is never given up by time. */
function givesUpAt({ config }: Services, payout: PayoutRow | undefined): Date | null {
  if (!payout?.held_since || payout.started || payout.held_by !== 'trouble') return null
  return new Date(payout.held_since.getTime() + config.payoutGiveUpMs)
}

/** The public kind of a hold's reason: details may be about other users. */
function whyHeld({ hold }: OpenHold): wire.SwapProgress['held'] {
  switch (hold.code) {
    case 'deposit_reverifying':
    case 'deposit_lost':
    case 'deposit_unlocatable':
      return 'deposit'
    case 'paused':
    case 'outflow_limit':
      return 'paused'
    case 'trouble':
      return hold.error === TREASURY_SHORT ? 'liquidity' : 'node'
    case 'payout_reorged':
      return 'node'
    default:
      return 'review'
  }
}

const TREASURY_SHORT = new TreasuryShort().name
