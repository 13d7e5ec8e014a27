/** The rooms: which lists each shows, and what can be done with a row of them. All of it is what the command line can do. */
import { look } from './calls.ts'
import type { Action, List } from './lists.ts'

export const ROLES = ['viewer', 'support', 'operator', 'admin'] as const
const WHAT = ['both', 'swaps', 'payouts'] as const
const LIMITS = [
  'swap_max',
  'hourly_outflow',
  'daily_outflow',
  'wallet_ceiling',
  'wallet_floor',
  'approval_above',
] as const

const RESUME: Action = {
  ...{ noun: 'switch', verb: 'resume', role: 'admin', from: { scope: 'scope' } },
  shows: ['reason', 'since'],
  // Stopped again as far as it was.
  undo: { how: () => ({ ...PAUSE, ask: [], from: { scope: 'scope', what: 'what' } }), before: pauseNow },
}

export const PAUSE: Action = {
  ...{ noun: 'switch', verb: 'pause', role: 'operator', undo: { how: () => RESUME } },
  ask: [
    { name: 'scope', options: 'scopes' },
    { name: 'what', options: WHAT },
  ],
}

/** The pause as it stands, in the words that make it anew. */
async function pauseNow({ scope }: Record<string, string>): Promise<Record<string, string> | null> {
  const row = (await rowsOf('switch')).find((other) => other.scope === scope)
  const what = WHAT.find((part) => part === row?.paused) ?? 'both'
  return row ? { scope: row.scope ?? '', what } : null
}

const LIMIT = { kind: 'kind', scope: 'scope' }

const CLEAR_LIMIT: Action = {
  ...{ noun: 'limit', verb: 'clear', role: 'admin', from: LIMIT, shows: ['usd', 'since'] },
  undo: { how: () => ({ ...SET_LIMIT, ask: [], from: { ...LIMIT, usd: 'usd' } }), before: limitNow },
}

const SET_LIMIT: Action = {
  ...{ noun: 'limit', verb: 'set', role: 'admin' },
  ask: [{ name: 'kind', options: LIMITS }, { name: 'scope', options: 'scopes' }, { name: 'usd' }],
  // Back to what it was, or to none.
  undo: {
    how: (before) => (before ? { ...SET_LIMIT, ask: [], from: { ...LIMIT, usd: 'usd' } } : CLEAR_LIMIT),
    before: limitNow,
  },
}

/** The limit as it stands; scopes are the same in other capitals. */
async function limitNow({ kind, scope = '' }: Record<string, string>): Promise<Record<string, string> | null> {
  const rows = await rowsOf('limit')
  return rows.find((row) => row.kind === kind && row.scope?.toLowerCase() === scope.toLowerCase()) ?? null
}

/** What is listed now, each row by the heads of its columns. */
async function rowsOf(noun: string): Promise<Record<string, string>[]> {
  const [{ heads, rows } = { heads: [], rows: [] }] = (await look(noun, 'list')).tables
  return rows.map((row) => Object.fromEntries(heads.map((head, column) => [head, row[column] ?? ''])))
}

const PAYOUT = ['units', 'network', 'to', 'swap', 'reason'] as const
const WALLET = { network: 'network', wallet: 'wallet' }
const UNMATCHED = {
  ...{ noun: 'unmatched', role: 'operator' as const, from: { deposit: 'id' } },
  shows: ['network', 'units', 'from'],
}

const REQUEST = {
  ...{ noun: 'request', role: 'operator' as const, from: { id: 'id' }, effectOf: 'command' },
  shows: ['command', 'with', 'about', 'worth', 'why', 'asked by', 'asked at'],
}

/** A swap has a page of its own. */
const SHOW: Action = {
  ...{ noun: 'swap', verb: 'show', role: 'viewer', reads: true },
  page: ({ id }) => `/operator/swap/${encodeURIComponent(id ?? '')}`,
}
export const NOTE: Action = {
  ...{ noun: 'swap', verb: 'note', role: 'support', from: { id: 'id' } },
  ...{ ask: [{ name: 'text', long: true }], said: 'text' },
}
export const REFUND: Action = { noun: 'swap', verb: 'refund', role: 'support', ask: [{ name: 'to' }] }

export const MONEY: Record<string, List[]> = {
  requests: [
    {
      ...{ noun: 'request', verb: 'list' },
      rows: [
        { ...REQUEST, verb: 'confirm', notBy: 'asked by' },
        { ...REQUEST, verb: 'refuse' },
      ],
    },
  ],
  swaps: [
    {
      ...{ noun: 'payout', verb: 'held' },
      rows: [
        {
          ...{ noun: 'payout', verb: 'approve', role: 'operator', from: { id: 'id' }, shows: PAYOUT },
          ask: [{ name: 'signature', optional: true }],
        },
        { noun: 'payout', verb: 'reject', role: 'operator', from: { id: 'id' }, shows: PAYOUT },
        { noun: 'payout', verb: 'cancel', role: 'operator', from: { id: 'id' }, shows: PAYOUT },
        { noun: 'payout', verb: 'approval', role: 'admin', from: { id: 'id' }, shows: PAYOUT },
      ],
    },
    {
      ...{ noun: 'swap', verb: 'list', values: { owed: '' } },
      rows: [
        { ...SHOW, from: { id: 'id' } },
        NOTE,
        { ...REFUND, from: { id: 'id' }, shows: ['network', 'units', 'reason'] },
      ],
      free: [
        { ...SHOW, ask: [{ name: 'id' }] },
        { ...REFUND, ask: [{ name: 'id' }, { name: 'to' }] },
      ],
    },
    {
      ...{ noun: 'unmatched', verb: 'list' },
      rows: [
        { ...UNMATCHED, verb: 'assign', ask: [{ name: 'swap' }] },
        { ...UNMATCHED, verb: 'refund', ask: [{ name: 'to' }] },
        { ...UNMATCHED, verb: 'ignore' },
      ],
    },
  ],
  wallets: [
    {
      ...{ noun: 'wallet', verb: 'list' },
      rows: [
        { noun: 'wallet', verb: 'halt', role: 'operator', from: WALLET },
        { noun: 'wallet', verb: 'release', role: 'admin', from: WALLET, shows: ['missing', 'halted'] },
      ],
    },
  ],
  limits: [
    {
      ...{ noun: 'switch', verb: 'list' },
      rows: [RESUME],
      free: [PAUSE],
    },
    {
      ...{ noun: 'limit', verb: 'list' },
      rows: [CLEAR_LIMIT],
      free: [SET_LIMIT],
    },
  ],
}
