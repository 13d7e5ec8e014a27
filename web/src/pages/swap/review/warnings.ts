/** What makes a swap a bad deal: high fees, a price far from the market's, or a wide slippage. */
import type { Quoted } from '@causeway/sdk/light'
import { formatPercent } from '../../../money/format.ts'
import { costs as text } from '../../../text/texts.ts'
import { impactOf } from './facts.ts'

type Priced = Pick<Quoted, 'quote'>

/** From these shares of the sent amount on. */
const HIGH_FEES = 0.05
const HIGH_IMPACT = 0.03
const HIGH_SLIPPAGE = 0.05

export function warningsOf(quoted: Priced): string[] {
  const { slippage } = quoted.quote
  const [fees, impact] = [feeShareOf(quoted), impactOf(quoted)]
  return [
    ...(fees >= HIGH_FEES ? [text.highFees(formatPercent(fees))] : []),
    ...(impact >= HIGH_IMPACT ? [text.highImpact(formatPercent(impact))] : []),
    ...(slippage > HIGH_SLIPPAGE ? [text.highSlippage(formatPercent(slippage))] : []),
  ]
}

export function hasHighFees(quoted: Priced): boolean {
  return feeShareOf(quoted) >= HIGH_FEES
}

/** The fees as a share of the sent dollars; 0 if those are not known. */
export function feeShareOf({ quote }: Priced): number {
  const sent = quote.requested_amount * quote.source_token.price_in_usd
  return sent > 0 ? quote.total_fee_in_usd / sent : 0
}
