/**
 * How long a quote is valid: longer if the two tokens hardly move against each other, and always long enough for a
 * deposit that is sent at once to be mined.
 */
import type { Network, Token } from '../money/network.ts'

const STEADY_MS = 15 * 60_000
const MOVING_MS = 5 * 60_000
/** Source blocks: the next block may be mined just before the deposit is sent. */
const BLOCKS = 2

export interface TermRules {
  /** Token groups that count as US dollars, such as USDC. */
  dollars: readonly string[]
  /** The operator's own term, which overrides the two above. */
  termMs: number | null
}

export function quoteTermMs(source: Token, destination: Token, network: Network, rules: TermRules): number {
  const groups = [source, destination].map(({ group, symbol }) => group ?? symbol)
  const isSteady = groups[0] === groups[1] || groups.every((group) => rules.dollars.includes(group))
  const wantedMs = rules.termMs ?? (isSteady ? STEADY_MS : MOVING_MS)
  return Math.max(wantedMs, BLOCKS * (network.blockMs ?? 0))
}
