/** What makes a swap a bad deal: high fees, a price far from the market's, or a wide slippage. */
import type { Quoted } from '@causeway/sdk/light'
import { costShareOf } from '../../../money/cost.ts'
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
  const [fees, impact] = [costShareOf(quoted.quote), impactOf(quoted)]
  return [
    ...(fees >= HIGH_FEES ? [text.highFees(formatPercent(fees))] : []),
    ...(impact >= HIGH_IMPACT ? [text.highImpact(formatPercent(impact))] : []),
    ...(slippage > HIGH_SLIPPAGE ? [text.highSlippage(formatPercent(slippage))] : []),
  ]
}

export function hasHighFees(quoted: Priced): boolean {
  return costShareOf(quoted.quote) >= HIGH_FEES
}
