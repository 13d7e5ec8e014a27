/** What must be true when a run has come to rest. Every breach names the swap, where there is one, so that its story can be told. */
import { checkBooks } from './check-books.ts'
import { checkChains } from './check-chains.ts'
import { checkRules } from './check-rules.ts'
import { checkSwaps } from './check-swaps.ts'
import type { Problem } from './problem.ts'
import type { World } from './world.ts'

export async function check(world: World): Promise<Problem[]> {
  const surprises = world.surprises.map((what) => ({ what: `an unexpected error: ${what}`, swap: null }))
  // The books of a database that went back say what was, until somebody has gone over them: nobody may be paid twice, then as ever.
  if (world.weather.storm.restore) {
    const twice = world.oracle.problems.filter(({ what }) => / times at one moment$/.test(what))
    return world.restoring === null ? twice : [...twice, { what: 'the review of a restore never ended', swap: null }]
  }
  const found = [await checkSwaps(world), await checkBooks(world), await checkChains(world), await checkRules(world)]
  return [...surprises, ...world.oracle.problems, ...found.flat()]
}
