/** Texts of the console's charts and of its list of all swaps. */
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
