/** GET /quote and GET /limits: exact arithmetic, and a code for everything that cannot be quoted. */
import { Limits, Quoted } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../../../tests/support/service/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ SERVICE_FEE_BPS: '10', SERVICE_FEE_USD: '0.05', MIN_SWAP_USD: '1', MAX_SWAP_USD: '5000' })
})
afterAll(() => api.stop())

const ROUTE = {
  source_network: 'ALPHA',
  source_token: 'USDC',
  destination_network: 'BETA',
  destination_token: 'USDC',
}
const url = (path: string, query: Record<string, string>) =>
  `/api/v2/${path}?${new URLSearchParams({ ...ROUTE, ...query })}`
const quote = (query: Record<string, string>) => api.ask(Quoted, url('quote', query))

test('the undelivered part is exactly the fees', async () => {
  const { quote: shown, refuel, reward } = await quote({ amount: '100' })
  expect(shown).toMatchObject({
    requested_amount: 100,
    service_fee: 0.15,
    blockchain_fee: 0.000001,
    total_fee: 0.150001,
    total_fee_in_usd: 0.150001,
    receive_amount: 99.849999,
    min_receive_amount: 98.851499,
    refuel_in_source: 0,
    fee_discount: 0,
    slippage: 0.01,
    rate: 1,
    avg_completion_time: '00:00:05',
    path: [{ provider: 'causeway', order: 1 }],
  })
  expect([refuel, reward]).toEqual([null, null])
})

test('double noise in an amount is accepted', async () => {
  expect((await quote({ amount: `${33.1 + 66.2}` })).quote.requested_amount).toBe(99.3)
  expect(`${33.1 + 66.2}`).toBe('99.30000000000001')
  expect(await api.refuse(url('quote', { amount: '99.3000001' }))).toMatchObject({ code: 'VALIDATION_ERROR' })
})

test('a requested refuel is charged and shown', async () => {
  const { quote: shown, refuel } = await quote({ amount: '100', refuel: 'true' })
  expect(shown.refuel_in_source).toBe(1)
  expect(refuel).toMatchObject({
    amount: 0.0005,
    amount_in_usd: 1,
    token: { symbol: 'SIM' },
    network: { name: 'BETA' },
  })
})

test('a refuel that the wallet cannot pay, or of the token itself, is not offered', async () => {
  expect((await quote({ amount: '100', refuel: 'true', destination_token: 'SIM' })).refuel).toBeNull()
  const { market, catalogue } = api.services
  const { nativeToken } = catalogue.network('BETA')
  const free = market.free
  market.free = (token) => (token === nativeToken ? 0n : free(token))
  expect((await quote({ amount: '100', refuel: 'true' })).refuel).toBeNull()
  market.free = free
})

test('networks are named by name or chain id, tokens by symbol, contract or zero address', async () => {
  const alpha = api.services.catalogue.network('ALPHA')
  const { contract } = alpha.tokens[1] ?? {}
  // Only chain ids of EVM are unique: those of other families name no network.
  expect(await api.refuse(url('quote', { source_network: '1000', amount: '100' }))).toMatchObject({ status: 404 })
  const { type } = alpha
  alpha.type = 'evm'
  const zero = api.services.chains.get('BETA')?.nativeAddress ?? ''
  const { quote: shown } = await quote({
    source_network: '1000',
    source_token: contract ?? '',
    destination_network: 'beta',
    destination_token: zero,
    amount: '100',
  })
  expect(shown.source_token.symbol).toBe('USDC')
  expect(shown.destination_network.name).toBe('BETA')
  expect(shown.destination_token).toMatchObject({ symbol: 'SIM', contract: null })
  expect(shown.rate).toBe(0.0005)
  alpha.type = type
})

test('small amounts are printed in full', async () => {
  const { body } = await api.server.inject(url('quote', { amount: '100' }))
  expect(body).toContain('"blockchain_fee":0.000001,')
  api.services.prices.SIM = '200000000'
  await api.services.refresh()
  const dear = await api.server.inject(url('quote', { amount: '15', destination_token: 'SIM' }))
  expect(dear.body).toMatch(/"receive_amount":0\.00000007,/)
  expect(dear.body).toContain('"rate":0.000000005,')
  expect(dear.body).not.toMatch(/\de[+-]\d/)
  api.services.prices.SIM = '2000'
  await api.services.refresh()
})

test('numbers are truncated to the precision, never rounded up', async () => {
  const { quote: shown } = await quote({ source_token: 'SIM', amount: '0.123456789123456789' })
  expect(shown.requested_amount).toBe(0.12345678)
  // Computed from the shown numbers, so that they add up.
  expect(shown.receive_amount).toBe(246.61662)
})

test('the limits are the smallest and largest amount that can be quoted', async () => {
  const limits = await api.ask(Limits, url('limits', {}))
  expect(limits).toEqual({ min_amount: 1, min_amount_in_usd: 1, max_amount: 5000, max_amount_in_usd: 5000 })
  expect((await quote({ amount: '1' })).quote.receive_amount).toBe(0.948999)
  expect((await quote({ amount: '5000' })).quote.requested_amount).toBe(5000)
  expect(await api.refuse(url('quote', { amount: '0.999999' }))).toMatchObject({
    status: 400,
    code: 'LESS_THAN_MIN_ERROR',
    message: '0.999999 USDC is below the minimum of 1 USDC.',
    metadata: { AmountLimit: 1 },
  })
  expect(await api.refuse(url('quote', { amount: '0' }))).toMatchObject({ code: 'LESS_THAN_MIN_ERROR' })
  expect(await api.refuse(url('quote', { amount: '5000.000001' }))).toMatchObject({
    status: 400,
    code: 'GREATER_THAN_MAX_ERROR',
    metadata: { AmountLimit: 5000 },
  })
})

test('liquidity bounds the maximum; an empty wallet closes the route, an unread one answers 503', async () => {
  const { market } = api.services
  const { free } = market
  market.free = () => 250_000_000n
  const limits = await api.ask(Limits, url('limits', {}))
  expect(limits.max_amount).toBeGreaterThanOrEqual(250)
  expect(limits.max_amount).toBeLessThan(250.2)
  market.free = () => 0n
  expect(await api.refuse(url('limits', {}))).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND_ERROR' })
  market.free = () => null
  expect(await api.refuse(url('limits', {}))).toMatchObject({ status: 503, code: 'SERVICE_STARTING' })
  market.free = free
})

test('unknown networks and tokens have no route', async () => {
  const missing = { status: 404, code: 'ROUTE_NOT_FOUND_ERROR' }
  expect(await api.refuse(url('quote', { amount: '10', source_network: 'OMEGA' }))).toMatchObject(missing)
  expect(await api.refuse(url('quote', { amount: '10', source_token: 'DOGE' }))).toMatchObject(missing)
  expect(await api.refuse(url('quote', { amount: '10', destination_network: '7' }))).toMatchObject(missing)
  expect(await api.refuse(url('quote', { amount: '10', destination_network: 'ALPHA' }))).toMatchObject(missing)
})

test('malformed amounts and slippages name their field', async () => {
  for (const amount of ['', 'x', '-1', '1e3', 'NaN', 'Infinity', '0x10', '1.0000001', '1'.repeat(41)]) {
    const answer = await api.refuse(url('quote', { amount }))
    expect(answer, amount).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      metadata: { amount: expect.any(String) },
    })
  }
  for (const slippage of ['1.01', '-0.1', 'x', '0.0000000000000000001']) {
    const answer = await api.refuse(url('quote', { amount: '100', slippage }))
    expect(answer, slippage).toMatchObject({ code: 'VALIDATION_ERROR', metadata: { slippage: expect.any(String) } })
  }
  const { quote: shown } = await quote({ amount: '100', slippage: '0.0005' })
  expect([shown.slippage, shown.min_receive_amount]).toEqual([0.0005, 99.800074])
})

test('an amount written with an exponent is accepted', async () => {
  const tiny = { status: 400, code: 'LESS_THAN_MIN_ERROR' }
  const route = { source_token: 'SIM', destination_token: 'SIM' }
  const told = await api.refuse(url('quote', { ...route, amount: String(0.0000001) }))
  expect(told).toMatchObject(tiny)
  expect(told.message).toMatch(/^0\.0000001 SIM is below/)
  expect(await api.refuse(url('quote', { ...route, amount: String(1.5e21) }))).toMatchObject({
    code: 'GREATER_THAN_MAX_ERROR',
  })
  const { quote: shown } = await quote({ amount: '100', slippage: String(0.0000005) })
  expect(shown.slippage).toBe(5e-7)
})

test('every missing or invalid field is named', async () => {
  const answer = await api.refuse('/api/v2/quote?source_network=ALPHA&refuel=perhaps')
  expect(Object.keys(answer.metadata).sort()).toEqual([
    'amount',
    'destination_network',
    'destination_token',
    'refuel',
    'source_token',
  ])
})

test('conflicting or unavailable funding methods are rejected', async () => {
  const refused = async (query: Record<string, string>) =>
    (await api.refuse(url('quote', { amount: '10', ...query }))).code
  expect(await refused({ use_depository: 'true', use_deposit_address: 'true' })).toBe('CONFLICTING_FUNDING_METHODS')
  expect(await refused({ use_gasless: 'true', use_deposit_address: 'true' })).toBe('CONFLICTING_FUNDING_METHODS')
  expect(await refused({ use_depository: 'true' })).toBe('UNSUPPORTED_DEPOSITORY')
  expect(await refused({ use_gasless: 'true' })).toBe('VALIDATION_ERROR')
  const gamma = { source_network: 'GAMMA', use_deposit_address: 'true' }
  expect(await refused(gamma)).toBe('QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS')
})

test('amounts requested one after the other each get their own quote', async () => {
  const { server, services, stop } = await startApi({ ANSWER_CACHE_MS: '5000', SERVICE_FEE_BPS: '0' })
  const asked = async (words: string) => {
    const answer = await server.inject(`/api/v2/quote?${new URLSearchParams(ROUTE)}&${words}`)
    return answer.statusCode === 200 ? answer.json().data.quote.requested_amount : answer.json().error.code
  }
  expect(await asked('amount=100')).toBe(100)
  expect(await asked('amount=101.5')).toBe(101.5)
  expect(await asked('amount=100&refuel=true')).toBe(100)
  for (const words of ['amount=-1', 'amount=1e2', 'amount=', 'amount=100&amount=101', '%61mount=1&amount=100', ''])
    expect(await asked(words)).toBe('VALIDATION_ERROR')
  expect(await asked('amount=0')).toBe('LESS_THAN_MIN_ERROR')
  expect(await asked('amount=%20102%20')).toBe(102)
  // Cached only for a moment: a new price soon appears in quotes.
  const native = url('quote', { destination_token: 'SIM', amount: '100' })
  const rate = async () => (await server.inject(native)).json().data.quote.rate
  expect(await rate()).toBe(0.0005)
  services.prices.SIM = '1000'
  await services.refresh()
  await expect.poll(rate).toBe(0.001)
  await stop()
})
