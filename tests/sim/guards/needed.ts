/**
 * Shows that a guard is needed: without it, some seed of a bounded range shows the problem that it prevents, and with
 * it the same seed is clean. The seed changes with every change of the simulator, so it is searched each time.
 */

import { type RunOptions, run } from '../run.ts'
import type { Cluster } from '../world/database.ts'
import { type Guards, without } from './guards.ts'

export interface Case {
  missing: readonly Partial<Guards>[]
  /** The probability of a pause at a call, for guards against pauses. */
  freeze?: number
  weights?: NonNullable<RunOptions['weights']>
  /** The seed that showed the problem last time. It is tried first. */
  first?: number
}

export interface Findings {
  seed: number
  problems: string[]
  /** Why payouts had to wait. */
  refusals: ReadonlySet<string>
}

const SWAPS = 20
/** Seeds that show a problem soonest come first. */
const SEEDS = [1, 2, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17]

/** A run without these guards, which ends at the first problem of this kind. */
async function findings(cluster: Cluster, seed: number, wanted: Case, until?: RegExp): Promise<Findings> {
  const { missing, first: _, ...options } = wanted
  const { world, problems } = await run(cluster, {
    ...{ seed, swaps: SWAPS, guards: without(...missing), ...options },
    ...(until ? { until } : {}),
  })
  await world.stop()
  return { seed, problems: problems.map(({ what }) => what), refusals: world.refusals }
}

/** The first seed that shows the problem; throws if none does. */
export async function search(
  cluster: Cluster,
  wanted: Case,
  isFound: (found: Findings) => boolean | Promise<boolean>,
  until?: RegExp,
): Promise<Findings> {
  for (const seed of new Set([wanted.first ?? 1, ...SEEDS])) {
    const found = await findings(cluster, seed, wanted, until)
    if (await isFound(found)) return found
  }
  throw new Error(`none of the seeds ${SEEDS.join(', ')} shows what was looked for`)
}

const controls = new Map<string, Promise<boolean>>()

/** Returns the seed that shows a problem of this kind without these guards, and no problem with them. */
export async function seedThatNeeds(cluster: Cluster, wanted: Case, kind: RegExp): Promise<number> {
  const isClean = async (seed: number) => {
    const name = JSON.stringify([seed, wanted.freeze, wanted.weights])
    const control =
      controls.get(name) ??
      findings(cluster, seed, { ...wanted, missing: [] }).then(({ problems }) => problems.length === 0)
    controls.set(name, control)
    return control
  }
  const { seed } = await search(
    cluster,
    wanted,
    async (found) => found.problems.some((what) => kind.test(what)) && (await isClean(found.seed)),
    kind,
  )
  console.log(`seed ${seed} shows ${kind}`)
  return seed
}
