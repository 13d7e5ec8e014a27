/** The exchanges of a swap as steps: a sale is a step of its own, a purchase is a note of the payout. */
import type { SwapDetails, Transaction } from '@causeway/sdk/light'
import { formatAmount, providerName } from '../../../money/format.ts'
import { exchanging as text } from '../../../text/texts.ts'
import type { Linked } from '../transaction-link.tsx'

export interface StepRow {
  key: string
  name: string
  state: 'done' | 'now' | 'later'
  /** Money that was returned, a dropped deposit, or an end without a result; otherwise a success. */
  look?: 'back' | 'lost' | 'ended'
  note: string | null
  transaction: Linked | null
  at: string | null
}

type Swap = SwapDetails['swap']

/** The exchange that the depositor's own transaction makes; null if it makes none. */
export function userExchangeOf({ legs }: Swap) {
  return legs.find((leg) => leg.made_by === 'depositor') ?? null
}

/** The token that is held if something goes wrong: what arrived, which a depositor's exchange or a person has sent. */
export function heldTokenOf(swap: Swap): Swap['source_token'] {
  const input = swap.transactions.find(({ type }) => type === 'input')
  return input?.token ?? userExchangeOf(swap)?.bought_token ?? swap.source_token
}

export function salesOf({ legs }: Swap): StepRow[] {
  return legs
    .filter(({ type, status, made_by: by }) => type === 'sale' && (by === 'service' || status !== 'pending'))
    .map((leg, at) => {
      const sold = formatAmount(leg.sold_amount, leg.sold_token.symbol)
      const bought = leg.bought_amount === null ? null : formatAmount(leg.bought_amount, leg.bought_token.symbol)
      const exchange = providerName(leg.provider)
      const [done, begun] = leg.made_by === 'depositor' ? [text.youSold, text.youSell] : [text.sold, text.selling]
      const name = bought ? done(sold, bought, exchange) : begun(sold, exchange)
      const state = leg.status === 'completed' ? 'done' : 'now'
      return { key: `sale${at}`, name, state, note: null, transaction: leg, at: leg.timestamp }
    })
}

/** The exchange whose transaction this payout is, as a note; null for a plain transfer. */
export function purchaseOf({ legs }: Swap, { transaction_hash: hash }: Transaction): string | null {
  const leg = legs.find((one) => one.type === 'purchase' && one.transaction_hash === hash)
  return leg ? text.bought(formatAmount(leg.sold_amount, leg.sold_token.symbol), providerName(leg.provider)) : null
}
