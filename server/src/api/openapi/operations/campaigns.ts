/** Reward campaigns. */
import type { Operation } from './operation.ts'

export const campaigns: Record<string, Operation> = {
  'GET /api/v2/campaigns': {
    tag: 'Campaigns',
    summary: 'Reward campaigns',
    description: 'Those that run, have ended or are announced; `[]` where there are none.',
  },
  'GET /api/v2/campaigns/{campaign}': {
    tag: 'Campaigns',
    summary: 'A campaign, by its id or name',
    description: 'With its budget, and what was earned of it.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/campaigns/{campaign}/leaderboard': {
    tag: 'Campaigns',
    summary: 'Who earned most',
    description: 'The first hundred addresses.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/campaigns/{campaign}/rewards/{address}': {
    tag: 'Campaigns',
    summary: 'What an address earned',
    description:
      'In all, in this period, and swap by swap (the last hundred). An address that earned nothing gets zeros.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/campaigns/{campaign}/payouts/{address}': {
    tag: 'Campaigns',
    summary: 'What an address was paid',
    description: 'One payout a period: ordered (`pending`), sent (`initiated`) or confirmed (`completed`).',
    codes: ['NOT_FOUND'],
  },
}
