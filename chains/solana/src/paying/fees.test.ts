import { callNode } from '@causeway/chain-kit'
import { FeeAboveLimit } from '@causeway/core'
import { expect, test } from 'vitest'
import type { SolanaChain } from '../chain.ts'
import { unitPriceNow, unitPriceOffered } from './fees.ts'

const settings = { minUnitPrice: 10n, maxUnitPrice: 1_000n }
const chain = { settings, treasury: 'treasury' } as SolanaChain

/** A node that reports recent prices for writing to the treasury, and global prices. */
const nodeWith = (own: number[], anywhere: number[]) =>
  callNode('node', async (calls) =>
    calls.map(({ params, read }) => {
      const [writable] = params as [string[]]
      return read((writable.length > 0 ? own : anywhere).map((prioritizationFee) => ({ prioritizationFee })))
    }),
  )

test('three of four recent blocks would have accepted the offer, within the operator’s bounds', async () => {
  const offered = (...own: number[]) => unitPriceOffered(chain, nodeWith(own, [0]), [chain.treasury])
  expect(await offered()).toBe(10n)
  expect(await offered(1, 2, 3)).toBe(10n)
  expect(await offered(500, 100, 300, 200, 400)).toBe(400n)
  expect(await offered(1_000)).toBe(1_000n)
})

test('if no block accepts less than the ceiling from any sender, nothing is offered', async () => {
  await expect(unitPriceOffered(chain, nodeWith([1_001], [1_001]), [chain.treasury])).rejects.toThrow(FeeAboveLimit)
})

test('high-priced dust to the treasury stops no payout, and makes none cost more than the ceiling', async () => {
  expect(await unitPriceOffered(chain, nodeWith([9_000_000], [0]), [chain.treasury])).toBe(1_000n)
  expect(await unitPriceOffered(chain, nodeWith([9_000_000], [1_000]), [chain.treasury])).toBe(1_000n)
})

test('more than the ceiling is never charged either', async () => {
  expect(await unitPriceNow(chain, nodeWith([9_000_000], [9_000_000]), [chain.treasury])).toBe(1_000n)
})
