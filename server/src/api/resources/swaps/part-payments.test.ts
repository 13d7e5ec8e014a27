/** A part payment: the swap says what arrived, what is missing and until when, and the action asks for the rest. */
import { CreatedSwap, DepositAction, SwapDetails, SwapProgress } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { movesOf } from '../../../../../tests/support/service/moves.ts'

const START = new Date('2026-03-01T12:00:00Z')
const WINDOW_MS = 3_600_000

let api: TestApi
let recipient: string
beforeAll(async () => {
  api = await startApi({ DEPOSIT_WINDOW_SECONDS: '3600' }, () => START)
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
})
afterAll(() => api.stop())

async function create(fields: Record<string, unknown> = {}) {
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  const body = { ...route, destination_address: recipient, amount: 100, ...fields }
  const { swap, deposit_actions } = await api.ask(CreatedSwap, post('/api/v2/swaps', body))
  return { id: swap.id, swap, action: deposit_actions[0], moves: movesOf(api.services, swap.id) }
}
const read = (id: string) => api.ask(SwapDetails, `/api/v2/swaps/${id}`)
const actions = (id: string) => api.ask(z.array(DepositAction), `/api/v2/swaps/${id}/deposit_actions`)
const windowEnd = new Date(START.getTime() + WINDOW_MS).toISOString()

test('a new swap has received nothing and waits for the whole amount', async () => {
  const { swap } = await create()
  expect(swap).toMatchObject({
    received_amount: 0,
    received_amount_in_base_units: '0',
    remaining_amount: 100,
    remaining_amount_in_base_units: '100000000',
    waits_until: windowEnd,
  })
})

test('after a part payment the swap, its progress and its deposit action name the rest', async () => {
  const { id, moves } = await create()
  await moves.deposit(30_000_001n)
  const { swap, deposit_actions } = await read(id)
  const funding = {
    received_amount: 30.000001,
    received_amount_in_base_units: '30000001',
    remaining_amount: 69.999999,
    remaining_amount_in_base_units: '69999999',
    waits_until: expect.any(String),
  }
  expect(swap).toMatchObject({ status: 'user_transfer_pending', requested_amount: 100, ...funding })
  expect(await api.ask(SwapProgress, `/api/v2/swaps/${id}/progress`)).toMatchObject(funding)
  expect(Date.parse(swap.waits_until ?? '')).toBeLessThanOrEqual(Date.parse(windowEnd))
  const asked = { amount: 69.999999, amount_in_base_units: '69999999' }
  expect(deposit_actions).toMatchObject([asked])
  expect(await actions(id)).toMatchObject([asked])
})

test('the rest pays the swap, and then nothing is missing', async () => {
  const { id, moves } = await create()
  await moves.deposit(30_000_000n)
  await moves.deposit(70_000_000n)
  const { swap } = await read(id)
  expect(swap).toMatchObject({
    status: 'ls_transfer_pending',
    received_amount: 100,
    remaining_amount: 0,
    remaining_amount_in_base_units: '0',
    waits_until: null,
  })
})

test('a deposit address asks for the rest too', async () => {
  const { id, action, moves } = await create({ use_deposit_address: true })
  expect(action).toMatchObject({ type: 'manual_transfer', amount: 100 })
  await moves.deposit(40_000_000n)
  expect((await read(id)).deposit_actions).toMatchObject([{ type: 'manual_transfer', amount: 60 }])
})

test('an open amount misses nothing, and is awaited until its first deposit', async () => {
  const { swap } = await create({ use_deposit_address: true, amount: null })
  expect(swap).toMatchObject({ requested_amount: 0, remaining_amount: 0, waits_until: windowEnd })
})

test('the rest is the same in whole tokens and in base units, whatever digits the first part had', async () => {
  const { id, moves } = await create({ source_token: 'SIM', amount: 1 })
  await moves.deposit(123_456_789_012_345_678n)
  const { swap, deposit_actions } = await read(id)
  expect(swap.remaining_amount).toBe(0.87654322)
  expect(swap.remaining_amount_in_base_units).toBe('876543220000000000')
  expect(deposit_actions).toMatchObject([{ amount: 0.87654322, amount_in_base_units: '876543220000000000' }])
})
