/**
 * Conformance: cases that need a reorg made to order. A chain that makes none says why; each such case is then listed by
 * its name as not applicable, and the chain is held to its word.
 */
import { expect, it } from 'vitest'
import type { Subject, World } from './world.ts'

/** Blocks put under a case before it is reorganised, so that the reorg reaches nothing else. */
export const CUSHION = 6
/** Blocks that may be made automatically between reading a depth and the reorg. */
export const SLACK = 3

export function itReorgs(subject: Subject, world: () => World, name: string, examine: () => Promise<void>): void {
  const { network, noReorgs } = subject
  if (noReorgs === undefined) {
    it(name, examine)
    return
  }
  it(`not applicable (${noReorgs}): ${name}`, async () => {
    await expect(world().devnet.reorg(network.name, 1)).rejects.toThrow()
  })
}
