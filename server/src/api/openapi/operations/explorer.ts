/** The public explorer. */
import type { Operation } from './operation.ts'

export const explorer: Record<string, Operation> = {
  'GET /api/v2/explorer': {
    id: 'listExplorerSwaps',
    tag: 'Explorer',
    summary: 'Every swap, newest first',
    description: 'With the filters and pages of `GET /swaps`. References and rewards are not shown here.',
  },
  'GET /api/v2/explorer/{search}': {
    id: 'searchSwaps',
    tag: 'Explorer',
    summary: 'Swaps by address, transaction or id',
    description: 'Whatever a person types into a search box. `[]` where nothing is found.',
  },
  'GET /api/v2/explorer/analytics': {
    id: 'getAnalytics',
    tag: 'Explorer',
    summary: 'Volumes by network and over time',
    description:
      'What came in from each network and what was delivered there, by hour, day or week. Made anew once a minute.',
  },
  'GET /api/v2/unmatched/{transactionHash}': {
    id: 'listUnmatchedDeposits',
    tag: 'Explorer',
    summary: 'Deposits of a transaction that name no swap',
    description:
      'They are kept and paid to nobody by themselves: a person gives each to its swap, or sends it back. `[]` where there is none.',
  },
  'GET /api/v2/routes/health': {
    id: 'listRouteHealth',
    tag: 'Explorer',
    summary: 'How many swaps of each route arrived, and how fast',
    description: 'Of the newest swaps of each pair of networks that were paid for.',
  },
}
