/** Every API call, in the order of the documentation. The schemas come from the routes. */
import { campaigns } from './operations/campaigns.ts'
import { discovery } from './operations/discovery.ts'
import { explorer } from './operations/explorer.ts'
import type { Operation } from './operations/operation.ts'
import { quotes } from './operations/quotes.ts'
import { service } from './operations/service.ts'
import { swaps } from './operations/swaps.ts'
import { webhooks } from './operations/webhooks.ts'

/** Operations by method and path. */
export const OPERATIONS: Record<string, Operation> = {
  ...discovery,
  ...quotes,
  ...swaps,
  ...explorer,
  ...campaigns,
  ...webhooks,
  ...service,
}

export const TAGS: Record<Operation['tag'], string> = {
  Discovery:
    'What can be swapped: networks, tokens, exchanges, and what a chain knows about an address or a transaction.',
  Quotes: 'What a swap would cost and deliver. Nothing is stored.',
  Swaps: 'Making a swap, saying what becomes of it, and following it to its end.',
  Explorer: 'Every swap, and sums over them. Public.',
  Campaigns: 'What is given back to those who swap.',
  Webhooks: "Endpoints that are told of an app's swaps. Needs the app's secret key.",
  Service: 'Who runs this service, and how to check what it signs.',
}
