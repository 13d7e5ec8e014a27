/** Section 3 of the specification: every state and transition as a client sees it, and the refund rules. */
import { CreatedSwap, SwapDetails } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import {
  confirmDeposit,
  landPayouts,
  nameAddress,
  openPayouts,
  seeDeposit,
} from '../../../../tests/support/service/progress.ts'
import { applyEvent } from '../../flow/swap/advance.ts'

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }

let clock = new Date('2026-03-01T12:00:00Z')
let api: TestApi
let recipient: string
let sender: string
beforeAll(async () => {
  api = await startApi({ DEPOSIT_WINDOW_SECONDS: '3600' }, () => clock)
  recipient = (await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_001)) ?? ''
  sender = (await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_002)) ?? ''
})
afterAll(() => api.stop())

async function create(fields: object = {}): Promise<string> {
  const body = { ...ROUTE, destination_address: recipient, amount: 100, ...fields }
  return (await api.ask(CreatedSwap, post('/api/v2/swaps', body))).swap.id
}
const read = async (id: string) => (await api.ask(SwapDetails, `/api/v2/swaps/${id}`)).swap
const deposit = async (id: string, units?: bigint, from: string | null = null) =>
  confirmDeposit(api.services, id, await seeDeposit(api.services, id, { refundableSender: from }, units))

test('3: user_transfer_pending, ls_transfer_pending, completed', async () => {
  const id = await create()
  expect(await read(id)).toMatchObject({
    status: 'user_transfer_pending',
    close_date: null,
    fail_reason: null,
    transactions: [],
  })
  const depositId = await seeDeposit(api.services, id)
  expect(await read(id)).toMatchObject({
    status: 'user_transfer_pending',
    transactions: [{ type: 'input', status: 'initiated' }],
  })
  await confirmDeposit(api.services, id, depositId)
  expect(await read(id)).toMatchObject({
    status: 'ls_transfer_pending',
    transactions: [
      { type: 'input', status: 'completed' },
      { type: 'output', status: 'pending', transaction_hash: null },
    ],
  })
  await landPayouts(api.services, id)
  expect(await read(id)).toMatchObject({
    status: 'completed',
    close_date: expect.any(String),
    transactions: [{ type: 'input' }, { type: 'output', status: 'completed', transaction_hash: expect.any(String) }],
  })
})

test('3: a swap that cannot complete is refund_pending, then refunded, with a refund transaction', async () => {
  const id = await create({ refund_address: sender })
  await deposit(id)
  await applyEvent(api.services, id, { type: 'payout_abandoned', kind: 'output', depositId: null })
  expect(await read(id)).toMatchObject({ status: 'refund_pending', fail_reason: 'payout_rejected' })
  const [refund] = await openPayouts(api.services, id)
  expect(refund).toMatchObject({ kind: 'refund', network: 'ALPHA', to_address: sender })
  await landPayouts(api.services, id)
  const swap = await read(id)
  expect(swap).toMatchObject({ status: 'refunded', close_date: expect.any(String) })
  expect(swap.transactions.filter(({ type }) => type === 'refund')).toMatchObject([
    { to: sender, status: 'completed', network: { name: 'ALPHA' }, token: { symbol: 'USDC' } },
  ])
})

test('3: no deposit within the window is expired', async () => {
  const id = await create()
  const start = clock
  clock = new Date(clock.getTime() + 2 * 3600_000)
  await applyEvent(api.services, id, { type: 'tick' })
  expect(await read(id)).toMatchObject({ status: 'expired', close_date: expect.any(String) })
  clock = start
  await api.services.refresh()
})

test('3: a deposit outside the limits fails with its reason and is refunded', async () => {
  const id = await create({ refund_address: sender, source_address: sender })
  await deposit(id, 60_000_000_000n, sender)
  expect(await read(id)).toMatchObject({ status: 'failed', fail_reason: 'received_more_than_valid_range' })
  expect(await openPayouts(api.services, id)).toMatchObject([{ kind: 'refund', to_address: sender }])
  const owed = await create({ use_deposit_address: true })
  await deposit(owed, 60_000_000_000n)
  const held = { status: 'pending_refund', fail_reason: 'received_more_than_valid_range', close_date: null }
  expect(await read(owed)).toMatchObject(held)
  const small = await create({ refund_address: sender })
  await deposit(small, 999_999n)
  // The rest may still arrive: only the end of the window decides.
  expect((await read(small)).status).toBe('user_transfer_pending')
  const start = clock
  clock = new Date(clock.getTime() + 2 * 3600_000)
  await api.services.refresh()
  await applyEvent(api.services, small, { type: 'tick' })
  clock = start
  await api.services.refresh()
  expect(await read(small)).toMatchObject({ status: 'failed', fail_reason: 'received_less_than_valid_range' })
})

test('3: owed without a safe address is pending_refund, until one is given', async () => {
  const id = await create()
  await deposit(id)
  await applyEvent(api.services, id, { type: 'payout_abandoned', kind: 'output', depositId: null })
  expect((await read(id)).status).toBe('pending_refund')
  await nameAddress(api.services, id, sender)
  expect((await read(id)).status).toBe('refund_pending')
  await landPayouts(api.services, id)
  expect((await read(id)).status).toBe('refunded')
})

test('3, refund rule 1: a refund is in the source token on the source network, less its gas', async () => {
  const id = await create({ destination_token: 'SIM', refund_address: sender })
  await deposit(id)
  await applyEvent(api.services, id, { type: 'payout_abandoned', kind: 'output', depositId: null })
  const [refund] = await openPayouts(api.services, id)
  const usdc = api.services.catalogue.network('ALPHA').tokens[1]
  expect(refund).toMatchObject({ network: 'ALPHA', token: usdc?.contract })
  expect((refund?.units ?? 0n) + (refund?.kept_units ?? 0n)).toBe(100_000_000n)
  expect(refund?.kept_units).toBeGreaterThan(0n)
})

test('3, refund rule 2: refund_address must be a payable address of the source network', async () => {
  const treasury = api.services.chains.get('ALPHA')?.treasury
  for (const address of ['not an address', treasury]) {
    const body = { ...ROUTE, destination_address: recipient, amount: 100, refund_address: address }
    expect(await api.refuse(post('/api/v2/swaps', body))).toMatchObject({
      code: 'INVALID_ADDRESS_ERROR',
      metadata: { refund_address: expect.any(String) },
    })
  }
})

test('3, refund rule 3: with a swap provider on the route a refund address is required', async () => {
  api.services.rules.push({ provider: 'dex' })
  try {
    const body = { ...ROUTE, destination_address: recipient, amount: 100 }
    expect(await api.refuse(post('/api/v2/swaps', body))).toMatchObject({ code: 'REFUND_ADDRESS_REQUIRED' })
  } finally {
    api.services.rules.length = 0
  }
})
