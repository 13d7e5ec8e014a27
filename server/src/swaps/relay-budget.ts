/**
 * What relays may cost us where they come to nothing. An owner may pass every trial and make the transaction fail in its block,
 * by code of their own or by taking the money away: the gas is ours. So each owner has a few such failures a day for a token,
 * and each network some for all owners together; those that may be on their way are counted in.
 */
import type { Config } from '../config.ts'
import type { Queries } from '../store/db/database.ts'
import { allRelays, type RelayOwner, relaysOf } from '../store/swaps/gasless.ts'

/** Failures of one owner and token in a day. Honest ones are rare: the call was tried a moment before. */
const MOST_FAILURES = 2
const DAY_MS = 24 * 3600_000

export type RelayBudget =
  | { state: 'left' }
  /** As many are on their way as may still fail. */
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
  // A thousand owners could hand in theirs before the first of them has failed.
  const isInUse = failed + underWay >= MOST_FAILURES || all.failed + all.underWay >= mostOfAll
  return { state: isInUse ? 'in use' : 'left' }
}
