/**
 * The console pages: which lists each shows, and the actions of their rows. All of them are commands of the command
 * line.
 */
import type { Action, List } from './lists.ts'
import { CLEAR_LIMIT, PAUSE, RESUME, SET_LIMIT } from './switches.ts'

export const ROLES = ['viewer', 'support', 'operator', 'admin'] as const

const PAYOUT = ['units', 'network', 'to', 'swap', 'reason'] as const
const WALLET = { network: 'network', wallet: 'wallet' }
/** An answer names the hold that was shown. */
const HELD = { id: 'id', hold: 'hold' }
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
          ...{ noun: 'payout', verb: 'approve', role: 'operator', from: HELD, shows: PAYOUT },
          ask: [{ name: 'signature', optional: true }],
        },
        { noun: 'payout', verb: 'reject', role: 'operator', from: HELD, shows: PAYOUT },
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
        { noun: 'wallet', verb: 'halt', role: 'operator', from: WALLET, when: { column: 'halted', isSet: false } },
        {
          ...{
            noun: 'wallet',
            verb: 'release',
            role: 'admin',
            from: { ...WALLET, hold: 'hold' },
            shows: ['missing', 'halted'],
            when: { column: 'halted', isSet: true },
          },
          ask: [{ name: 'accept', optional: true }],
        },
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
