/**
 * Legs: a deposit is sold on an exchange, its proceeds pay for the output, or are refunded. The simulated family has no
 * exchanges, so a transfer to a pool takes the place of each.
 */
import type { ChainAdapter, LegPricing, Order, Pricing, Token } from '@causeway/core'
import { ONE, quoteFor, RetryLater, routeText } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { quoteText } from '../../store/swaps/swaps.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const POOL = accountFrom('a pool').address
const ROUTER = accountFrom('a router').address

let database: TestDatabase
let hand: Hand
/** What the exchange gives, the allowance of the router, and the exchanges that were signed. */
const exchange = { received: 0n, allowance: 0n, signed: 0 }

beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  for (const network of [FROM, TO]) withExchanges(chainOf(hand.services.chains, network))
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})
beforeEach(() => {
  Object.assign(exchange, { received: 0n, allowance: 0n, signed: 0 })
})

type After<Call> = Call extends (order: Order, ...rest: infer Rest) => unknown ? Rest : never

function withExchanges(chain: ChainAdapter): void {
  const { prepare, sign, maxSigningCost, nextSlot } = { ...chain }
  const { treasury: account } = chain
  const plain = (order: Order): Order => {
    const native = { token: chain.network.nativeToken, units: 1n }
    const amount = order.kind === 'exchange' ? order.exchange.sells : native
    const isOther = order.kind === 'exchange' || (order.kind === 'transfers' && order.call !== undefined)
    return isOther ? { kind: 'transfers', account, transfers: [{ to: POOL, amount }] } : order
  }
  Object.assign(chain, {
    prepare: (order: Order, ...rest: After<ChainAdapter['prepare']>) => prepare(plain(order), ...rest),
    nextSlot: (order: Order, ...rest: After<ChainAdapter['nextSlot']>) => nextSlot(plain(order), ...rest),
    maxSigningCost: (order: Order, ...rest: After<ChainAdapter['maxSigningCost']>) =>
      maxSigningCost(plain(order), ...rest),
    sign: (order: Order, ...rest: After<ChainAdapter['sign']>) => {
      if (order.kind === 'exchange') exchange.signed++
      // The approval is mined like any other transaction.
      else if (order.kind === 'transfers' && order.call !== undefined) exchange.allowance = BigInt(order.call)
      return sign(plain(order), ...rest)
    },
    exchanges: {
      readPools: async () => {
        throw new RetryLater('no pools')
      },
      allowance: async () => exchange.allowance,
      approvalCall: (_router: string, _token: Token, units: bigint) => `${units}`,
      exactOut: async () => exchange.received,
      received: async () => exchange.received,
    },
  })
}

function tokens(network: string): { coin: Token; usdc: Token } {
  const { nativeToken: coin, tokens: all } = hand.services.catalogue.network(network)
  const usdc = all.find(({ symbol }) => symbol === 'USDC')
  if (!usdc) throw new Error('no USDC')
  return { coin, usdc }
}

/** A leg at the market's prices, without depth. */
function legOf(sells: Token, buys: Token, hub: Token): LegPricing {
  const { market } = hand.services
  const [price, hubPrice, other] = [market.price(sells), market.price(hub), market.price(buys)]
  if (!price || !hubPrice || !other) throw new Error('no price')
  const spot = { in: other * 10n ** BigInt(sells.decimals), out: price * 10n ** BigInt(buys.decimals) }
  const curve = {
    out: (units: bigint) => (units * spot.out) / spot.in,
    inFor: (units: bigint) => (units * spot.in + spot.out - 1n) / spot.out,
    ...{ impactBps: () => 0n, maxIn: () => 10n ** 30n, spot },
  }
  const path: [string, string] = [sells.contract ?? POOL, buys.contract ?? POOL]
  const route = routeText({
    ...{ kind: 'uniswap_v2', router: ROUTER, quoter: null, pool: POOL, feePpm: 3000, path },
    native: sells.contract === null ? 'in' : buys.contract === null ? 'out' : null,
  })
  return { provider: 'pool', hub, hubPrice, curve, route, maxImpactBps: 300n, maxSlippage: ONE / 10n }
}

/** A swap of 50 USDC whose quote has these legs. Creation is closed for them, so the quote is stored by hand. */
async function swapWith(side: 'sale' | 'purchase'): Promise<CreatedSwap> {
  const { services } = hand
  const plain = { ...services.market }
  const created = await hand.swap(FROM, TO)
  const { source, destination, requestedUnits, slippage, id } = created.view.swap
  const leg =
    side === 'sale'
      ? legOf(source, tokens(FROM).coin, tokens(FROM).coin)
      : legOf(tokens(TO).coin, destination, tokens(TO).coin)
  const { provider, hub, curve, route } = leg
  const pricing = (...[asked, units]: Parameters<typeof plain.pricing>): Pricing | null => {
    const price = plain.pricing({ ...asked, plan: {} }, units)
    return price && { ...price, [side]: leg }
  }
  Object.assign(services.market, { plans: () => [{ [side]: { provider, hub, curve, route } }], pricing })
  const route_ = { source, destination, refuel: false, usesDepositAddress: false, usesGasless: false }
  const price = pricing(route_ as Parameters<typeof plain.pricing>[0], 10n ** 30n)
  const quote = price && quoteFor(price, requestedUnits ?? 0n, slippage)
  if (!quote) throw new Error('no quote')
  await services.database
    .updateTable('swap')
    .set({ quote: quoteText(quote) })
    .where('id', '=', id)
    .execute()
  return created
}

async function credit(swap: CreatedSwap): Promise<void> {
  hand.deposit(swap)
  await settleOn(FROM)
}

/** Mines everything to its final depth and reads it. */
async function settleOn(network: string): Promise<void> {
  hand.chain(network).mine(hand.services.catalogue.network(network).finalDepth + 1)
  await hand.watch(network)
}

/** Runs jobs on a network until nothing more happens. */
async function work(network: string): Promise<void> {
  for (let round = 0; round < 4; round++) {
    hand.passTime(15_000)
    await hand.services.database
      .updateTable('payout')
      .set({ look_again_at: null })
      .execute()
      .catch(() => undefined)
    await hand.runJobs()
    await settleOn(network)
  }
}

async function payoutsOf({ view }: CreatedSwap) {
  return hand.services.database
    .selectFrom('payout')
    .selectAll()
    .where('swap_id', '=', view.swap.id)
    .orderBy('number')
    .execute()
}

async function statusOf({ view }: CreatedSwap): Promise<string> {
  const row = await hand.services.database
    .selectFrom('swap')
    .select('status')
    .where('id', '=', view.swap.id)
    .executeTakeFirstOrThrow()
  return row.status
}

test('a sale is approved exactly, made once, and its proceeds pay for the output', async () => {
  const swap = await swapWith('sale')
  await credit(swap)
  const [sale] = await payoutsOf(swap)
  expect(sale).toMatchObject({ kind: 'sale', units: swap.view.swap.requestedUnits, started: false })
  exchange.received = BigInt(sale?.leg?.minUnits ?? 0)
  await work(FROM)
  const approvals = await hand.services.database.selectFrom('payout').selectAll().where('kind', '=', 'admin').execute()
  expect(approvals).toMatchObject([{ state: 'confirmed', to_address: sale?.token }])
  expect(exchange).toMatchObject({ allowance: sale?.units, signed: 1 })
  expect(await payoutsOf(swap)).toMatchObject([
    { kind: 'sale', state: 'confirmed', received_units: exchange.received },
    { kind: 'output', state: 'open', leg: null },
  ])
  await work(TO)
  expect(await statusOf(swap)).toBe('completed')
})
