/**
 * The signature beside a quote, and exactly what it is over: the promise that a swap makes (its terms, its recipient and
 * what to deposit where), without what may change from answer to answer (prices, logos, ranks).
 */
import { z } from 'zod'
import { canonicalJson } from '../canonical.ts'
import type { DepositAction } from './deposit-action.ts'
import type { Token } from './network.ts'
import type { Quote } from './quote.ts'
import type { Swap } from './swap.ts'
import { DateTime } from './values.ts'

export const QuoteSignature = z.strictObject({
  key_id: z.string().describe('Which key of /.well-known/causeway.json'),
  algorithm: z.literal('ed25519'),
  signed_at: DateTime,
  value: z.base64().describe('The signature of the canonical JSON of the statement'),
})
export type QuoteSignature = z.infer<typeof QuoteSignature>

/** GET /.well-known/causeway.json */
export const WellKnown = z.strictObject({
  service: z.literal('causeway'),
  environment: z.enum(['mainnet', 'testnet']),
  api: z.string(),
  quote_signing_keys: z.array(
    z.strictObject({ key_id: z.string(), algorithm: z.literal('ed25519'), public_key: z.base64() }),
  ),
})
export type WellKnown = z.infer<typeof WellKnown>

export interface SignedParts {
  quote: Quote
  swap: Pick<Swap, 'id' | 'created_date' | 'destination_address' | 'metadata'>
  deposit_actions: DepositAction[]
}

/** The text that is signed. Both sides make it from the answer's own fields. */
export function quoteStatement({ quote, swap, deposit_actions }: SignedParts, signedAt: string): string {
  return canonicalJson({
    type: 'causeway.quote.v1',
    signed_at: signedAt,
    swap: {
      id: swap.id,
      created_date: swap.created_date,
      destination_address: swap.destination_address,
      sequence_number: swap.metadata.sequence_number,
    },
    quote: {
      source_network: quote.source_network.name,
      source_token: namedToken(quote.source_token),
      destination_network: quote.destination_network.name,
      destination_token: namedToken(quote.destination_token),
      requested_amount: quote.requested_amount,
      receive_amount: quote.receive_amount,
      min_receive_amount: quote.min_receive_amount,
      total_fee: quote.total_fee,
      blockchain_fee: quote.blockchain_fee,
      service_fee: quote.service_fee,
      refuel_in_source: quote.refuel_in_source,
      slippage: quote.slippage,
      rate: quote.rate,
    },
    deposit_actions: deposit_actions.map((action) => ({
      type: action.type,
      to_address: action.to_address,
      amount_in_base_units: action.amount_in_base_units,
      call_data: action.call_data,
      network: action.network.name,
      token: namedToken(action.token),
      order: action.order,
      gas_limit: action.gas_limit,
      encoded_args: action.encoded_args,
      valid_after: action.valid_after,
      valid_before: action.valid_before,
      nonce: action.nonce,
      typed_data: action.typed_data,
    })),
  })
}

/** A token by what cannot change: symbols are labels. */
function namedToken({ contract, decimals }: Token) {
  return { contract, decimals }
}
