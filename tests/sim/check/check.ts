/** What must be true when a run has come to rest. Every breach names the swap, where there is one, so that its story can be told. */

import type { World } from '../world/world.ts'
import { checkBooks, checkPostings, checkWallets } from './books.ts'
import { checkChains } from './chains.ts'
import type { Problem } from './problem.ts'
import { checkRewards } from './rewards.ts'
import { checkRules } from './rules.ts'
import { checkSwaps } from './swaps.ts'

export async function check(world: World): Promise<Problem[]> {
  const surprises = world.surprises.map((what) => ({ what: `an unexpected error: ${what}`, swap: null }))
  if (world.restores > 0) return [...surprises, ...(await checkRestored(world))]
  const found = [await checkSwaps(world), await checkBooks(world), await checkChains(world), await checkRules(world)]
  found.push(await checkRewards(world))
  return [...surprises, ...accusations(world), ...found.flat()]
}

/** What the oracle has seen on the way. After a restore it knows less than before of what was promised, but not of who was paid. */
export function accusations({ restores, oracle }: World): readonly Problem[] {
  return restores > 0 ? oracle.problems.filter(({ what }) => / times at one moment$/.test(what)) : oracle.problems
}

/**
 * A database that went back has forgotten what it promised, and is told by a person: what it says of single swaps is not
 * judged. Nobody may be paid twice, then as ever; the review comes to an end; and from then on the books are what the chains hold.
 */
async function checkRestored(world: World): Promise<Problem[]> {
  const isReviewed = world.restoring === null
  const review = isReviewed ? [] : [{ what: 'the review of a restore never ended', swap: null }]
  return [
    ...accusations(world),
    ...review,
    ...(await checkPostings(world)),
    ...(isReviewed ? await checkWallets(world) : []),
  ]
}
