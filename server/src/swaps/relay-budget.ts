/**
 * Limits what failed relays may cost us. An owner can pass every simulation and still make the transaction fail on
 * chain, by contract code or by moving the money: we pay the gas. So each owner has a few failures per day and token,
 * and each network has a daily limit over all owners. Relays in flight count as failures.
 */
import type { Config } from '../config.ts'
import type { Queries } from '../store/db/database.ts'
import { allRelays, type RelayOwner, relaysOf } from '../store/swaps/gasless.ts'

/** Failures per owner, token and day. Honest failures are rare: the call was simulated a moment before. */
const MOST_FAILURES = 2
const DAY_MS = 24 * 3600_000

export type RelayBudget =
  | { state: 'left' }
  /** As many relays are in flight as may still fail today. */
  | { state: 'in use' }
  | { state: 'spent'; reason: string }

export async function relayBudget(
  queries: Queries,
  { relayFailuresPerDay: mostOfAll }: Pick<Config, 'relayFailuresPerDay'>,
  whose: RelayOwner,
  now: Date,
): Promise<RelayBudget> {
  const since = new Date(now.getTime() - DAY_MS)
  const { failed, underWay } = await relaysOf(queries, whose, since)
  if (failed >= MOST_FAILURES) {
    return {
      state: 'spent',
      reason: `deposits that ${whose.owner} signed for failed on chain ${failed} times in a day`,
    }
  }
  const all = await allRelays(queries, whose, since)
  if (all.failed >= mostOfAll) {
    return { state: 'spent', reason: `too many deposits that were signed for failed on ${whose.network} today` }
  }
  // Relays in flight count, too: otherwise a thousand owners could submit theirs before the first one fails.
  const isInUse = failed + underWay >= MOST_FAILURES || all.failed + all.underWay >= mostOfAll
  return { state: isInUse ? 'in use' : 'left' }
}
