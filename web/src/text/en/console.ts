/** Texts of the console's charts and of its list of all swaps, and words for the values of the command line. */
import { explorer } from './lists.ts'
import { status } from './status.ts'

/** Values of tables, fields and choices. Values that are not here are shown as they are. */
export const WORDS: Record<string, string> = {
  ...explorer.words,
  ...Object.fromEntries(Object.entries(status.reasons).map(([code, reason]) => [code, sentence(reason)])),
  swap_max: 'Largest swap',
  hourly_outflow: 'Payouts per hour',
  daily_outflow: 'Payouts per day',
  wallet_ceiling: 'Wallet maximum',
  wallet_floor: 'Wallet minimum',
  approval_above: 'Approval above',
  service: 'Whole service',
  both: 'New swaps and payouts',
  swaps: 'New swaps',
  payouts: 'Payouts',
  earning: 'New rewards',
  output: 'Payout',
  refund: 'Refund',
  return: 'Return of a deposit',
  refuel: 'Gas top-up',
  reward: 'Reward',
  sweep: 'Sweep',
  rule: 'A rule',
  trouble: 'Retrying',
  viewer: 'Viewer',
  support: 'Support',
  operator: 'Operator',
  admin: 'Admin',
  secret: 'Secret',
  public: 'Public',
  testnet: 'Testnet',
  mainnet: 'Mainnet',
  waiting: 'Waiting',
  'given-up': 'Given up',
  'given up': 'Given up',
  delivered: 'Delivered',
  true: 'Yes',
  false: 'No',
  live: 'In use',
  active: 'Active',
  none: 'None',
  unknown: 'Unknown',
}

function sentence(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1).replace(/\.$/, '')
}

export const FIGURES = {
  charts: {
    title: 'Last 14 days',
    volume: 'Volume',
    fees: 'Fees',
    payouts: 'Payouts',
    latency: 'Median time',
    day: 'Day (UTC)',
    table: 'Show as a table',
  },
  allSwaps: {
    title: 'All swaps',
    search: 'Search swaps',
    searchNote: 'Swap ID, address, transaction, or your customer’s reference.',
    kinds: {
      all: 'All',
      needs: 'Need you',
      progress: 'In progress',
      done: 'Done',
      refunded: 'Refunded',
      failed: 'Failed or expired',
    },
    anyNetwork: 'Any network',
    none: 'No swap matches.',
    older: 'Older swaps',
    heads: {
      swap: 'Swap',
      recipient: 'Recipient',
      sent: 'Sent',
      received: 'Received',
      status: 'Status',
      reference: 'Reference',
      age: 'Age',
    },
  },
}
