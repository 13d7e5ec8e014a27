import type { SwapDetails } from '@causeway/sdk/light'
import { expect, test } from 'vitest'
import { heldTokenOf, salesOf } from './legs.ts'

const [GEM, USDC] = [{ symbol: 'GEM' }, { symbol: 'USDC' }]
const AMOUNTS = { provider: 'uniswap', sold_token: GEM, sold_amount: 50, bought_token: USDC, bought_amount: 99 }

function swap(leg: object): SwapDetails['swap'] {
  const legs = [{ type: 'sale', made_by: 'service', status: 'completed', ...AMOUNTS, ...leg }]
  return { source_token: GEM, legs, transactions: [] } as unknown as SwapDetails['swap']
}

test('an exchange by the depositor is named as one, and its output is what may be owed', () => {
  const [own, ours] = [swap({ made_by: 'depositor' }), swap({})]
  expect(salesOf(own).map(({ name }) => name)).toEqual(['You sold 50 GEM for 99 USDC on Uniswap'])
  expect(salesOf(ours).map(({ name }) => name)).toEqual(['Sold 50 GEM for 99 USDC on Uniswap'])
  expect([heldTokenOf(own), heldTokenOf(ours)]).toEqual([USDC, GEM])
})

test('an exchange that the depositor has not made is no step yet, one of the service is', () => {
  const open = { status: 'pending', bought_amount: null }
  expect(salesOf(swap({ ...open, made_by: 'depositor' }))).toEqual([])
  expect(salesOf(swap(open))).toMatchObject([{ state: 'now' }])
})
