/**
 * The content that a quote's signature covers: the promise of a swap (its terms, its recipient, and what to deposit
 * where), without values that change between responses (prices, logos, ranks).
 */
import { canonicalJson } from '../canonical.ts'
import type { DepositAction, Quote, Swap, Token } from '../types.ts'

export interface SignedParts {
  quote: Quote
  swap: Pick<Swap, 'id' | 'created_date' | 'destination_address' | 'refund_address' | 'metadata'>
  deposit_actions: DepositAction[]
}

/** What happens to a deposit whose price has moved, in words: part of every statement. */
const PRICE_TERMS =
  'A deposit in a block until expires_at is paid as quoted, unless the price of the day is worse for the depositor by more ' +
  'than the deviation that the operator publishes. Beyond that, or later, it is paid at the price of the day where that ' +
  'gives at least min_receive_amount; else the price is asked for again for 30 minutes, then the deposit is refunded.'

/** The signed text: canonical JSON. Both sides build it from the response's own fields. */
export function quoteStatement(parts: SignedParts, signedAt: string): string {
  const statement = statementOf(parts, signedAt)
  // The names below are already sorted, so plain JSON is canonical and much faster.
  const isInOrder = parts.deposit_actions.every(({ typed_data }) => typed_data === null)
  return isInOrder ? JSON.stringify(statement) : canonicalJson(statement)
}

/** Names in alphabetical order, here and in nested objects. */
export function statementOf({ quote, swap, deposit_actions }: SignedParts, signedAt: string) {
  return {
    deposit_actions: deposit_actions.map((action) => ({
      amount_in_base_units: action.amount_in_base_units,
      call_data: action.call_data,
      chain_id: action.network.chain_id,
      encoded_args: action.encoded_args,
      gas_limit: action.gas_limit,
      network: action.network.name,
      network_type: action.network.type,
      nonce: action.nonce,
      order: action.order,
      to_address: action.to_address,
      token: namedToken(action.token),
      type: action.type,
      typed_data: action.typed_data,
      valid_after: action.valid_after,
      valid_before: action.valid_before,
    })),
    quote: {
      blockchain_fee: quote.blockchain_fee,
      destination_network: quote.destination_network.name,
      destination_token: namedToken(quote.destination_token),
      expires_at: quote.expires_at,
      min_receive_amount: quote.min_receive_amount,
      price_terms: PRICE_TERMS,
      rate: quote.rate,
      receive_amount: quote.receive_amount,
      refuel_in_source: quote.refuel_in_source,
      requested_amount: quote.requested_amount,
      service_fee: quote.service_fee,
      slippage: quote.slippage,
      source_network: quote.source_network.name,
      source_token: namedToken(quote.source_token),
      total_fee: quote.total_fee,
    },
    signed_at: signedAt,
    swap: {
      created_date: swap.created_date,
      destination_address: swap.destination_address,
      id: swap.id,
      refund_address: swap.refund_address,
      sequence_number: swap.metadata.sequence_number,
    },
    type: 'causeway.quote.v3',
  }
}

/** A token by values that cannot change: symbols are only labels. */
function namedToken({ contract, decimals }: Token) {
  return { contract, decimals }
}
