/** Creating and reading swaps: what is stored, shown and rejected. */
import { CreatedSwap, DepositAction, Nothing, SwapDetails } from '@causeway/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { keyOf } from '../../../../../tests/support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'

const START = new Date('2026-03-01T12:00:00Z')

let api: TestApi
let recipient: string
let sender: string
beforeAll(async () => {
  api = await startApi({ QUOTE_TTL_SECONDS: '900', DEPOSIT_WINDOW_SECONDS: '3600' }, () => START)
  // Valid addresses of the family that are not ours.
  recipient = await addressOf(900_001)
  sender = await addressOf(900_002)
})
afterAll(() => api.stop())

async function addressOf(index: number): Promise<string> {
  const chain = api.services.chains.get('ALPHA')
  if (!chain?.depositAddresses) throw new Error('ALPHA has deposit addresses')
  return chain.depositAddresses.derive(index)
}

function body(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
    destination_address: recipient,
    amount: 100,
    ...fields,
  }
}
const create = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  api.ask(CreatedSwap, { ...post('/api/v2/swaps', body(fields)), headers })
const refuse = (fields: Record<string, unknown>) => api.refuse(post('/api/v2/swaps', body(fields)))
const row = (id: string) =>
  api.services.database.selectFrom('swap').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a swap waits for its deposit and shows every field', async () => {
  const { quote, refuel, reward, swap, deposit_actions } = await create({
    reference_id: 'order 7',
    source_address: sender,
  })
  expect(swap).toMatchObject({
    created_date: START.toISOString(),
    close_date: null,
    source_network: { name: 'ALPHA' },
    source_token: { symbol: 'USDC' },
    source_exchange: null,
    destination_network: { name: 'BETA' },
    destination_token: { symbol: 'USDC' },
    destination_exchange: null,
    requested_amount: 100,
    destination_address: recipient,
    source_address: sender,
    status: 'user_transfer_pending',
    fail_reason: null,
    use_deposit_address: false,
    metadata: { reference_id: 'order 7', exchange_account: null },
    transactions: [],
  })
  expect(swap.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/)
  expect(quote).toMatchObject({ requested_amount: 100, receive_amount: 99.899999 })
  expect([refuel, reward]).toEqual([null, null])
  expect(deposit_actions).toHaveLength(1)
  expect(deposit_actions[0]).toMatchObject({
    type: 'transfer',
    to_address: api.services.chains.get('ALPHA')?.treasury,
    amount: 100,
    amount_in_base_units: '100000000',
    call_data: String(swap.metadata.sequence_number),
    network: { name: 'ALPHA' },
    token: { symbol: 'USDC' },
    fee_token: { symbol: 'SIM' },
    order: 0,
    gas_limit: null,
    encoded_args: [],
    valid_after: null,
    valid_before: null,
    nonce: null,
    typed_data: null,
  })
})

test('a swap reads back as it was created', async () => {
  const created = await create({ refuel: true })
  const url = `/api/v2/swaps/${created.swap.id}`
  expect(await api.ask(SwapDetails, url)).toEqual(created)
  expect(await api.ask(z.array(DepositAction), `${url}/deposit_actions`)).toEqual(created.deposit_actions)
  const { deposit_actions, ...rest } = created
  expect(deposit_actions).toHaveLength(1)
  const short = await api.ask(SwapDetails, `${url}?exclude_deposit_actions=true`)
  const { signature: _, ...unsigned } = rest
  expect(short).toEqual({ ...unsigned, deposit_actions: [] })
  expect(short.refuel).toMatchObject({ amount: 0.0005, token: { symbol: 'SIM' } })
})

test('an old swap shows the numbers of its day', async () => {
  const created = await create({ destination_token: 'SIM' })
  api.services.prices.SIM = '4000'
  await api.services.refresh()
  const { quote } = await api.ask(SwapDetails, `/api/v2/swaps/${created.swap.id}`)
  expect([quote.rate, quote.receive_amount]).toEqual([0.0005, created.quote.receive_amount])
  expect(quote.destination_token.price_in_usd).toBe(4000)
  api.services.prices.SIM = '2000'
  await api.services.refresh()
})

test('the exact terms, the windows and the correlation id are stored', async () => {
  const request = {
    ...post('/api/v2/swaps', body({ amount: '33.333333', slippage: '0.02' })),
    headers: { 'x-ls-correlation-id': 'c-1' },
  }
  const { swap } = await api.ask(CreatedSwap, request)
  const stored = await row(swap.id)
  expect(stored).toMatchObject({
    requested_units: 33_333_333n,
    slippage: 2n * 10n ** 16n,
    receiver: api.services.chains.get('ALPHA')?.treasury,
    correlation_id: 'c-1',
    quote_expires_at: new Date(START.getTime() + 900_000),
    expires_at: new Date(START.getTime() + 3_600_000),
  })
  expect(stored.quote).toMatchObject({ requestedUnits: '33333333' })
})

test('an amount is exact, as a number or as text', async () => {
  const units = async (amount: unknown) =>
    (await create({ source_token: 'SIM', amount })).deposit_actions[0]?.amount_in_base_units
  expect(await units('0.12345678')).toBe('123456780000000000')
  expect(await units(0.1)).toBe('100000000000000000')
  expect(await units('1.10')).toBe('1100000000000000000')
  expect(await units(2)).toBe('2000000000000000000')
})

test('an action has the same amount in whole tokens and base units, also with excess digits', async () => {
  for (const use_deposit_address of [false, true]) {
    const { quote, swap, deposit_actions } = await create({
      source_token: 'SIM',
      amount: '0.123456789012345678',
      use_deposit_address,
    })
    expect(deposit_actions).toMatchObject([{ amount: 0.12345678, amount_in_base_units: '123456780000000000' }])
    expect([quote.requested_amount, swap.requested_amount]).toEqual([0.12345678, 0.12345678])
  }
})

test('slippage is a fraction up to a half, and above 5 percent the quote warns', async () => {
  for (const slippage of ['0.51', 1, 5])
    expect((await refuse({ slippage })).message).toContain('0.005 is half a percent')
  expect((await create({ slippage: '0.05' })).quote.warnings).toEqual([])
  expect((await create({ slippage: 0.5 })).quote).toMatchObject({
    slippage: 0.5,
    warnings: [{ code: 'HIGH_SLIPPAGE', message: expect.stringContaining('50 percent') }],
  })
})

test('an error names the field and what is wrong with it', async () => {
  const message = async (fields: Record<string, unknown>) => (await refuse(fields)).message
  expect(await message({ amount: {} })).toBe('Invalid request: amount must be a number, or a number as text.')
  expect(await message({ destination_address: undefined })).toBe('Invalid request: destination_address is required.')
  expect(await message({ refuel: 'yes' })).toBe('Invalid request: refuel must be true or false.')
  expect(await message({ source_token: '' })).toBe('Invalid request: source_token must not be empty.')
})

test('malformed amounts and slippages are rejected by name', async () => {
  for (const amount of ['abc', -1, '1e2', 1.0000001, true, {}, '']) {
    expect(await refuse({ amount }), String(amount)).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      metadata: { amount: expect.any(String) },
    })
  }
  for (const slippage of [2, '-0.5', 'x']) {
    expect(await refuse({ slippage })).toMatchObject({
      code: 'VALIDATION_ERROR',
      metadata: { slippage: expect.any(String) },
    })
  }
  expect(await refuse({ amount: null })).toMatchObject({
    code: 'VALIDATION_ERROR',
    metadata: { amount: expect.any(String) },
  })
})

test('labels are bounded and reject control characters', async () => {
  for (const reference_id of ['nul\u0000byte', 'x'.repeat(257), 7]) {
    expect(await refuse({ reference_id })).toMatchObject({
      code: 'VALIDATION_ERROR',
      metadata: { reference_id: expect.any(String) },
    })
  }
  expect((await create({ reference_id: 'größe ✓', app_name: null })).swap.metadata.reference_id).toBe('größe ✓')
})

test('amounts outside the limits return the limit', async () => {
  expect(await refuse({ amount: 0.5 })).toMatchObject({ code: 'LESS_THAN_MIN_ERROR', metadata: { AmountLimit: 1 } })
  const { code, metadata } = await refuse({ amount: 40_000 })
  expect(code).toBe('GREATER_THAN_MAX_ERROR')
  expect(metadata.AmountLimit).toBeGreaterThanOrEqual(10_000)
})

test('a destination that would lose the money or return it to us is rejected', async () => {
  const treasury = api.services.chains.get('BETA')?.treasury
  const contract = api.services.catalogue.network('BETA').tokens[1]?.contract
  const zero = api.services.chains.get('BETA')?.nativeAddress
  const reversed = { source_network: 'BETA', destination_network: 'ALPHA' }
  const { deposit_actions } = await create({ use_deposit_address: true })
  const ours = deposit_actions[0]?.to_address
  const cases = [
    { destination_address: 'nonsense' },
    { destination_address: `${recipient}0` },
    { destination_address: treasury },
    { destination_address: contract },
    { destination_address: zero },
    { ...reversed, destination_address: ours },
  ]
  for (const fields of cases) {
    expect(await refuse(fields)).toMatchObject({
      status: 400,
      code: 'INVALID_ADDRESS_ERROR',
      metadata: { destination_address: expect.any(String) },
    })
  }
  expect(await refuse({ source_address: 'x' })).toMatchObject({ code: 'INVALID_ADDRESS_ERROR' })
  expect(await refuse({ refund_address: 'x' })).toMatchObject({ metadata: { refund_address: expect.any(String) } })
  expect(await refuse({ refund_address: ours })).toMatchObject({ code: 'INVALID_ADDRESS_ERROR' })
})

test('unknown routes and conflicting funding methods are rejected', async () => {
  expect(await refuse({ source_network: 'OMEGA' })).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND_ERROR' })
  expect(await refuse({ destination_token: 'DOGE' })).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND_ERROR' })
  expect(await refuse({ destination_network: 'ALPHA' })).toMatchObject({ code: 'ROUTE_NOT_FOUND_ERROR' })
  expect(await refuse({ use_depository: true })).toMatchObject({ status: 400, code: 'UNSUPPORTED_DEPOSITORY' })
  const both = { use_depository: true, use_deposit_address: true }
  expect(await refuse(both)).toMatchObject({ status: 400, code: 'CONFLICTING_FUNDING_METHODS' })
  expect(await refuse({ use_gasless: true, use_deposit_address: true })).toMatchObject({
    code: 'CONFLICTING_FUNDING_METHODS',
  })
  expect(await refuse({ use_gasless: true })).toMatchObject({
    code: 'VALIDATION_ERROR',
    metadata: { use_gasless: expect.any(String) },
  })
  const gamma = { source_network: 'GAMMA', use_deposit_address: true }
  expect(await refuse(gamma)).toMatchObject({ status: 400, code: 'QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS' })
  const required = ['source_network', 'source_token', 'destination_network', 'destination_token', 'destination_address']
  const { metadata } = await api.refuse(post('/api/v2/swaps', {}))
  expect(Object.keys(metadata).sort()).toEqual([...required].sort())
})

test('without a key a deposit address is never reused, whatever the app name', async () => {
  const made = [{}, {}, { app_name: 'shop' }, { app_name: 'shop' }, { use_new_deposit_address: false }].map((fields) =>
    create({ use_deposit_address: true, refund_address: sender, ...fields }),
  )
  const addresses = (await Promise.all(made)).map(({ deposit_actions: [action] }) => action?.to_address)
  expect(new Set(addresses).size).toBe(made.length)
})

test('an app gets the same deposit address again for the same purpose only', async () => {
  const headers = { 'x-ls-apikey': await keyOf(api.services, 'shop') }
  const address = async (fields: Record<string, unknown> = {}) =>
    (await create({ use_deposit_address: true, refund_address: sender, ...fields }, headers)).deposit_actions[0]
  const first = await address()
  expect(first).toMatchObject({
    type: 'manual_transfer',
    call_data: null,
    amount: 100,
    amount_in_base_units: '100000000',
  })
  expect((await address({ amount: 7 }))?.to_address).toBe(first?.to_address)
  const fresh = await address({ use_new_deposit_address: true })
  expect(fresh?.to_address).not.toBe(first?.to_address)
  expect((await address())?.to_address).toBe(fresh?.to_address)
  expect((await address({ app_name: 'other' }))?.to_address).toBe(fresh?.to_address)
  const others = [{ destination_token: 'SIM' }, { source_token: 'SIM', amount: 1 }, { refund_address: null }]
  const seen = new Set([first?.to_address, fresh?.to_address])
  for (const other of others) seen.add((await address(other))?.to_address)
  expect(seen.size).toBe(2 + others.length)
})

test('concurrently created deposit addresses are all different', async () => {
  const made = await Promise.all(
    Array.from({ length: 12 }, () => create({ use_deposit_address: true, use_new_deposit_address: true })),
  )
  expect(new Set(made.map(({ deposit_actions }) => deposit_actions[0]?.to_address)).size).toBe(12)
})

test('an open amount is shown as 0 until it is known', async () => {
  const { quote, swap, deposit_actions } = await create({ amount: undefined, use_deposit_address: true })
  expect(swap.requested_amount).toBe(0)
  expect(quote).toMatchObject({
    requested_amount: 0,
    receive_amount: 0,
    min_receive_amount: 0,
    total_fee: 0,
    total_fee_in_usd: 0,
    rate: 1,
    slippage: 0.01,
  })
  expect(deposit_actions[0]).toMatchObject({ type: 'manual_transfer', amount: 0, amount_in_base_units: '0' })
  expect(await row(swap.id)).toMatchObject({ requested_units: null, quote: null, uses_deposit_address: true })
})

test('an amount typed by hand has no more digits than are shown', async () => {
  const { deposit_actions } = await create({ source_token: 'SIM', amount: '0.123456789123', use_deposit_address: true })
  expect(deposit_actions[0]).toMatchObject({ amount: 0.12345678, amount_in_base_units: '123456780000000000' })
})

test('an unknown swap is NOT_FOUND, a malformed id is invalid', async () => {
  const nobody = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const missing = { status: 404, code: 'NOT_FOUND' }
  expect(await api.refuse(`/api/v2/swaps/${nobody}`)).toMatchObject(missing)
  expect(await api.refuse(`/api/v2/swaps/${nobody}/deposit_actions`)).toMatchObject(missing)
  const hint = { transaction_id: 'a'.repeat(64) }
  expect(await api.refuse(post(`/api/v2/swaps/${nobody}/deposit_speedup`, hint))).toMatchObject(missing)
  expect(await api.refuse('/api/v2/swaps/17')).toMatchObject({
    code: 'VALIDATION_ERROR',
    metadata: { swapId: expect.any(String) },
  })
})

test('a sender may be given for the deposit actions, if it is a valid address', async () => {
  const { swap } = await create()
  const url = `/api/v2/swaps/${swap.id}/deposit_actions`
  expect(await api.ask(z.array(DepositAction), `${url}?source_address=${sender}`)).toHaveLength(1)
  expect(await api.refuse(`${url}?source_address=nobody`)).toMatchObject({ code: 'INVALID_ADDRESS_ERROR' })
})

test('a deposit hint is looked up by a worker, once', async () => {
  const { swap } = await create()
  const url = `/api/v2/swaps/${swap.id}/deposit_speedup`
  const hint = { transaction_id: 'b'.repeat(64) }
  expect(await api.ask(Nothing, post(url, hint))).toEqual({})
  await api.ask(Nothing, post(url, hint))
  const { rows } = await sql<{ task: string; payload: unknown }>`
    select task_identifier as task, payload from graphile_worker.jobs join graphile_worker._private_jobs using (id)
  `.execute(api.services.database)
  expect(rows).toEqual([{ task: 'inspect', payload: { network: 'ALPHA', txHash: hint.transaction_id } }])
  for (const transaction_id of [undefined, '', 'has space', 'x'.repeat(200), 7]) {
    expect(await api.refuse(post(url, { transaction_id }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      metadata: { transaction_id: expect.any(String) },
    })
  }
})
