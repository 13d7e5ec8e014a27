/** The terms that the user reviewed, and whether a response matches them. */
import type { SwapDetails } from '@causeway/sdk/light'
import { cut } from '../money/format.ts'

export interface Terms {
  sourceNetwork: string
  sourceToken: string | null
  destinationNetwork: string
  destinationToken: string | null
  /** A plain decimal; null for an open amount. */
  amount: string | null
  recipient: string
  /** The refund address; null if the user gave none. */
  refund: string | null
}

export function isAsAgreed({ quote, swap }: Pick<SwapDetails, 'quote' | 'swap'>, terms: Terms): boolean {
  const amount = quote.requested_amount
  return (
    quote.source_network.name === terms.sourceNetwork &&
    quote.source_token.contract === terms.sourceToken &&
    quote.destination_network.name === terms.destinationNetwork &&
    quote.destination_token.contract === terms.destinationToken &&
    (terms.amount === null || Number(cut(terms.amount, quote.source_token.precision)) === amount) &&
    isSame(swap.destination_address, terms.recipient) &&
    isSame(swap.refund_address, terms.refund)
  )
}

function isSame(told: string | null, wanted: string | null): boolean {
  return told?.toLowerCase() === wanted?.toLowerCase()
}
