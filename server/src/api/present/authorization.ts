/** The authorization of a gasless deposit in wire format. */
import type * as wire from '@causeway/sdk'
import type { AuthorizationRow } from '../../store/swaps/gasless.ts'
import type { SwapView } from '../../store/swaps/swap-read.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import type { PresentationContext } from './presentation-context.ts'
import { presentRelay } from './transaction.ts'

/** `published` once its transaction was broadcast. */
export function presentAuthorization(
  viewpoint: PresentationContext,
  { quoteView }: SwapView,
  row: AuthorizationRow,
  relay: PayoutRow | null,
): wire.Authorization {
  const { sourcePrice } = quoteView
  const transaction = relay && presentRelay(viewpoint, relay, row.owner, () => sourcePrice)
  const status = row.status as wire.Authorization['status']
  return { status: status === 'initiated' && transaction ? 'published' : status, transaction }
}
