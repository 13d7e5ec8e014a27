import { expect, it } from 'vitest'
import { networkOf } from '../../../../core/src/fixtures.ts'
import { balanceChanges } from './balance-changes.ts'

const { nativeToken: token } = networkOf({})

it('reports incoming and outgoing amounts separately, even if they are equal', () => {
  expect(balanceChanges(token, { came: 3n, left: 3n })).toEqual([
    { token, units: 3n },
    { token, units: -3n },
  ])
})

it('leaves out what did not change', () => {
  expect(balanceChanges(token, { came: 0n, left: 2n })).toEqual([{ token, units: -2n }])
  expect(balanceChanges(token, { came: 0n, left: 0n })).toEqual([])
})
