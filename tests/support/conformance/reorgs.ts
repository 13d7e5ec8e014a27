/**
 * Conformance: cases that need a reorg on demand. A chain that cannot make one gives the reason; each such case is then
 * listed as not applicable, and the claim is tested.
 */
import { expect, it } from 'vitest'
import type { Subject, World } from './world.ts'

/** Blocks mined before a case, so that its reorg reaches nothing else. */
export const CUSHION = 6
/** Blocks that may be mined automatically between reading a depth and the reorg. */
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
