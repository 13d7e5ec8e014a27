/** Reward campaigns. */
import type { Operation } from './operation.ts'

export const campaigns: Record<string, Operation> = {
  'GET /api/v2/campaigns': {
    id: 'listCampaigns',
    tag: 'Campaigns',
    summary: 'Reward campaigns',
    description: 'Those that run, have ended or are announced; `[]` where there are none.',
  },
  'GET /api/v2/campaigns/{campaign}': {
    id: 'getCampaign',
    tag: 'Campaigns',
    summary: 'A campaign, by its id or name',
    description: 'With its budget, and what was earned of it.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/campaigns/{campaign}/leaderboard': {
    id: 'getLeaderboard',
    tag: 'Campaigns',
    summary: 'Who earned most',
    description: 'The first hundred addresses.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/campaigns/{campaign}/rewards/{address}': {
    id: 'getRewards',
    tag: 'Campaigns',
    summary: 'What an address earned',
    description:
      'In all, in this period, and swap by swap (the last hundred). An address that earned nothing gets zeros.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/campaigns/{campaign}/payouts/{address}': {
    id: 'listRewardPayouts',
    tag: 'Campaigns',
    summary: 'What an address was paid',
    description: 'One payout a period: ordered (`pending`), sent (`initiated`) or confirmed (`completed`).',
    codes: ['NOT_FOUND'],
  },
}
