/** Pauses and limits, and how to undo each. */
import { formatUsd } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import { look } from '../shell/calls.ts'
import type { Action } from './lists.ts'

const WHAT = ['both', 'swaps', 'payouts'] as const
const LIMITS = [
  'swap_max',
  'hourly_outflow',
  'daily_outflow',
  'wallet_ceiling',
  'wallet_floor',
  'approval_above',
] as const

export const RESUME: Action = {
  ...{ noun: 'switch', verb: 'resume', role: 'admin', from: { scope: 'scope' } },
  shows: ['reason', 'since'],
  // The undo restores the previous pause.
  undo: { how: () => ({ ...PAUSE, ask: [], from: { scope: 'scope', what: 'what' } }), before: pauseNow },
}

export const PAUSE: Action = {
  ...{ noun: 'switch', verb: 'pause', role: 'operator' },
  // A pause that existed before, set by anyone, is not resumed by the undo.
  undo: { how: (before) => (before ? null : RESUME), before: pauseNow },
  ask: [
    { name: 'scope', options: 'scopes' },
    { name: 'what', options: WHAT },
  ],
}

/** The current pause, as arguments that would set it again. */
async function pauseNow({ scope }: Record<string, string>): Promise<Record<string, string> | null> {
  const row = (await rowsOf('switch')).find((other) => other.scope === scope)
  const what = WHAT.find((part) => part === row?.paused) ?? 'both'
  return row ? { scope: row.scope ?? '', what } : null
}

const LIMIT = { kind: 'kind', scope: 'scope' }

export const CLEAR_LIMIT: Action = {
  ...{ noun: 'limit', verb: 'clear', role: 'admin', from: LIMIT, shows: ['usd', 'since'] },
  undo: { how: () => ({ ...SET_LIMIT, ask: [], from: { ...LIMIT, usd: 'usd' } }), before: limitNow },
}

export const SET_LIMIT: Action = {
  ...{ noun: 'limit', verb: 'set', role: 'admin' },
  ask: [{ name: 'kind', options: LIMITS }, { name: 'scope', options: 'scopes' }, { name: 'usd' }],
  refuses: contradiction,
  // The undo restores the previous limit, or clears it.
  undo: {
    how: (before) => (before ? { ...SET_LIMIT, ask: [], from: { ...LIMIT, usd: 'usd' } } : CLEAR_LIMIT),
    before: limitNow,
  },
}

/** The current limit; scopes are case-insensitive. */
async function limitNow({ kind, scope = '' }: Record<string, string>): Promise<Record<string, string> | null> {
  const rows = await rowsOf('limit')
  return rows.find((row) => row.kind === kind && row.scope?.toLowerCase() === scope.toLowerCase()) ?? null
}

const OTHER: Record<string, string> = { wallet_ceiling: 'wallet_floor', wallet_floor: 'wallet_ceiling' }

/** A wallet's maximum must not be below the minimum of the same scope. */
async function contradiction({ kind = '', scope = '', usd = '' }: Record<string, string>): Promise<string | null> {
  const kindOfOther = OTHER[kind]
  const other = kindOfOther && (await limitNow({ kind: kindOfOther, scope }))
  if (!other) return null
  return contradicts(kind, Number(usd), Number(other.usd))
}

/** `present`: the limit of the other kind, in dollars. */
export function contradicts(kind: string, usd: number, present: number): string | null {
  if (kind === 'wallet_ceiling' && usd < present) return text.ceilingTooLow(formatUsd(present))
  return kind === 'wallet_floor' && usd > present ? text.floorTooHigh(formatUsd(present)) : null
}

/** The current rows, each keyed by column heads. */
async function rowsOf(noun: string): Promise<Record<string, string>[]> {
  const [{ heads, rows } = { heads: [], rows: [] }] = (await look(noun, 'list')).tables
  return rows.map((row) => Object.fromEntries(heads.map((head, column) => [head, row[column] ?? ''])))
}
