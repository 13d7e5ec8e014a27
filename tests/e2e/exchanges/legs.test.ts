/**
 * Swaps over real Uniswap pools: an exchange on the source, on the destination, and on both. Each is exact to what the
 * pool gives, or the money is refunded, and the books balance.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { UNISWAP } from '../../../chains/evm/local/src/uniswap.ts'
import { control } from '../../support/chains/evm.ts'
import { type PoolWorld, startPoolWorld } from '../../support/chains/pools.ts'
import { actionOf, unitsOf } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'ARBITRUM_SEPOLIA'

let world: PoolWorld

beforeAll(async () => {
  world = await startPoolWorld([FROM, TO], {
    ...{ PAYOUT_PATIENCE_SECONDS: '1', RECONCILE_INTERVAL_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' },
  })
  const { accounts } = world.devnet(FROM)
  await world.devnet(FROM).fund(world.token(FROM, 'GEM'), accounts[0]?.address ?? '', 10_000n * 10n ** 18n)
})
afterAll(() => world.stop())
afterEach(expectBalanced)

interface Created {
  swap: WireSwap
  recipient: string
  refundee: string
}

async function create(source: string, destination: string, amount: number, more: object = {}): Promise<Created> {
  const [recipient, refundee] = [world.stranger(), world.stranger()]
  const body = {
    ...{ source_network: FROM, source_token: source, destination_network: TO, destination_token: destination },
    ...{ destination_address: recipient, refund_address: refundee, amount, ...more },
  }
  const swap = await eventually(() => world.client.create(body), `a swap from ${source} to ${destination}`)
  return { swap, recipient, refundee }
}

interface StoredLeg {
  inUnits: string
  outUnits: string
  minUnits: string
}

async function legsOf({ swap }: WireSwap): Promise<{ sale?: StoredLeg; purchase?: StoredLeg }> {
  const [row] = await world.query<{ legs: string }>("select quote->>'legs' as legs from swap where id = $1", [swap.id])
  return JSON.parse(row?.legs ?? '{}')
}

async function payoutsOf({ swap }: WireSwap) {
  return world.query<{ kind: string; state: string; units: string; received_units: string | null }>(
    'select kind, state, units, received_units from payout where swap_id = $1 order by number',
    [swap.id],
  )
}

/** The ledger has the treasuries' balances, every posting balances, and nothing is owed or promised to a closed swap. */
async function expectBalanced(): Promise<void> {
  for (const network of [FROM, TO]) {
    const treasury = world.sandbox.treasuries[network] ?? ''
    for (const token of world.sandbox.catalogue.network(network).tokens) {
      await eventually(async () => {
        const [row] = await world.query<{ units: string }>(
          `select coalesce(sum(units), 0) as units from ledger_entry
           where account = 'wallet' and owner = $1 and network = $2 and token = $3`,
          [treasury, network, token.contract ?? 'native'],
        )
        return BigInt(row?.units ?? -1) === (await world.balance(token, treasury))
      }, `the books of ${token.symbol} on ${network} to agree`)
    }
  }
  expect(
    await world.query('select 1 from ledger_entry group by posting, network, token having sum(units) <> 0'),
  ).toEqual([])
  expect(
    await world.query(
      `select swap_id, entry.account, token, sum(units) from ledger_entry entry join swap on swap.id = swap_id
       where closed_at is not null and entry.account in ('customer', 'promised')
       group by 1, 2, 3 having sum(units) <> 0`,
    ),
  ).toEqual([])
}

describe('each is exact to what the pool gives', () => {
  it('a purchase on the destination', async () => {
    const { swap, recipient } = await create('USDC', 'GEM', 100)
    const { purchase } = await legsOf(swap)
    const expected = await world.quote(TO, 'purchase', BigInt(purchase?.inUnits ?? 0))
    expect(expected).toBe(BigInt(purchase?.outUnits ?? 0))
    await world.deposit(world.token(FROM, 'USDC'), actionOf(swap))
    await world.client.reaches(swap.swap.id, 'completed')
    expect(await world.balance(world.token(TO, 'GEM'), recipient)).toBe(expected)
    expect(await payoutsOf(swap)).toEqual([
      { kind: 'output', state: 'confirmed', units: purchase?.inUnits, received_units: `${expected}` },
    ])
  })

  it('a sale on the source', async () => {
    const { swap, recipient } = await create('GEM', 'USDC', 50)
    const { sale } = await legsOf(swap)
    const expected = await world.quote(FROM, 'sale', BigInt(sale?.inUnits ?? 0))
    expect(expected).toBe(BigInt(sale?.outUnits ?? 0))
    await world.deposit(world.token(FROM, 'GEM'), actionOf(swap))
    await world.client.reaches(swap.swap.id, 'completed')
    const usdc = world.token(TO, 'USDC')
    const received = await world.balance(usdc, recipient)
    expect(received).toBe(unitsOf(swap.quote.receive_amount, usdc))
    expect(await payoutsOf(swap)).toEqual([
      { kind: 'sale', state: 'confirmed', units: sale?.inUnits, received_units: `${expected}` },
      { kind: 'output', state: 'confirmed', units: `${received}`, received_units: null },
    ])
  })

  it('both, from a deposit address, which is swept before the sale', async () => {
    const { swap, recipient } = await create('GEM', 'GEM', 40, { use_deposit_address: true })
    const { sale, purchase } = await legsOf(swap)
    const sold = await world.quote(FROM, 'sale', BigInt(sale?.inUnits ?? 0))
    const bought = await world.quote(TO, 'purchase', BigInt(purchase?.inUnits ?? 0))
    await world.deposit(world.token(FROM, 'GEM'), actionOf(swap))
    await world.client.reaches(swap.swap.id, 'completed')
    expect(await world.balance(world.token(TO, 'GEM'), recipient)).toBe(bought)
    expect(await payoutsOf(swap)).toMatchObject([
      { kind: 'sale', state: 'confirmed', received_units: `${sold}` },
      { kind: 'output', state: 'confirmed', units: purchase?.inUnits, received_units: `${bought}` },
    ])
  })
})

it('without a refund address no swap over an exchange is created', async () => {
  const body = {
    ...{ source_network: FROM, source_token: 'USDC', destination_network: TO, destination_token: 'GEM' },
    ...{ destination_address: world.stranger(), amount: 100 },
  }
  expect((await world.client.post('/api/v2/swaps', body)).error?.code).toBe('REFUND_ADDRESS_REQUIRED')
})

describe('a pool that moves', () => {
  it('a little: the recipient gets what it gives now, at least the minimum', async () => {
    const { swap, recipient } = await create('USDC', 'GEM', 100)
    await world.trade(TO, 'purchase', 2_000n * 10n ** 6n)
    const { purchase } = await legsOf(swap)
    const expected = await world.quote(TO, 'purchase', BigInt(purchase?.inUnits ?? 0))
    expect(expected).toBeLessThan(BigInt(purchase?.outUnits ?? 0))
    expect(expected).toBeGreaterThanOrEqual(BigInt(purchase?.minUnits ?? 0))
    await world.deposit(world.token(FROM, 'USDC'), actionOf(swap))
    await world.client.reaches(swap.swap.id, 'completed')
    expect(await world.balance(world.token(TO, 'GEM'), recipient)).toBe(expected)
    await world.trade(TO, 'sale', await world.quote(TO, 'purchase', 2_000n * 10n ** 6n))
  })

  it('a lot: the exchange is tried, and the deposit is refunded in its own token', async () => {
    const { swap, recipient, refundee } = await create('GEM', 'USDC', 50)
    const moved = 50_000n * 10n ** 18n
    const back = await world.quote(FROM, 'sale', moved)
    await world.trade(FROM, 'sale', moved)
    await world.deposit(world.token(FROM, 'GEM'), actionOf(swap))
    await eventually(async () => {
      // If it waits for a better price, the wait is over.
      await world.query(
        "update swap set degraded_at = now() - interval '31 minutes' where id = $1 and degraded_at is not null",
        [swap.swap.id],
      )
      return (await world.client.swap(swap.swap.id)).swap.status === 'refunded'
    }, 'the swap to be refunded')
    expect(await world.balance(world.token(TO, 'USDC'), recipient)).toBe(0n)
    expect(await world.balance(world.token(FROM, 'GEM'), refundee)).toBeGreaterThan(49n * 10n ** 18n)
    const payouts = await payoutsOf(swap)
    expect(payouts.filter(({ state }) => state !== 'abandoned').map(({ kind }) => kind)).toEqual(['refund'])
    await world.trade(FROM, 'purchase', back)
  })
})

describe('a router that reverts', () => {
  const routers = { [FROM]: UNISWAP.router2, [TO]: UNISWAP.router3 }

  /** Replaces the router's code by one that always fails, until `run` has ended. */
  async function paused(network: typeof FROM | typeof TO, run: () => Promise<void>): Promise<void> {
    const router = routers[network]
    const code = await control(world, network, 'eth_getCode', router, 'latest')
    await control(world, network, 'hardhat_setCode', router, '0xfe')
    await run().finally(() => control(world, network, 'hardhat_setCode', router, code))
  }

  it('before the purchase: the deposit is refunded in its own token', async () => {
    const { swap, recipient, refundee } = await create('USDC', 'GEM', 100)
    await paused(TO, async () => {
      await world.deposit(world.token(FROM, 'USDC'), actionOf(swap))
      await world.client.reaches(swap.swap.id, 'refunded')
    })
    expect(await world.balance(world.token(TO, 'GEM'), recipient)).toBe(0n)
    expect(await world.balance(world.token(FROM, 'USDC'), refundee)).toBeGreaterThan(90n * 10n ** 6n)
    expect(await payoutsOf(swap)).toMatchObject([
      { kind: 'output', state: 'abandoned' },
      { kind: 'refund', state: 'confirmed' },
    ])
  })

  it('before the sale: the deposit is refunded in its own token', async () => {
    const { swap, refundee } = await create('GEM', 'USDC', 50)
    await paused(FROM, async () => {
      await world.deposit(world.token(FROM, 'GEM'), actionOf(swap))
      await world.client.reaches(swap.swap.id, 'refunded')
    })
    expect(await world.balance(world.token(FROM, 'GEM'), refundee)).toBeGreaterThan(49n * 10n ** 18n)
    expect(await payoutsOf(swap)).toMatchObject([
      { kind: 'sale', state: 'abandoned' },
      { kind: 'refund', state: 'confirmed' },
    ])
  })

  it('after the sale: its proceeds are refunded in the hub token', async () => {
    const { swap, recipient, refundee } = await create('GEM', 'GEM', 40)
    await paused(TO, async () => {
      await world.deposit(world.token(FROM, 'GEM'), actionOf(swap))
      await world.client.reaches(swap.swap.id, 'refunded')
    })
    expect(await world.balance(world.token(TO, 'GEM'), recipient)).toBe(0n)
    const payouts = await payoutsOf(swap)
    expect(payouts).toMatchObject([
      { kind: 'sale', state: 'confirmed' },
      { kind: 'output', state: 'abandoned' },
      { kind: 'refund', state: 'confirmed' },
    ])
    expect(await world.balance(world.token(FROM, 'USDC'), refundee)).toBe(BigInt(payouts[2]?.units ?? 0))
  })
})

it('a pool that is bought empty: the deposit is refunded when its window closes', async () => {
  const { swap, recipient, refundee } = await create('USDC', 'GEM', 100)
  await world.trade(TO, 'purchase', 8_000_000n * 10n ** 6n)
  await world.deposit(world.token(FROM, 'USDC'), actionOf(swap))
  await eventually(async () => {
    await world.query(
      `update swap set expires_at = now() - interval '1 second', degraded_at = degraded_at - interval '31 minutes'
       where id = $1 and exists (select from deposit where swap_id = $1 and state = 'confirmed')`,
      [swap.swap.id],
    )
    return (await world.client.swap(swap.swap.id)).swap.status === 'refunded'
  }, 'the swap to be refunded')
  expect(await world.balance(world.token(TO, 'GEM'), recipient)).toBe(0n)
  expect(await world.balance(world.token(FROM, 'USDC'), refundee)).toBeGreaterThan(90n * 10n ** 6n)
})
