/** The breakdown of the amount: fees, rate, minimum output, and time. */
import type { Quoted } from '@causeway/sdk/light'
import { formatAmount, formatRate, formatTook, secondsOf, visible } from '../../../money/format.ts'
import { swap as text } from '../../../text/en.ts'

export function Breakdown({ quoted }: { quoted: Quoted }) {
  const { quote, refuel } = quoted
  const { symbol } = quote.source_token
  const { symbol: gets } = quote.destination_token
  const rows: [string, string][] = [
    [text.send, formatAmount(quote.requested_amount ?? 0, symbol)],
    [text.networkFee, `−${formatAmount(quote.blockchain_fee ?? 0, symbol)}`],
    [text.serviceFee, `−${formatAmount(quote.service_fee ?? 0, symbol)}`],
    ...(refuel ? [[text.refuelFee, formatAmount(refuel.amount, refuel.token.symbol)] satisfies [string, string]] : []),
    [text.rate, text.rateOf(visible(symbol), formatRate(quote.rate, gets))],
    [text.slippage, `${+(quote.slippage * 100).toFixed(2)} %`],
    [text.minimum, formatAmount(quote.min_receive_amount ?? 0, gets)],
    [text.time, formatTook(secondsOf(quote.avg_completion_time))],
  ]
  return (
    <dl class="pairs">
      {rows.map(([name, value]) => (
        <div class="pair" key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
