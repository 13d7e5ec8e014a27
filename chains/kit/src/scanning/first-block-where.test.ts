import { describe, expect, it } from 'vitest'
import { firstBlockWhere } from './first-block-where.ts'

/**
 * A condition that is true from block `since` on and readable from block `known` on. It records the blocks it was asked
 * about.
 */
function condition(since: bigint, known = 0n) {
  const asked: bigint[] = []
  const isTrueAt = async (block: bigint) => {
    asked.push(block)
    return block < known ? null : block >= since
  }
  return { asked, isTrueAt }
}

describe('the first block where a condition is true', () => {
  it('is found wherever it lies, the first block of the chain included', async () => {
    for (let last = 0n; last < 70n; last++) {
      for (let since = 0n; since <= last; since++) {
        expect(await firstBlockWhere(condition(since).isTrueAt, last), `${since} of ${last}`).toBe(since)
      }
    }
  })

  it('is null if the condition is false at the last block', async () => {
    expect(await firstBlockWhere(condition(11n).isTrueAt, 10n)).toBeNull()
  })

  it('is null, and nothing is asked, if there is no block to search', async () => {
    const { asked, isTrueAt } = condition(0n)
    expect(await firstBlockWhere(isTrueAt, -1n)).toBeNull()
    expect(asked).toEqual([])
  })

  it('is null if a block on the way is not known', async () => {
    expect(await firstBlockWhere(condition(2n, 11n).isTrueAt, 10n)).toBeNull()
    expect(await firstBlockWhere(condition(2n, 5n).isTrueAt, 100n)).toBeNull()
    expect(await firstBlockWhere(condition(50n, 40n).isTrueAt, 100n)).toBeNull()
  })

  it('asks about few blocks: steps double backwards, then the last one is halved', async () => {
    const { asked, isTrueAt } = condition(87n)
    expect(await firstBlockWhere(isTrueAt, 100n)).toBe(87n)
    expect(asked).toEqual([100n, 99n, 97n, 93n, 85n, 89n, 87n, 86n])
  })
})
