/**
 * The rules of sections 1, 4, 5, 7 and 8 of the specification, by number. States and refunds are in `states.test.ts`.
 */
import { CreatedSwap, DepositAction, ListedNetwork, Quoted, RouteNetwork, SwapDetails } from '@causeway/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { post, startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { seeDeposit } from '../../../../tests/support/service/progress.ts'

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }
const route = (fields: Record<string, string> = {}) => new URLSearchParams({ ...ROUTE, ...fields }).toString()

let api: TestApi
let recipient: string
beforeAll(async () => {
  api = await startApi()
  recipient = (await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_001)) ?? ''
})
afterAll(() => api.stop())

const body = (fields: object = {}) => ({ ...ROUTE, destination_address: recipient, amount: 100, ...fields })
const create = (fields: object = {}) => api.ask(CreatedSwap, post('/api/v2/swaps', body(fields)))
const refuse = (fields: object) => api.refuse(post('/api/v2/swaps', body(fields)))

describe('section 1, the flow', () => {
  test('1: discover, quote, create, and get the deposit actions; a quote creates nothing', async () => {
    const [source] = await api.ask(
      z.array(RouteNetwork),
      '/api/v2/sources?destination_network=BETA&destination_token=USDC',
    )
    expect(source?.tokens.map(({ symbol, status }) => `${symbol} ${status}`)).toContain('USDC active')
    const count = () =>
      api.services.database
        .selectFrom('swap')
        .select((eb) => eb.fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    const before = await count()
    const { quote } = await api.ask(Quoted, `/api/v2/quote?${route({ amount: '100' })}`)
    expect(await count()).toEqual(before)
    const made = await create()
    expect(made.quote.receive_amount).toBe(quote.receive_amount)
    expect(made.swap.status).toBe('user_transfer_pending')
    expect(made.deposit_actions).toHaveLength(1)
  })

  test('funding: a direct transfer is the default, with call_data to submit', async () => {
    const [action] = (await create()).deposit_actions
    expect(action).toMatchObject({ type: 'transfer', call_data: expect.any(String), encoded_args: [], gas_limit: null })
  })

  test('funding: use_deposit_address gives a generated address and no call_data', async () => {
    const { deposit_actions, swap } = await create({ use_deposit_address: true })
    const [action] = deposit_actions
    expect(action).toMatchObject({ type: 'manual_transfer', call_data: null, amount: 100 })
    expect(action?.to_address).not.toBe(api.services.chains.get('ALPHA')?.treasury)
    expect(swap.use_deposit_address).toBe(true)
  })

  test('1.1: use_depository and use_deposit_address exclude each other', async () => {
    expect(await refuse({ use_depository: true, use_deposit_address: true })).toMatchObject({
      status: 400,
      code: 'CONFLICTING_FUNDING_METHODS',
    })
  })

  test('1.2: a network that supports only the transfer flow says so, and rejects the other', async () => {
    const networks = await api.ask(z.array(ListedNetwork), '/api/v2/networks')
    expect(networks.find(({ name }) => name === 'GAMMA')?.deposit_methods).toEqual(['wallet'])
    expect((await create({ source_network: 'GAMMA' })).deposit_actions[0]?.type).toBe('transfer')
    expect(await refuse({ source_network: 'GAMMA', use_deposit_address: true })).toMatchObject({
      status: 400,
      code: 'QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS',
    })
  })

  test('1.3: networks by name or chain id, tokens by symbol, contract or zero address', async () => {
    const alpha = api.services.chains.get('ALPHA')
    const contract = alpha?.network.tokens[1]?.contract
    const { catalogue } = api.services
    for (const name of ['ALPHA', 'BETA']) catalogue.network(name).type = 'evm'
    const named = await create({ source_network: '1000', source_token: contract, destination_network: 1001 })
    expect(named.swap).toMatchObject({ source_network: { name: 'ALPHA' }, source_token: { symbol: 'USDC' } })
    expect(named.swap.destination_network.name).toBe('BETA')
    for (const name of ['ALPHA', 'BETA']) catalogue.network(name).type = 'starkex'
    const native = await create({ source_token: alpha?.nativeAddress, amount: 1 })
    expect(native.swap.source_token).toMatchObject({ symbol: 'SIM', contract: null })
  })

  test('1.4: a token is identified by its contract; renaming its symbol changes nothing else', async () => {
    const { swap } = await create()
    const token = api.services.catalogue.network('ALPHA').tokens[1]
    if (!token) throw new Error('ALPHA has two tokens')
    token.symbol = 'USDC.new'
    try {
      const read = await api.ask(SwapDetails, `/api/v2/swaps/${swap.id}`)
      expect(read.swap.source_token).toMatchObject({ symbol: 'USDC.new', contract: token.contract, group: 'USDC' })
      expect((await create({ source_token: token.contract })).swap.source_token.symbol).toBe('USDC.new')
    } finally {
      token.symbol = 'USDC'
    }
  })
})

describe('section 4, the calls', () => {
  test('4.2: exclude_deposit_actions leaves them out', async () => {
    const { swap } = await create()
    expect((await api.ask(SwapDetails, `/api/v2/swaps/${swap.id}`)).deposit_actions).toHaveLength(1)
    for (const flag of ['true', '1']) {
      const short = await api.ask(SwapDetails, `/api/v2/swaps/${swap.id}?exclude_deposit_actions=${flag}`)
      expect(short.deposit_actions).toEqual([])
    }
  })

  test('4.2: the deposit actions of a swap stay the same', async () => {
    const made = await create()
    const actions = await api.ask(z.array(DepositAction), `/api/v2/swaps/${made.swap.id}/deposit_actions`)
    expect(actions).toEqual(made.deposit_actions)
  })

  test('4.2: a swap is found by its source transaction', async () => {
    const { swap } = await create()
    const txHash = `0x${'5eed'.repeat(16)}`
    await seeDeposit(api.services, swap.id, { txHash })
    const found = await api.ask(SwapDetails, `/api/v2/swaps/by_transaction_hash/${txHash}`)
    expect(found.swap).toMatchObject({ id: swap.id, transactions: [{ type: 'input', transaction_hash: txHash }] })
  })

  test('4.3: call_data encodes the swap: it is unique, and a deposit that carries it is matched', async () => {
    const [one, two] = [await create(), await create()]
    expect(one.deposit_actions[0]?.call_data).not.toBe(two.deposit_actions[0]?.call_data)
    await seeDeposit(api.services, two.swap.id, { reference: BigInt(two.swap.metadata.sequence_number) })
    const read = (id: string) => api.ask(SwapDetails, `/api/v2/swaps/${id}`)
    expect((await read(two.swap.id)).swap.transactions).toHaveLength(1)
    expect((await read(one.swap.id)).swap.transactions).toHaveLength(0)
  })

  test('4.2: every optional body field is accepted as null or absent', async () => {
    const nulls = Object.fromEntries(
      ['source_address', 'reference_id', 'use_new_deposit_address', 'slippage', 'refund_address'].map((name) => [
        name,
        null,
      ]),
    )
    expect((await create(nulls)).swap.status).toBe('user_transfer_pending')
    for (const name of [...Object.keys(ROUTE), 'destination_address'])
      expect(await refuse({ [name]: undefined })).toMatchObject({
        code: 'VALIDATION_ERROR',
        metadata: { [name]: expect.any(String) },
      })
  })
})

describe('section 5, authentication', () => {
  test('5: the key is optional; an unknown one is forbidden', async () => {
    expect((await api.server.inject('/api/v2/networks')).statusCode).toBe(200)
    const refused = await api.refuse({ url: '/api/v2/networks', headers: { 'x-ls-apikey': 'made up' } })
    expect(refused).toMatchObject({ status: 403, code: 'API_KEY_FORBIDDEN' })
  })
})

describe('section 7, errors', () => {
  test('7.1: failures are reported in the envelope', async () => {
    const answer = await api.server.inject('/api/v2/quote')
    expect(answer.json()).toEqual({
      error: { code: 'VALIDATION_ERROR', message: expect.any(String), metadata: expect.any(Object) },
    })
  })

  test('7.2: use_depository without a deployed one is UNSUPPORTED_DEPOSITORY', async () => {
    expect(await refuse({ use_depository: true })).toMatchObject({ status: 400, code: 'UNSUPPORTED_DEPOSITORY' })
  })

  test('7.3: both funding flags are rejected, on quotes too', async () => {
    const query = route({ amount: '100', use_depository: 'true', use_deposit_address: 'true' })
    expect(await api.refuse(`/api/v2/quote?${query}`)).toMatchObject({ code: 'CONFLICTING_FUNDING_METHODS' })
  })

  test('7.4: a route with a swap provider requires a refund address', async () => {
    api.services.rules.push({ destination: { network: 'BETA' }, provider: 'dex' })
    try {
      expect(await refuse({})).toMatchObject({ status: 400, code: 'REFUND_ADDRESS_REQUIRED' })
      expect((await create({ refund_address: recipient })).quote.path).toEqual([{ provider: 'dex', order: 1 }])
    } finally {
      api.services.rules.length = 0
    }
  })
})

describe('section 8, limits', () => {
  test('8.1: the limits of a route are the smallest and largest accepted amount', async () => {
    const { min_amount, max_amount } = (await api.server.inject(`/api/v2/limits?${route()}`)).json().data
    for (const amount of [min_amount, max_amount]) expect((await create({ amount })).swap.requested_amount).toBe(amount)
    expect(await refuse({ amount: min_amount - 0.000001 })).toMatchObject({
      code: 'LESS_THAN_MIN_ERROR',
      metadata: { AmountLimit: min_amount },
    })
    expect(await refuse({ amount: max_amount + 0.000001 })).toMatchObject({
      code: 'GREATER_THAN_MAX_ERROR',
      metadata: { AmountLimit: max_amount },
    })
  })

  test('8.2: the remaining rate limit is returned', async () => {
    const { headers } = await api.server.inject('/api/v2/networks')
    expect(Number(headers['ratelimit-limit'])).toBeGreaterThan(0)
    expect(Number(headers['ratelimit-remaining'])).toBeLessThan(Number(headers['ratelimit-limit']))
  })

  test('8.3: a memo is a sequence number, far below 80 bytes', async () => {
    const { swap } = await create()
    expect(Number.isSafeInteger(swap.metadata.sequence_number)).toBe(true)
    expect((2n ** 63n - 1n).toString(16).length).toBeLessThan(80)
  })

  test('8.4: actions come in ascending order', async () => {
    const orders = (await create()).deposit_actions.map(({ order }) => order)
    expect(orders).toEqual([...orders].sort((a, b) => a - b))
  })
})
