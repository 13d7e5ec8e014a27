/** Both ends of a reviewed swap, in tokens and dollars. */
import type { Quoted } from '@causeway/sdk/light'
import { formatAmount, formatShort, formatUsd, formatUsdDown, visible } from '../../../money/format.ts'
import { swap as text } from '../../../text/texts.ts'
import { TokenLogo } from '../../../ui/logo.tsx'
import { Notice } from '../../../ui/notice.tsx'
import type { Reviewed } from './ordering.ts'
import { warningsOf } from './warnings.ts'

export function Deal({ reviewed: { from, to, amount }, quoted: { quote } }: { reviewed: Reviewed; quoted: Quoted }) {
  const ends = [
    {
      name: text.send,
      value: formatAmount(amount, from.token.symbol),
      usd: formatUsd(Number(amount) * from.token.price_in_usd),
    },
    { name: text.receive, value: getsOf({ quote }), usd: formatUsdDown(quote.receive_amount * to.token.price_in_usd) },
  ]
  return (
    <div class="deal">
      {ends.map(({ name, value, usd }, at) => {
        const end = at === 0 ? from : to
        return (
          <div key={name}>
            <span>
              <small>{name}</small>
              <span class="deal-value">{value}</span>
              <small>{text.on(usd, visible(end.network.display_name))}</small>
            </span>
            <TokenLogo token={end.token} network={end.network} />
          </div>
        )
      })}
    </div>
  )
}

export function getsOf({ quote }: Pick<Quoted, 'quote'>): string {
  return formatShort(quote.receive_amount ?? 0, quote.destination_token.symbol)
}

/** A bad price is named before anything that has to be scrolled to. */
export function Warnings({ quoted }: { quoted: Quoted }) {
  return warningsOf(quoted).map((warning) => (
    <Notice key={warning} tone="warn">
      {warning}
    </Notice>
  ))
}
