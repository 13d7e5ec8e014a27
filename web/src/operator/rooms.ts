/** The rooms: which lists each shows, and what can be done with a row of them. All of it is what the command line can do. */
export interface Action {
  noun: string
  verb: string
  /** The least role that may. */
  role: 'viewer' | 'support' | 'operator' | 'admin'
  /** Options that a row fills in, by the column's head. */
  from?: Record<string, string>
  /** A bare word that a row fills in, or that is asked for. */
  named?: string
  /** Options that are asked for. */
  ask?: Field[]
  /** Shows what it tells instead of asking why. */
  reads?: boolean
}
export interface Field {
  name: string
  /** Chosen from these; 'scopes' are those there are. */
  options?: readonly string[] | 'scopes'
  optional?: boolean
  long?: boolean
}
export interface List {
  noun: string
  verb: string
  values?: Record<string, string>
  rows?: Action[]
  /** What needs no row. */
  free?: Action[]
}

export const ROLES = ['viewer', 'support', 'operator', 'admin'] as const
const WHAT = ['both', 'swaps', 'payouts'] as const
const LIMITS = ['swap_max', 'hourly_outflow', 'daily_outflow', 'wallet_ceiling', 'approval_above'] as const

export const PAUSE: Action = {
  ...{ noun: 'switch', verb: 'pause', role: 'operator' },
  ask: [
    { name: 'scope', options: 'scopes' },
    { name: 'what', options: WHAT },
  ],
}

export const MONEY: Record<string, List[]> = {
  swaps: [
    {
      ...{ noun: 'payout', verb: 'held' },
      rows: [
        {
          ...{ noun: 'payout', verb: 'approve', role: 'operator', from: { id: 'id' } },
          ask: [{ name: 'signature', optional: true }],
        },
        { noun: 'payout', verb: 'reject', role: 'operator', from: { id: 'id' } },
        { noun: 'payout', verb: 'cancel', role: 'operator', from: { id: 'id' } },
      ],
    },
    {
      ...{ noun: 'swap', verb: 'list', values: { owed: '' } },
      rows: [
        { noun: 'swap', verb: 'show', role: 'viewer', from: { id: 'id' }, reads: true },
        { noun: 'swap', verb: 'refund', role: 'operator', from: { id: 'id' }, ask: [{ name: 'to' }] },
      ],
      free: [{ noun: 'swap', verb: 'show', role: 'viewer', ask: [{ name: 'id' }], reads: true }],
    },
    {
      ...{ noun: 'unmatched', verb: 'list' },
      rows: [
        { noun: 'unmatched', verb: 'assign', role: 'operator', from: { deposit: 'id' }, ask: [{ name: 'swap' }] },
        { noun: 'unmatched', verb: 'refund', role: 'operator', from: { deposit: 'id' }, ask: [{ name: 'to' }] },
        { noun: 'unmatched', verb: 'ignore', role: 'operator', from: { deposit: 'id' } },
      ],
    },
  ],
  wallets: [
    {
      ...{ noun: 'wallet', verb: 'list' },
      rows: [
        { noun: 'wallet', verb: 'halt', role: 'operator', from: { network: 'network', wallet: 'wallet' } },
        { noun: 'wallet', verb: 'release', role: 'admin', from: { network: 'network', wallet: 'wallet' } },
      ],
    },
  ],
  limits: [
    {
      ...{ noun: 'switch', verb: 'list' },
      rows: [{ noun: 'switch', verb: 'resume', role: 'admin', from: { scope: 'scope' } }],
      free: [PAUSE],
    },
    {
      ...{ noun: 'limit', verb: 'list' },
      rows: [{ noun: 'limit', verb: 'clear', role: 'admin', from: { kind: 'kind', scope: 'scope' } }],
      free: [
        {
          ...{ noun: 'limit', verb: 'set', role: 'admin' },
          ask: [{ name: 'kind', options: LIMITS }, { name: 'scope', options: 'scopes' }, { name: 'usd' }],
        },
      ],
    },
  ],
}
