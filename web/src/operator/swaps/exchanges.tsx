/** The exchanges of a swap: what each sold and bought, and its transaction. Nothing on most routes. */
import { formatAmount, formatUsd, providerName, visible } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import { Badge } from '../../ui/notice.tsx'
import { Hash } from '../../ui/swap-leg.tsx'
import type { ConsoleRow } from '../shell/reports.ts'

type Leg = ConsoleRow['swap']['legs'][number]

export function Exchanges({ legs }: { legs: readonly Leg[] }) {
  if (legs.length === 0) return null
  const { exchange, kinds, sold, bought, atLeast, status, states, transaction } = text.exchanges
  return (
    <section class="card stack">
      <h2>{text.exchanges.title}</h2>
      <div class="scroll">
        <table class="table by-row">
          <thead>
            <tr>
              {[exchange, sold, bought, status, transaction].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          {legs.map((leg) => (
            <tbody key={leg.type}>
              <tr>
                <td class="cell" data-head={exchange}>
                  <span>
                    {providerName(leg.provider)}
                    <small class="worth-line">{`${kinds[leg.type]} · ${visible(leg.network.display_name)}`}</small>
                  </span>
                </td>
                <td class="cell" data-head={sold}>
                  <Amount amount={leg.sold_amount} token={leg.sold_token} />
                </td>
                <td class="cell" data-head={bought}>
                  {leg.bought_amount === null && <span class="soft">{atLeast} </span>}
                  <Amount amount={leg.bought_amount ?? leg.min_bought_amount} token={leg.bought_token} />
                </td>
                <td class="cell" data-head={status}>
                  <Badge tone={leg.status === 'completed' ? 'good' : 'accent'}>{states[leg.status]}</Badge>
                </td>
                <td class="cell" data-head={transaction}>
                  <Hash of={leg} isOver={false} />
                </td>
              </tr>
            </tbody>
          ))}
        </table>
      </div>
    </section>
  )
}

function Amount({ amount, token }: { amount: number; token: Leg['sold_token'] }) {
  return (
    <span>
      {formatAmount(amount, token.symbol)}
      <small class="worth-line">{formatUsd(amount * token.price_in_usd)}</small>
    </span>
  )
}
