/** Tiers of a route, transaction status, exchanges, logos, and the explorer's volumes. */
import {
  Analytics,
  App,
  CreatedSwap,
  Exchange,
  ListedNetwork,
  Quoted,
  QuoteTier,
  SwapDetails,
  TransactionStatus,
  Withdrawal,
} from '@causeway/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { admin } from '../../../../../tests/support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'

const NOW = new Date('2026-03-10T12:30:00Z')
const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
const query = new URLSearchParams(ROUTE).toString()

let api: TestApi
let recipient: string
beforeAll(async () => {
  api = await startApi({ SERVICE_FEE_USD: '0.5' }, () => NOW)
  recipient = (await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_001)) ?? ''
})
afterEach(() => {
  api.services.rules.length = 0
})
afterAll(() => api.stop())

const create = (fields: Record<string, unknown> = {}) =>
  post('/api/v2/swaps', { ...ROUTE, destination_address: recipient, amount: 100, ...fields })

test('the tiers of a route follow its confirmation tiers and cost what a quote says', async () => {
  const tiers = await api.ask(z.array(QuoteTier), `/api/v2/detailed_quote?${query}`)
  const limits = await api.server.inject(`/api/v2/limits?${query}`)
  const { min_amount, max_amount } = limits.json().data
  expect(tiers).toHaveLength(2)
  const [cheap, dear] = tiers
  expect(cheap).toMatchObject({ min_amount, max_amount: 100, max_amount_in_usd: 100, total_percentage_fee: 0.1 })
  expect(dear).toMatchObject({ min_amount: 100.000001, max_amount })
  // Three more confirmations, each one poll of 10 ms.
  expect((dear?.avg_completion_milliseconds ?? 0) - (cheap?.avg_completion_milliseconds ?? 0)).toBe(30)
  expect(tiers.flatMap(({ path }) => path.map(({ id }) => id))).toEqual([1, 2])
  for (const tier of tiers) {
    for (const [amount, fee] of [
      [tier.min_amount, tier.fee_amount_for_min],
      [tier.max_amount, tier.fee_amount_for_max],
    ]) {
      const { quote } = await api.ask(Quoted, `/api/v2/quote?${query}&amount=${amount}`)
      expect(quote.total_fee).toBe(fee)
    }
    expect(tier.path).toMatchObject([
      {
        order: 1,
        provider: 'causeway',
        provider_name: 'Causeway',
        source_network: { name: 'ALPHA' },
        source_token: { symbol: 'USDC' },
        destination_network: { name: 'BETA' },
        destination_token: { symbol: 'SIM' },
        service_fee_percentage: 0.1,
        service_fee_in_usd: 0.5,
        service_fee_in_source: 0.5,
        fee_in_usd: tier.total_fixed_fee_in_usd,
        fee_in_source: tier.total_fixed_fee_in_source,
      },
    ])
  }
  expect(
    await api.refuse(`/api/v2/detailed_quote?${query}&source_token=DOGS`.replace('source_token=USDC&', '')),
  ).toMatchObject({
    code: 'ROUTE_NOT_FOUND_ERROR',
  })
})

test('a route may have its own fees and bounds, and the first matching rule decides', async () => {
  api.services.rules.push(
    {
      source: { network: 'ALPHA', token: 'USDC' },
      destination: { network: 'BETA' },
      fee_bps: 50,
      fee_usd: 2,
      min_usd: 20,
      max_usd: 500,
    },
    { source: { network: 'ALPHA' }, fee_bps: 0, fee_usd: 0 },
  )
  const limits = await api.server.inject(`/api/v2/limits?${query}`)
  expect(limits.json().data).toMatchObject({ min_amount: 20, max_amount: 500 })
  const { quote } = await api.ask(Quoted, `/api/v2/quote?${query}&amount=100`)
  expect(quote.service_fee).toBe(2.5)
  const other = query.replace('BETA', 'GAMMA')
  expect((await api.ask(Quoted, `/api/v2/quote?${other}&amount=100`)).quote.service_fee).toBe(0)
})

test('a provider on the route is shown in the path and requires a refund address', async () => {
  api.services.rules.push({ source: { token: 'USDC' }, destination: { token: 'SIM' }, provider: 'dex' })
  const { quote } = await api.ask(Quoted, `/api/v2/quote?${query}&amount=100`)
  expect(quote.path).toEqual([{ provider: 'dex', order: 1 }])
  expect(await api.refuse(create())).toMatchObject({
    status: 400,
    code: 'REFUND_ADDRESS_REQUIRED',
    metadata: { refund_address: expect.any(String) },
  })
  const made = await api.ask(CreatedSwap, create({ refund_address: recipient }))
  api.services.rules.length = 0
  expect((await api.ask(SwapDetails, `/api/v2/swaps/${made.swap.id}`)).quote.path).toEqual([
    { provider: 'dex', order: 1 },
  ])
})

test('a transaction is pending, completed or failed as on chain; an unknown one is NOT_FOUND', async () => {
  const chain = api.services.chains.get('ALPHA')
  if (!chain) throw new Error('ALPHA is there')
  const { inspect } = chain
  const block = { number: 7n, hash: 'h' }
  const ask = () => api.ask(TransactionStatus, '/api/v2/transaction_status?network=ALPHA&transaction_id=0x12345678')
  try {
    chain.inspect = async () => ({ state: 'pending', sightings: [] })
    expect(await ask()).toEqual({
      status: 'pending',
      network: 'ALPHA',
      transaction_id: '0x12345678',
      is_found: true,
      is_completed: false,
      confirmations: 0,
      max_confirmations: 5,
    })
    chain.inspect = async () => ({ state: 'included', block, confirmations: 4, sightings: [] })
    expect(await ask()).toMatchObject({ status: 'pending', is_completed: false, confirmations: 4 })
    chain.inspect = async () => ({ state: 'included', block, confirmations: 50, sightings: [] })
    expect(await ask()).toMatchObject({ status: 'completed', is_completed: true, confirmations: 5 })
    chain.inspect = async () => ({ state: 'failed', block, confirmations: 1 })
    expect(await ask()).toMatchObject({ status: 'failed', is_found: true, is_completed: false, confirmations: 1 })
    chain.inspect = async () => {
      throw new Error('the node is down')
    }
    expect(await api.refuse('/api/v2/transaction_status?network=ALPHA&transaction_id=0x12345678')).toMatchObject({
      code: 'NOT_FOUND',
    })
  } finally {
    chain.inspect = inspect
  }
  const refuse = (text: string) => api.refuse(`/api/v2/transaction_status?${text}`)
  expect(await refuse('network=1000&transaction_id=0x12345678')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect(await refuse('network=NOWHERE&transaction_id=0x12345678')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect(await refuse('network=ALPHA')).toMatchObject({ metadata: { transaction_id: expect.any(String) } })
})

test('exchanges are those that the operator lists, and a swap shows the ones it named', async () => {
  const exchanges = await api.ask(z.array(Exchange), '/api/v2/source_exchanges')
  expect(exchanges).toMatchObject([
    { name: 'KRAKEN', metadata: { oauth: { authorize_url: 'https://exchange.example/authorize' } } },
    { name: 'BINANCE', metadata: { oauth: null } },
  ])
  const networks = async (text: string) =>
    (await api.ask(z.array(Withdrawal), `/api/v2/exchange_withdrawal_networks${text}`)).map(
      ({ network, token, fee }) => `${network.name} ${token.symbol} ${fee.total_fee_in_usd > 0}`,
    )
  const all = ['ALPHA SIM false', 'ALPHA USDC false', 'BETA SIM false', 'BETA USDC false']
  expect(await networks('')).toEqual(all)
  expect(await networks('?exchange=kraken')).toEqual(all.slice(1))
  expect(await networks('?source_exchange=KRAKEN')).toEqual(all.slice(1))
  expect(await networks('?exchange=NOBODY')).toEqual([])
  // With a destination: only what can be swapped into it now, and the cost.
  const into = '?source_exchange=KRAKEN&destination_network=BETA&destination_token=USDC'
  expect(await networks(into)).toEqual(['ALPHA USDC true', 'BETA SIM true'])
  expect(await networks(into.replace('USDC', 'NOTHING'))).toEqual([])
  // Clients take the first entry: a withdrawal in the destination's token (SIM) leads, even if its network is last in the catalogue.
  const coin = '?source_exchange=KRAKEN&destination_network=ALPHA&destination_token=SIM'
  expect((await networks(coin))[0]).toBe('BETA SIM true')
  const { swap } = await api.ask(CreatedSwap, create({ source_exchange: 'kraken' }))
  expect(swap.source_exchange).toMatchObject({ name: 'KRAKEN', display_name: 'Kraken' })
  const read = await api.ask(SwapDetails, `/api/v2/swaps/${swap.id}`)
  expect(read.swap).toMatchObject({ source_exchange: swap.source_exchange, destination_exchange: null })
  expect(await api.refuse(create({ destination_exchange: 'NOBODY' }))).toMatchObject({
    code: 'VALIDATION_ERROR',
    metadata: { destination_exchange: 'is not known' },
  })
})

test('every linked logo is our own image and cacheable', async () => {
  const networks = await api.ask(z.array(ListedNetwork), { url: '/api/v2/networks', headers: { host: 'swap.example' } })
  const exchanges = await api.ask(z.array(Exchange), {
    url: '/api/v2/source_exchanges',
    headers: { host: 'swap.example' },
  })
  const links = [
    ...networks.flatMap(({ logo, tokens }) => [logo, ...tokens.map((token) => token.logo)]),
    ...exchanges.map(({ logo }) => logo),
  ]
  for (const link of links) {
    const answer = await api.server.inject(new URL(link).pathname)
    expect(answer.statusCode, link).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': expect.stringContaining('max-age'),
    })
    expect(answer.body).toMatch(/^<svg .*<\/svg>$/s)
    const again = await api.server.inject({
      url: new URL(link).pathname,
      headers: { 'if-none-match': String(answer.headers.etag) },
    })
    expect(again.statusCode).toBe(304)
  }
  expect(await api.refuse('/logos/tokens/NOTHING.svg')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect(await api.refuse('/logos/cats/SIM.svg')).toMatchObject({ code: 'VALIDATION_ERROR' })
})

test('authorizing a swap that is not gasless is an error', async () => {
  const { swap } = await api.ask(CreatedSwap, create())
  const url = `/api/v2/swaps/${swap.id}/authorize`
  expect(await api.refuse(url)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect(await api.refuse(post(url, { signature: '0x12', signer_address: recipient }))).toMatchObject({
    status: 400,
    code: 'VALIDATION_ERROR',
    metadata: { use_gasless: expect.any(String) },
  })
  expect(await api.refuse(post(url, {}))).toMatchObject({
    metadata: { signature: expect.any(String), signer_address: expect.any(String) },
  })
  const unknown = `/api/v2/swaps/${crypto.randomUUID()}/authorize`
  expect(await api.refuse(unknown)).toMatchObject({ code: 'NOT_FOUND' })
  // A user who sends the deposit themselves gets an ordinary one, whatever other flags are set.
  expect(await api.refuse(create({ use_gasless: true }))).toMatchObject({ code: 'VALIDATION_ERROR' })
  const forced = await api.ask(CreatedSwap, create({ use_gasless: true, force_user_execution: true }))
  expect(forced.deposit_actions[0]?.type).toBe('transfer')
})

test('the volumes of a period hold its completed swaps, at the prices of their day', async () => {
  const complete = async (closedAt: string) => {
    const { swap, quote } = await api.ask(CreatedSwap, create())
    const closed = { status: 'completed' as const, closed_at: new Date(closedAt) }
    await api.services.database.updateTable('swap').set(closed).where('id', '=', swap.id).execute()
    return quote.receive_amount ?? 0
  }
  const received = await complete('2026-03-10T10:15:00Z')
  await complete('2026-03-08T10:15:00Z')
  await complete('2026-01-20T10:15:00Z')
  const ask = (period: string) => api.ask(Analytics, `/api/v2/explorer/analytics?period=${period}`)
  const day = await ask('24h')
  const none = { transfer_count: 0, amount_in_usd: 0 }
  expect(day.range).toEqual({ from: '2026-03-09T12:00:00.000Z', to: NOW.toISOString(), bucket_size: 'hour' })
  expect(day.available_networks.map(({ name }) => name)).toEqual(['ALPHA', 'BETA', 'GAMMA'])
  const [alpha, beta, ...others] = day.networks
  expect(others).toEqual([])
  expect(alpha).toMatchObject({
    network: 'ALPHA',
    totals: { inflow: { transfer_count: 1, amount_in_usd: 100 }, outflow: none, net_amount_in_usd: 100 },
    assets: [{ asset: 'USDC', inflow: { transfer_count: 1, token_amount: 100, amount_in_usd: 100 }, outflow: none }],
    source_chains: [],
    destination_chains: [{ network: 'BETA', transfer_count: 1, amount_in_usd: 100 }],
  })
  expect(alpha?.timeline).toHaveLength(25)
  expect(alpha?.timeline.filter((step) => step.inflow_transfer_count > 0)).toMatchObject([
    { bucket_start: '2026-03-10T10:00:00.000Z', inflow_transfer_count: 1, inflow_amount_in_usd: 100 },
  ])
  const [delivered] = beta?.assets ?? []
  expect(delivered).toMatchObject({ asset: 'SIM', inflow: { token_amount: 0 }, outflow: { token_amount: received } })
  expect(beta?.totals.outflow.amount_in_usd).toBeCloseTo(received * 2000, 2)
  expect(beta?.totals.net_amount_in_usd).toBe(-(beta?.totals.outflow.amount_in_usd ?? 0))
  expect(beta?.source_chains).toMatchObject([{ network: 'ALPHA', transfer_count: 1 }])
  const cameIn = async (period: string) => (await ask(period)).networks[0]?.totals.inflow.transfer_count
  expect([await cameIn('7d'), await cameIn('30d'), await cameIn('90d')]).toEqual([2, 2, 3])
  expect(await api.refuse('/api/v2/explorer/analytics?period=1y')).toMatchObject({ code: 'VALIDATION_ERROR' })
})

test('an app is shown by name to pages that were opened for it', async () => {
  await admin(api.services, 'app', 'create', 'Blue Wallet')
  const shown = await api.ask(App, '/api/v2/internal/apps?name=Blue%20Wallet')
  expect(shown).toMatchObject({ name: 'Blue Wallet', display_name: 'Blue Wallet', is_wallet: false })
  expect(shown.client_id).toBe(shown.id)
  const { pathname } = new URL(shown.logo)
  expect((await api.server.inject(pathname)).headers['content-type']).toContain('image/svg+xml')
  expect(await api.refuse('/api/v2/internal/apps?name=nobody')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect(await api.refuse('/api/v2/internal/apps')).toMatchObject({ code: 'VALIDATION_ERROR' })
})
