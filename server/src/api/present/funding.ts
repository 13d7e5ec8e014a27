/** What has arrived for a swap and what is missing, in wire format. */
import type * as wire from '@causeway/sdk'
import type { SwapView } from '../../store/swaps/swap-read.ts'
import { fundingOf } from '../../swaps/funding.ts'
import { human } from './numbers.ts'

export function presentFunding(view: SwapView): wire.Funding {
  const { receivedUnits, remainingUnits, waitsUntil } = fundingOf(view)
  const { source } = view.swap
  return {
    received_amount: human(receivedUnits, source),
    received_amount_in_base_units: receivedUnits.toString(),
    remaining_amount: human(remainingUnits, source),
    remaining_amount_in_base_units: remainingUnits.toString(),
    waits_until: waitsUntil?.toISOString() ?? null,
  }
}
