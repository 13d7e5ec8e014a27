/**
 * Invariants of a finished run. Every violation names its swap, if there is one, so that its timeline can be printed.
 */

import type { World } from '../world/world.ts'
import { checkBooks, checkPostings, checkWallets } from './books.ts'
import { checkChains } from './chains.ts'
import type { Problem } from './problem.ts'
import { checkRewards } from './rewards.ts'
import { checkRules } from './rules.ts'
import { checkSwaps } from './swaps.ts'

export async function check(world: World): Promise<Problem[]> {
  const unexpectedErrors = world.unexpectedErrors.map((what) => ({ what: `an unexpected error: ${what}`, swap: null }))
  if (world.restores > 0) return [...unexpectedErrors, ...(await checkRestored(world))]
  const found = [await checkSwaps(world), await checkBooks(world), await checkChains(world), await checkRules(world)]
  found.push(await checkRewards(world))
  return [...unexpectedErrors, ...violations(world), ...found.flat()]
}

/** Violations that count even if the database has forgotten its promises. */
const EVEN_THEN = / at one moment$|a lost swap$|was not shown$/

/**
 * Violations that the oracle saw during the run. After a restore it knows less about promises, but still who was paid.
 */
export function violations({ restores, oracle }: World): readonly Problem[] {
  return restores > 0 ? oracle.problems.filter(({ what }) => EVEN_THEN.test(what)) : oracle.problems
}

/**
 * A restored database has lost its promises and depends on operator decisions, so single swaps are not judged. But
 * nothing is paid twice, the review ends, and from then on the ledger equals the chains.
 */
async function checkRestored(world: World): Promise<Problem[]> {
  const isReviewed = world.restoring === null
  const review = isReviewed ? [] : [{ what: 'the journal was never replayed', swap: null }]
  return [
    ...violations(world),
    ...review,
    ...(await checkPostings(world)),
    ...(isReviewed ? await checkWallets(world) : []),
  ]
}
