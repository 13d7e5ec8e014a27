/**
 * Starts long test files first, because one that starts last delays the whole run. Vitest sorts by the duration of the
 * last run, which a fresh clone does not have, and then by size.
 */
import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ROOT = path.join(import.meta.dirname, '../../..')
/** Path prefixes of the longest files, longest first; all others come after them. */
const LONG = [
  'tests/e2e/resilience/',
  'tests/e2e/funding/',
  'tests/browser/',
  'tests/attacks/operators/',
  'tests/sim/',
  'tests/e2e/',
  'contracts/',
  'server/src/admin/restore/',
  'tests/',
  'chains/paradex/',
  'server/src/flow/',
]

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Files of a tier stay together, so that they share processes.
    const byTier = Map.groupBy(sorted, ({ project }) => project.name)
    return [...byTier.values()].flatMap((tier) => tier.toSorted((a, b) => placeOf(a) - placeOf(b)))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const file = path.relative(ROOT, moduleId)
  const place = LONG.findIndex((start) => file.startsWith(start))
  return place < 0 ? LONG.length : place
}
