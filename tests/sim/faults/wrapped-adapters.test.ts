/** The simulator changes some members of an adapter; every other member and capability must stay. */
import type { ChainAdapter, Family } from '@causeway/core'
import { expect, test } from 'vitest'
import { fullAdapter, membersOf } from '../../support/chains/full-adapter.ts'
import { depositInspection, noSlotReuse } from '../guards/guards.ts'
import { type DisasterState, familyIn, WITH_DEPOSITORY } from './storm.ts'

const opened = async (change: (family: Family) => Family, name: string): Promise<string[]> => {
  const family = { open: async () => fullAdapter({ name }) } as unknown as Family
  const adapter: ChainAdapter = await change(family).open({ network: { name } } as Parameters<Family['open']>[0])
  return [...membersOf(adapter).keys()].sort()
}

test.each(['BETA', WITH_DEPOSITORY])('a storm keeps every capability of %s', async (name) => {
  const disasters = { storm: { batches: true } } as unknown as DisasterState
  const all = [...membersOf(fullAdapter({ name })).keys()].sort()
  expect(await opened((family) => familyIn(family, disasters), name)).toEqual(all)
})

test.each([noSlotReuse, depositInspection])('a guard that is taken away keeps every capability', async (guards) => {
  const all = [...membersOf(fullAdapter({ name: 'BETA' })).keys()].sort()
  expect(await opened((family) => guards.family?.(family) ?? family, 'BETA')).toEqual(all)
})
