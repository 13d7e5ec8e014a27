/**
 * `force_user_execution` over real Uniswap pools: the depositor's own transaction makes the exchange, the pool pays the
 * swap's deposit address, and the swap goes on from what arrived there.
 */
import { createClient } from '@causeway/sdk'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../server/src/store/db/database.ts'
import { control } from '../../support/chains/evm.ts'
import { type PoolWorld, startPoolWorld } from '../../support/chains/pools.ts'
import { unitsOf } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { keyOf } from '../../support/service/accounts.ts'
import type { WireSwap } from '../../support/service/client.ts'

/** V2 pools here, V3 pools there. */
const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'ARBITRUM_SEPOLIA'
const GEMS = 10_000n * 10n ** 18n

let world: PoolWorld

beforeAll(async () => {
  world = await startPoolWorld([FROM, TO], { RECONCILE_INTERVAL_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' })
  for (const network of [FROM, TO]) {
    const { accounts, fund } = world.devnet(network)
    await fund(world.token(network, 'GEM'), accounts[0]?.address ?? '', GEMS)
  }
})
afterAll(() => world.stop())
afterEach(async () => {
  const unequal = 'select 1 from ledger_entry group by posting, network, token having sum(units) <> 0'
  expect(await world.query(unequal)).toEqual([])
  const owed = `select swap_id from ledger_entry entry join swap on swap.id = swap_id
    where closed_at is not null and entry.account in ('customer', 'promised') group by 1, entry.account, token having sum(units) <> 0`
  expect(await world.query(owed)).toEqual([])
})

interface Route {
  from?: string
  to?: string
  destination?: string
}

async function create({ from = FROM, to = TO, destination = 'USDC' }: Route = {}, more: object = {}) {
  const [recipient, refundee] = [world.stranger(), world.stranger()]
  const body = {
    ...{ source_network: from, source_token: 'GEM', destination_network: to, destination_token: destination },
    ...{ destination_address: recipient, refund_address: refundee, amount: 50, force_user_execution: true, ...more },
  }
  const swap = await eventually(() => world.client.create(body), 'a swap of GEM')
  return { swap, recipient, refundee, sent: 50n * 10n ** 18n, from, to }
}

interface StoredExchange {
  outUnits: string
  minUnits: string
}

async function exchangeOf({ swap }: WireSwap): Promise<{ expected: bigint; least: bigint; receiver: string }> {
  const [row] = await world.query<{ user_exchange: StoredExchange; receiver: string }>(
    'select user_exchange, receiver from swap where id = $1',
    [swap.id],
  )
  const { outUnits = '0', minUnits = '0' } = row?.user_exchange ?? {}
  return { expected: BigInt(outUnits), least: BigInt(minUnits), receiver: row?.receiver ?? '' }
}

/** Sends every action in its order, as a wallet does. */
async function execute({ deposit_actions }: WireSwap, network: string): Promise<string> {
  let hash = ''
  for (const action of deposit_actions) hash = await world.deposit(world.token(network, 'GEM'), action)
  return hash
}

async function payoutsOf({ swap }: WireSwap) {
  return world.query<{ kind: string; state: string; units: string }>(
    'select kind, state, units from payout where swap_id = $1 order by number',
    [swap.id],
  )
}

const heldGems = (network: string) => world.balance(world.token(network, 'GEM'), world.account(network, 0).address)

describe('the depositor makes the exchange', () => {
  it.each([
    { from: FROM, to: TO, kind: 'uniswap_v2' },
    { from: TO, to: FROM, kind: 'uniswap_v3' },
  ])('the recipient gets what the pool gave, exactly once: $kind', async ({ from, to, kind }) => {
    const { swap, recipient, sent } = await create({ from, to })
    const { expected, receiver } = await exchangeOf(swap)
    expect(expected).toBe(await world.quote(from, 'sale', sent))
    expect(swap.swap).toMatchObject({
      source_token: { symbol: 'GEM' },
      requested_amount: 50,
      use_deposit_address: false,
      legs: [{ type: 'sale', made_by: 'depositor', provider: kind, status: 'pending', sold_amount: 50 }],
    })
    expect(swap.quote.requested_amount).toBe(50)
    expect(swap.quote.path.map(({ provider }) => provider)).toEqual([kind, 'causeway'])
    expect(swap.deposit_actions.map(({ type, amount_in_base_units }) => [type, amount_in_base_units])).toEqual([
      ['transfer', '0'],
      ['transfer', '0'],
    ])
    const before = await heldGems(from)
    const hash = await execute(swap, from)
    // The scan and the hint both find it.
    await world.client.post(`/api/v2/swaps/${swap.swap.id}/deposit_speedup`, { transaction_id: hash })
    const ended = await world.client.reaches(swap.swap.id, 'completed')
    expect(before - (await heldGems(from))).toBe(sent)
    const usdc = world.token(to, 'USDC')
    expect(await world.balance(usdc, recipient)).toBe(unitsOf(swap.quote.receive_amount, usdc))
    expect(await payoutsOf(swap)).toMatchObject([{ kind: 'output', state: 'confirmed' }])
    const deposits = await world.query('select units, to_address from deposit where swap_id = $1', [swap.swap.id])
    expect(deposits).toEqual([{ units: `${expected}`, to_address: receiver }])
    const { total_fee, receive_amount } = swap.quote
    expect(ended.quote).toMatchObject({ requested_amount: 50, total_fee, receive_amount })
    expect(ended.swap.transactions[0]).toMatchObject({ type: 'input', token: { symbol: 'USDC' }, status: 'completed' })
    expect(ended.swap.legs).toMatchObject([{ made_by: 'depositor', status: 'completed', transaction_hash: hash }])
    expect(ended.deposit_actions).toEqual([])
  })

  it('and the service buys the destination token with what arrived', async () => {
    const { swap, recipient } = await create({ destination: 'GEM' })
    await execute(swap, FROM)
    const ended = await world.client.reaches(swap.swap.id, 'completed')
    expect(ended.swap.legs.map(({ type, made_by }) => [type, made_by])).toEqual([
      ['sale', 'depositor'],
      ['purchase', 'service'],
    ])
    const gem = world.token(TO, 'GEM')
    expect(await world.balance(gem, recipient)).toBeGreaterThanOrEqual(unitsOf(swap.quote.min_receive_amount, gem))
    expect(await payoutsOf(swap)).toMatchObject([{ kind: 'output', state: 'confirmed' }])
  })
})

it('without a refund address no such swap is created', async () => {
  const body = {
    ...{ source_network: FROM, source_token: 'GEM', destination_network: TO, destination_token: 'USDC' },
    ...{ destination_address: world.stranger(), amount: 50, force_user_execution: true },
  }
  expect((await world.client.post('/api/v2/swaps', body)).error?.code).toBe('REFUND_ADDRESS_REQUIRED')
})

it.each([
  ['a route without an exchange on the source', { source_token: 'USDC' }],
  ['a deposit address, which others may pay', { use_deposit_address: true }],
])('%s: the deposit is a transfer to us, as without the flag', async (_, more) => {
  const { swap } = await create({}, more)
  expect(swap.deposit_actions).toHaveLength(1)
  expect(swap.swap.legs).toEqual([])
  expect((await exchangeOf(swap)).expected).toBe(0n)
})

it('an app never shares the address of an exchange with another swap of the same route', async () => {
  const database = openDatabase(world.sandbox.databaseUrl)
  const apiKey = await keyOf({ database, now: () => new Date() }, 'shop')
  await database.destroy()
  const app = createClient({ baseUrl: world.sandbox.url, apiKey, retries: 3 })
  const route = { source_network: FROM, destination_network: TO, destination_token: 'USDT', amount: 50 }
  const both = { ...route, destination_address: world.stranger(), refund_address: world.stranger() }
  const exchanged = { ...both, source_token: 'GEM', force_user_execution: true }
  const fromHub = { ...both, source_token: 'USDC', use_deposit_address: true }
  const addresses = []
  for (const body of [fromHub, exchanged, exchanged, fromHub]) {
    const { swap } = await app.createSwap(body)
    addresses.push((await world.query<{ receiver: string }>('select receiver from swap where id = $1', [swap.id]))[0])
  }
  const [hub, one, other, hubAgain] = addresses.map((row) => row?.receiver)
  expect(hubAgain).toBe(hub)
  expect(new Set([hub, one, other]).size).toBe(3)
})

describe('a pool that moves', () => {
  it('within the slippage: the recipient is paid in proportion, at once', async () => {
    const { swap, recipient, sent } = await create()
    const { expected, least } = await exchangeOf(swap)
    const moved = 500n * 10n ** 18n
    const back = await world.quote(FROM, 'sale', moved)
    await world.trade(FROM, 'sale', moved)
    const given = await world.quote(FROM, 'sale', sent)
    expect(given).toBeLessThan(expected)
    expect(given).toBeGreaterThanOrEqual(least)
    await execute(swap, FROM)
    await world.client.reaches(swap.swap.id, 'completed')
    const usdc = world.token(TO, 'USDC')
    const received = await world.balance(usdc, recipient)
    const quoted = unitsOf(swap.quote.receive_amount, usdc)
    expect(received).toBeLessThan(quoted)
    expect(received).toBeGreaterThanOrEqual(unitsOf(swap.quote.min_receive_amount, usdc))
    // The fees stay as quoted, so all of the difference is the pool's.
    expect(quoted - received).toBeLessThanOrEqual(expected - given)
    await world.trade(FROM, 'purchase', back)
  })

  it('in favour: the recipient gets more', async () => {
    const { swap, recipient } = await create()
    const moved = 500n * 10n ** 6n
    const back = await world.quote(FROM, 'purchase', moved)
    await world.trade(FROM, 'purchase', moved)
    await execute(swap, FROM)
    await world.client.reaches(swap.swap.id, 'completed')
    const usdc = world.token(TO, 'USDC')
    expect(await world.balance(usdc, recipient)).toBeGreaterThan(unitsOf(swap.quote.receive_amount, usdc))
    expect(await payoutsOf(swap)).toMatchObject([{ kind: 'output' }])
    await world.trade(FROM, 'sale', back)
  })

  it('too far: the exchange reverts, nothing is taken, and the swap expires', async () => {
    const { swap } = await create()
    const moved = 20_000n * 10n ** 18n
    const back = await world.quote(FROM, 'sale', moved)
    await world.trade(FROM, 'sale', moved)
    const before = await heldGems(FROM)
    await expect(execute(swap, FROM)).rejects.toThrow('INSUFFICIENT_OUTPUT_AMOUNT')
    expect(await heldGems(FROM)).toBe(before)
    await world.close(swap.swap.id, 'window')
    await world.client.reaches(swap.swap.id, 'expired')
    expect(await payoutsOf(swap)).toEqual([])
    await world.trade(FROM, 'purchase', back)
  })
})

it('after the quote there is nothing to send any more', async () => {
  const { swap } = await create()
  await world.close(swap.swap.id, 'quote')
  expect((await world.client.swap(swap.swap.id)).deposit_actions).toEqual([])
})

it('the pool token itself, sent to the deposit address by mistake, is kept as unmatched', async () => {
  const { swap } = await create()
  const { receiver } = await exchangeOf(swap)
  const gem = world.token(FROM, 'GEM')
  const hash = await world.devnet(FROM).transfer(world.account(FROM, 0), gem, receiver, 10n ** 18n)
  await eventually(async () => {
    const { data } = await world.client.get(`/api/v2/unmatched/${hash}`)
    return (data as { state: string }[] | undefined)?.[0]?.state === 'waiting'
  }, 'the deposit to be kept')
  const kept = 'select swap_id, units, to_address from deposit where tx_hash = $1'
  expect(await world.query(kept, [hash])).toEqual([{ swap_id: null, units: `${10n ** 18n}`, to_address: receiver }])
  expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
})

it('a reorg removes the exchange: the swap waits, and pays once when it is made again', async () => {
  await control(world, FROM, 'evm_setIntervalMining', 0)
  // Enough value for a tier of several confirmations.
  const { swap, recipient } = await create({}, { amount: 2_000 })
  await execute(swap, FROM)
  const stateOf = async () =>
    (await world.query<{ state: string }>('select state from deposit where swap_id = $1', [swap.swap.id])).map(
      ({ state }) => state,
    )
  await eventually(async () => (await stateOf()).includes('seen'), 'the deposit to be seen')
  await world.devnet(FROM).reorg(FROM, 1)
  await eventually(async () => (await stateOf()).every((state) => state === 'gone'), 'the deposit to be gone')
  const again = await world.client.swap(swap.swap.id)
  expect(again.swap.status).toBe('user_transfer_pending')
  const exchange = again.deposit_actions.at(-1)
  if (!exchange) throw new Error('the exchange is not offered again')
  const given = await world.quote(FROM, 'sale', 2_000n * 10n ** 18n)
  await world.deposit(world.token(FROM, 'GEM'), exchange)
  await world.devnet(FROM).mine(FROM, 8)
  await world.client.reaches(swap.swap.id, 'completed')
  const usdc = world.token(TO, 'USDC')
  expect(await world.balance(usdc, recipient)).toBeGreaterThanOrEqual(unitsOf(swap.quote.min_receive_amount, usdc))
  const [output, ...more] = await payoutsOf(swap)
  expect([output, more]).toMatchObject([{ kind: 'output', state: 'confirmed' }, []])
  expect(await world.balance(usdc, recipient)).toBe(BigInt(output?.units ?? 0))
  const credited = "select units from deposit where swap_id = $1 and state = 'confirmed'"
  expect(await world.query(credited, [swap.swap.id])).toEqual([{ units: `${given}` }])
})
