/** What each call is for, in a line, and where it stands in the pages. The shapes come from the routes' own schemas. */

export interface Operation {
  tag: 'Discovery' | 'Quotes' | 'Swaps' | 'Explorer' | 'Campaigns' | 'Webhooks' | 'Service'
  summary: string
  /** What it answers where that is no JSON. */
  content?: string
}

export const OPERATIONS: Record<string, Operation> = {
  'GET /api/v2/networks': { tag: 'Discovery', summary: 'Every network and its tokens' },
  'GET /api/v2/sources': { tag: 'Discovery', summary: 'Tokens that can be swapped from' },
  'GET /api/v2/destinations': { tag: 'Discovery', summary: 'Tokens that can be swapped into' },
  'GET /api/v2/transaction_status': { tag: 'Discovery', summary: 'What a chain says of a transaction' },
  'GET /api/v2/address': { tag: 'Discovery', summary: 'What an address is, before anything is sent there' },
  'GET /api/v2/balance': { tag: 'Discovery', summary: 'What an address holds, and what sending costs' },
  'GET /api/v2/source_exchanges': { tag: 'Discovery', summary: 'Exchanges to deposit from' },
  'GET /api/v2/exchange_withdrawal_networks': { tag: 'Discovery', summary: 'Where exchanges pay out to' },
  'GET /api/v2/limits': { tag: 'Quotes', summary: 'The smallest and the largest amount of a route' },
  'GET /api/v2/quote': { tag: 'Quotes', summary: 'What a swap of this amount would cost and deliver now' },
  'GET /api/v2/detailed_quote': { tag: 'Quotes', summary: 'What a route costs, by tiers of the amount' },
  'POST /api/v2/swaps': { tag: 'Swaps', summary: 'Make a swap, and learn what to deposit' },
  'GET /api/v2/swaps': { tag: 'Swaps', summary: "An address's, a reference's or an app's swaps" },
  'GET /api/v2/swaps/internal': { tag: 'Swaps', summary: 'The same as GET /api/v2/swaps' },
  'GET /api/v2/internal/swaps': { tag: 'Swaps', summary: 'The same as GET /api/v2/swaps' },
  'GET /api/v2/swaps/{swapId}': { tag: 'Swaps', summary: 'A swap, its quote and its transactions' },
  'GET /api/v2/swaps/{swapId}/deposit_actions': { tag: 'Swaps', summary: 'What to deposit, and how' },
  'GET /api/v2/swaps/{swapId}/progress': {
    tag: 'Swaps',
    summary: 'How far a swap is, against the usual time, and what it waits for',
  },
  'GET /api/v2/swaps/{swapId}/events': {
    tag: 'Swaps',
    summary: 'The swap as server-sent events, until it reaches a terminal state',
    content: 'text/event-stream',
  },
  'GET /api/v2/swaps/by_transaction_hash/{transactionHash}': { tag: 'Swaps', summary: 'The swap of a transaction' },
  'POST /api/v2/swaps/{swapId}/deposit_speedup': { tag: 'Swaps', summary: 'Name the deposit that was sent' },
  'POST /api/v2/swaps/{swapId}/authorize': { tag: 'Swaps', summary: 'Submit the authorization of a gasless deposit' },
  'GET /api/v2/swaps/{swapId}/authorize': { tag: 'Swaps', summary: 'What became of a gasless authorization' },
  'POST /api/v2/swaps/{swapId}/refund_address': { tag: 'Swaps', summary: 'Say where owed money shall go' },
  'GET /api/v2/explorer': { tag: 'Explorer', summary: 'Every swap, newest first' },
  'GET /api/v2/explorer/{search}': { tag: 'Explorer', summary: 'Swaps by address, transaction or id' },
  'GET /api/v2/explorer/analytics': { tag: 'Explorer', summary: 'Volumes by network and over time' },
  'GET /api/v2/routes/health': { tag: 'Explorer', summary: 'How many swaps of each route arrived, and how fast' },
  'GET /api/v2/campaigns': { tag: 'Campaigns', summary: 'Reward campaigns' },
  'GET /api/v2/campaigns/{campaign}': { tag: 'Campaigns', summary: 'A campaign, by its id or name' },
  'GET /api/v2/campaigns/{campaign}/leaderboard': { tag: 'Campaigns', summary: 'Who earned most' },
  'GET /api/v2/campaigns/{campaign}/rewards/{address}': { tag: 'Campaigns', summary: 'What an address earned' },
  'GET /api/v2/campaigns/{campaign}/payouts/{address}': { tag: 'Campaigns', summary: 'What an address was paid' },
  'GET /api/v2/webhooks': { tag: 'Webhooks', summary: "The app's webhook endpoints" },
  'POST /api/v2/webhooks': { tag: 'Webhooks', summary: 'Add a webhook endpoint; its secret is shown once' },
  'DELETE /api/v2/webhooks/{webhookId}': { tag: 'Webhooks', summary: 'Remove a webhook endpoint' },
  'POST /api/v2/webhooks/replay': { tag: 'Webhooks', summary: "Tell a swap's story again" },
  'GET /api/v2/internal/apps': { tag: 'Service', summary: 'An app by its name, as pages show it' },
  'GET /api/v2/site': { tag: 'Service', summary: 'Who runs this service, its clock, and what is paused' },
  'GET /.well-known/causeway.json': { tag: 'Service', summary: 'Who we are, and the key of our signatures' },
}
