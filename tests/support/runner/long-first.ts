/** Long files first: one that begins among the last keeps a run waiting for it alone, and Vitest guesses by their size. */
import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ROOT = path.join(import.meta.dirname, '../../..')
/** Whose files take the longest, in this order; all others after them. */
const LONG = ['tests/sim/', 'tests/e2e/', 'tests/browser/', 'tests/attacks/', 'tests/', 'server/src/flow/']

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const file = path.relative(ROOT, moduleId)
  const place = LONG.findIndex((room) => file.startsWith(room))
  return place < 0 ? LONG.length : place
}
