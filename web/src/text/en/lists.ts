/** History, explorer and route health. */
export const history = {
  title: 'History',
  heading: 'Your swaps',
  lead: 'Swaps of your addresses, from any device, and those that this browser made.',
  addAddress: 'Address',
  add: 'Show its swaps',
  addresses: 'Your addresses',
  remove: (address: string) => `Remove ${address}`,
  empty: 'Connect a wallet or paste an address to see its swaps.',
  none: 'No swaps yet. The first one appears here.',
  forget: 'Forget this browser’s list',
}

export const explorer = {
  title: 'Explorer',
  heading: 'All swaps',
  searchLabel: 'Address, transaction hash or swap id',
  search: 'Search',
  period: 'Period',
  volume: 'Volume over time',
  volumeNote: (usd: string, swaps: number, period: string) =>
    `${usd} in ${swaps} completed ${swaps === 1 ? 'swap' : 'swaps'} in ${period}`,
  quiet: (period: string) => `No swap was completed in the last ${period}.`,
  networks: 'In and out by network',
  asTable: 'The same as a table',
  network: 'Network',
  time: 'Time',
  in: 'In',
  out: 'Out',
  swaps: 'Swaps',
  route: 'Route',
  amount: 'Amount',
  status: 'Status',
  recent: 'Newest swaps',
  filterStatus: 'Status',
  any: 'Any',
  filterNetwork: 'Network',
  none: 'No swaps yet. The first one appears here.',
  notFound: (text: string) =>
    `Nothing found for ${text}. We looked for ids, hashes and addresses. A new transaction takes up to a minute.`,
  unmatched: {
    confirming: (network: string) =>
      `We see this deposit on ${network}, and it is being confirmed. It names no swap, so nothing is paid for it by itself.`,
    waiting: (network: string) =>
      `We hold this deposit on ${network}, and it is safe. It names no swap: a person will give it to its swap or send it back.`,
    returned: (network: string) => `This deposit on ${network} named no swap. It was sent back.`,
    kept: (network: string) => `This deposit on ${network} named no swap. The operator has put it aside.`,
  },
  unmatchedAsk:
    'Write to the operator, with this transaction, and say which swap it is for or where it shall go back to.',
  unmatchedAskAt: (contact: string) =>
    `Write to ${contact}, with this transaction, and say which swap it is for or where it shall go back to.`,
  foundFor: (text: string) => `Search for ${text}`,
  more: 'Older swaps',
  health: 'Route health',
  healthLead: 'The newest swaps of each route: how many arrived, and how long they took.',
  success: 'Arrived',
  median: 'Median',
  p95: '95 %',
  tooFew: 'Too few swaps to judge this route.',
  noRoutes: 'No swaps yet. Routes appear here with their first ones.',
  notAdded: 'Volumes cannot be shown right now. We ask again in 30 s.',
  words: {
    user_transfer_pending: 'waiting for deposit',
    ls_transfer_pending: 'on its way',
    completed: 'done',
    failed: 'not delivered',
    expired: 'expired',
    refund_pending: 'going back',
    pending_refund: 'owed',
    refunded: 'returned',
  } as Record<string, string>,
}
