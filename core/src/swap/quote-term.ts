/**
 * How long a quote's price holds: longer where the two tokens hardly move against each other, and never so short that a
 * deposit sent at once could not be in a block by then.
 */
import type { Network, Token } from '../money/network.ts'

const STEADY_MS = 15 * 60_000
const MOVING_MS = 5 * 60_000
/** Of the source: the next block may be found a moment before the deposit is sent. */
const BLOCKS = 2

export interface TermRules {
  /** Token families that are dollars. */
  dollars: readonly string[]
  /** The operator's own term, instead of the two above. */
  termMs: number | null
}

export function quoteTermMs(source: Token, destination: Token, network: Network, rules: TermRules): number {
  const groups = [source, destination].map(({ group, symbol }) => group ?? symbol)
  const isSteady = groups[0] === groups[1] || groups.every((group) => rules.dollars.includes(group))
  const wantedMs = rules.termMs ?? (isSteady ? STEADY_MS : MOVING_MS)
  return Math.max(wantedMs, BLOCKS * (network.blockMs ?? 0))
}
