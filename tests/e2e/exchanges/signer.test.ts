/**
 * Swaps over real Uniswap pools with `SIGNER=remote`: the signer process judges each exchange by its own policy and prices.
 * Swaps that it would refuse are not offered, refused ones are refunded, and a service that was taken over sells at no bad price.
 */
import { parseConfig, startService } from '@causeway/server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { UNISWAP } from '../../../chains/evm/local/src/uniswap.ts'
import { type PoolWorld, startPoolWorld } from '../../support/chains/pools.ts'
import { createSignerProcess, type SignerProcess } from '../../support/processes/signer.ts'
import { SLOW_MS } from '../../support/processes/users.ts'
import { actionOf } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { admin } from '../../support/service/accounts.ts'
import { clientOf, type WireSwap } from '../../support/service/client.ts'
import { holdOf, holdWords } from '../../support/service/holds.ts'

const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'ARBITRUM_SEPOLIA'] as const
const PLENTY = { max: '1000000', max_per_hour: '1000000000' }
const TOKENS = { ETH: PLENTY, USDC: PLENTY, GEM: PLENTY }
const PRICES = { GEM: '2', USDC: '1' }
const SALES = { routers: [UNISWAP.router2], prices: PRICES }
const PURCHASES = { routers: [UNISWAP.router3], prices: PRICES }
const ALL = { [FROM]: { tokens: TOKENS, exchanges: SALES }, [TO]: { tokens: TOKENS, exchanges: PURCHASES } }

let world: PoolWorld
let signer: SignerProcess
let service: Awaited<ReturnType<typeof startService>> | null = null

beforeAll(async () => {
  world = await startPoolWorld([FROM, TO], {}, false)
  const { accounts, fund } = world.devnet(FROM)
  await fund(world.token(FROM, 'GEM'), accounts[0]?.address ?? '', 1_000n * 10n ** 18n)
  signer = createSignerProcess(world.sandbox.env.NETWORKS ?? '')
})
afterAll(async () => {
  await service?.stop()
  await signer?.kill()
  await world?.stop()
})
afterEach(async () => {
  await service?.stop()
  service = null
})

/** Starts signer and service again, with this policy. */
async function serve(policy: Record<string, unknown>): Promise<void> {
  await service?.stop()
  await signer.start(policy)
  const settings = { PAYOUT_PATIENCE_SECONDS: '1', RECONCILE_INTERVAL_SECONDS: '1' }
  service = await startService(parseConfig({ ...process.env, ...world.sandbox.env, ...settings, ...signer.env() }))
}

const client = () => clientOf(world.sandbox.url)

interface Created {
  swap: WireSwap
  recipient: string
  refundee: string
}

function bodyOf(source: string, destination: string, amount: number) {
  return {
    ...{ source_network: FROM, source_token: source, destination_network: TO, destination_token: destination },
    ...{ destination_address: world.stranger(), refund_address: world.stranger(), amount },
  }
}

async function create(source: string, destination: string, amount: number): Promise<Created> {
  const body = bodyOf(source, destination, amount)
  const swap = await eventually(() => client().create(body), `a swap from ${source} to ${destination}`)
  return { swap, recipient: body.destination_address, refundee: body.refund_address }
}

function payoutsOf({ swap }: WireSwap) {
  return world.query<{ id: string; kind: string; state: string; units: string; received_units: string | null }>(
    'select id, kind, state, units, received_units from payout where swap_id = $1 order by number',
    [swap.id],
  )
}

describe('within the policy', () => {
  it.each([
    ['on the destination', 'USDC', 'GEM', ['output']],
    ['on the source', 'GEM', 'USDC', ['sale', 'output']],
    ['on both', 'GEM', 'GEM', ['sale', 'output']],
  ] as const)('an exchange %s is signed, and exact to the pool', async (_where, source, destination, kinds) => {
    await serve(ALL)
    const { swap, recipient } = await create(source, destination, 40)
    const sold = source === 'GEM' ? await world.quote(FROM, 'sale', 40n * 10n ** 18n) : null
    await world.deposit(world.token(FROM, source), actionOf(swap))
    await client().reaches(swap.swap.id, 'completed')
    const payouts = await payoutsOf(swap)
    expect(payouts.map(({ kind, state }) => [kind, state])).toEqual(kinds.map((kind) => [kind, 'confirmed']))
    if (sold !== null) expect(payouts[0]?.received_units).toBe(`${sold}`)
    const { units, received_units } = payouts.at(-1) ?? {}
    const received = await world.balance(world.token(TO, destination), recipient)
    expect(`${received}`).toBe(destination === 'GEM' ? received_units : units)
  })
})

describe('outside the policy', () => {
  it('an exchange is not offered; others are', async () => {
    await serve({ ...ALL, [TO]: { tokens: TOKENS } })
    const sale = await create('GEM', 'USDC', 40)
    expect(sale.swap.swap.status).toBe('user_transfer_pending')
    const refused = await client().post('/api/v2/swaps', bodyOf('USDC', 'GEM', 40))
    // A pool token has the price of its pools, and none of those may be used.
    expect(refused.error?.code).toBe('PRICE_UNAVAILABLE')
  })

  it(
    'a deposit whose exchange the policy allows no more is refunded in its own token',
    async () => {
      await serve(ALL)
      const { swap, refundee } = await create('GEM', 'USDC', 40)
      await serve({ ...ALL, [FROM]: { tokens: TOKENS } })
      await world.deposit(world.token(FROM, 'GEM'), actionOf(swap))
      await eventually(async () => {
        await world.query(
          `update swap set expires_at = now() - interval '1 second'
         where id = $1 and exists (select from deposit where swap_id = $1 and state = 'confirmed')`,
          [swap.swap.id],
        )
        return (await client().swap(swap.swap.id)).swap.status === 'refunded'
      }, 'the swap to be refunded')
      expect((await payoutsOf(swap)).map(({ kind }) => kind)).toEqual(['refund'])
      expect(await world.balance(world.token(FROM, 'GEM'), refundee)).toBeGreaterThan(39n * 10n ** 18n)
    },
    SLOW_MS,
  )

  it('an exchange by the depositor needs no policy: the swap is paid although none is allowed any more', async () => {
    await serve(ALL)
    const body = { ...bodyOf('GEM', 'USDC', 40), force_user_execution: true }
    const swap = await eventually(() => client().create(body), 'a swap of GEM')
    await serve({ ...ALL, [FROM]: { tokens: TOKENS } })
    for (const action of swap.deposit_actions) await world.deposit(world.token(FROM, 'GEM'), action)
    await client().reaches(swap.swap.id, 'completed')
    expect((await payoutsOf(swap)).map(({ kind, state }) => [kind, state])).toEqual([['output', 'confirmed']])
    const usdc = world.token(TO, 'USDC')
    expect(await world.balance(usdc, body.destination_address)).toBeGreaterThan(70n * 10n ** 6n)
  })

  it(
    'a service that was taken over gets no exchange at a bad price',
    async () => {
      await serve(ALL)
      const { swap, refundee } = await create('GEM', 'USDC', 40)
      // The taken over service asks for a sale that may bring nothing.
      await world.query(
        `update swap set quote = jsonb_set(quote, '{legs}', to_jsonb(
         jsonb_set((quote ->> 'legs')::jsonb, '{sale,minUnits}', '"1"')::text)) where id = $1`,
        [swap.swap.id],
      )
      await world.deposit(world.token(FROM, 'GEM'), actionOf(swap))
      const { database } = service?.services ?? fail()
      const sale = await eventually(async () => {
        const found = (await payoutsOf(swap)).find(({ kind }) => kind === 'sale')
        return found && (await holdOf(database, found.id))?.code === 'signer_refused' ? found : null
      }, 'the signer to refuse')
      const signed = 'select 1 from attempt join slot_payout using (slot_id) where payout_id = $1'
      expect(await world.query(signed, [sale.id])).toEqual([])
      await admin(service?.services ?? fail(), 'payout', 'reject', ...(await holdWords(database, sale.id)))
      await client().reaches(swap.swap.id, 'refunded')
      expect(await world.balance(world.token(FROM, 'GEM'), refundee)).toBeGreaterThan(39n * 10n ** 18n)
    },
    SLOW_MS,
  )
})

function fail(): never {
  throw new Error('the service is not there')
}
