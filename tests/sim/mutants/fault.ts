/** A deliberate fault: one line of the code, changed, and what a run or a test needs to notice it. */
import type { StormName } from '../faults/storm.ts'
import type { RunOptions } from '../run.ts'

export interface Fault {
  name: string
  file: string
  /** Must occur exactly once in the file. */
  find: string
  replace: string
  /** The options that a run needs for the fault to show. */
  options?: Partial<RunOptions>
  /** The disasters that a run needs for the fault to show. */
  storms?: readonly StormName[]
  /** A seed that is known to detect it, tried before the most sensitive seeds. */
  first?: number
  /** The test that notices it, if the simulator does not run this code or has no rule for it. */
  test?: { file: string; title: string }
  /** Why the fault cannot be noticed: it changes no payment, debt or message. Such a mutant may survive. */
  equivalent?: string
}

/** A fault that this test notices. */
export const inTest = (file: string, title: string): Required<Pick<Fault, 'test'>> => ({ test: { file, title } })
