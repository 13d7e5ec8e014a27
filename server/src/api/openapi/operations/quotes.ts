/** Limits and quotes. */
import { AMOUNT_CODES, type Operation, ROUTE_CODES } from './operation.ts'

export const quotes: Record<string, Operation> = {
  'GET /api/v2/limits': {
    id: 'getLimits',
    tag: 'Quotes',
    summary: 'The smallest and the largest amount of a route',
    description:
      'In the source token. Limits move with fees, prices and what the service holds: ask shortly before you need them. Give the funding flags that the swap will have, since a deposit address or a gasless deposit costs more.',
    codes: ROUTE_CODES,
  },
  'GET /api/v2/quote': {
    id: 'getQuote',
    tag: 'Quotes',
    summary: 'What a swap of this amount would cost and deliver now',
    description:
      '`total_fee = blockchain_fee + service_fee`, both in the source token; `receive_amount = (requested_amount - total_fee - refuel_in_source) * rate`, rounded down; `min_receive_amount = receive_amount * (1 - slippage)`. Nothing is stored and nothing is held: `POST /swaps` makes a fresh quote of its own.',
    codes: [...ROUTE_CODES, ...AMOUNT_CODES],
  },
  'GET /api/v2/detailed_quote': {
    id: 'getDetailedQuote',
    tag: 'Quotes',
    summary: 'What a route costs, by tiers of the amount',
    description:
      'Fixed and percental fees for every range of amounts, and the steps of the path, without an amount being named.',
    codes: ROUTE_CODES,
  },
}
