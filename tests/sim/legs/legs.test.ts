/**
 * Swaps over exchanges under random faults: pools that move a little or a lot, are emptied, a router that is paused,
 * exchanges that revert, a node that lies about a quote or about what a sale brought, and a process that ends at any step.
 * The chain decides the result, not the database.
 */
import type { Token } from '@causeway/core'
import { afterEach, expect, test } from 'vitest'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import { lookAtWallets } from '../../../server/src/flow/checks/history.ts'
import { pay } from '../../../server/src/flow/payouts/pay.ts'
import { reconcile } from '../../../server/src/flow/reconciliation/reconcile.ts'
import { correctProceeds } from '../../../server/src/flow/swap/correct-proceeds.ts'
import { expireSwaps } from '../../../server/src/flow/swap/expire.ts'
import { ledgerUnits } from '../../../server/src/store/ledger/balances.ts'
import { readSwap, saleIn } from '../../../server/src/store/swaps/swaps.ts'
import type { CreatedSwap } from '../../../server/src/swaps/create-swap.ts'
import { createExchangeDouble, type ExchangeDouble, type ExchangeStep } from '../../support/chains/exchange-double.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'
import { createPools, type Pools } from './pools.ts'

const [FROM, TO] = ['ALPHA', 'BETA'] as const
const FINAL = 6
const FAULTY_ROUNDS = 6
const STEP_MS = 5 * 60_000
const HOUR_MS = 3_600_000
const FAULTS = [
  ...(['none', 'little', 'lot', 'emptied', 'paused', 'resumed', 'revert', 'refuses', 'overstates'] as const),
  ...(['kill', 'kill', 'kill'] as const),
]
const KILLS: ExchangeStep[] = ['prepare', 'sign', 'broadcast', 'received']
type Sides = ('sale' | 'purchase')[]
const SHAPES: Sides[] = [['sale'], ['purchase'], ['sale', 'purchase']]

interface Story {
  database: TestDatabase
  hand: Hand
  pools: Pools
  double: ExchangeDouble
  sides: Sides
  random: (below: number) => number
  told: string[]
  /** Time that has passed; another process continues it. */
  elapsedMs: number
}

let story: Story | null = null
afterEach(async () => {
  await story?.hand.stop()
  await story?.database.stop()
  story = null
})

/** The same numbers for the same seed (a linear congruential generator). */
function randomFrom(seed: number): (below: number) => number {
  let state = BigInt(seed) * 7919n + 12_345n
  return (below) => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
    return Number((state >> 33n) % BigInt(below))
  }
}

async function begin(seed: number): Promise<Story> {
  const database = await startDatabase()
  const hand = await startHand(database.url)
  const pools = createPools((network) => hand.chain(network))
  const made: Story = {
    ...{
      database,
      hand,
      pools,
      random: randomFrom(seed),
      sides: SHAPES[seed % SHAPES.length] ?? [],
      told: [],
      elapsedMs: 0,
    },
    double: createExchangeDouble(() => made.hand, pools),
  }
  story = made
  for (const network of [FROM, TO]) {
    const { coin, usdc } = tokensOn(made, network)
    pools.fill(network, coin, 500n * 10n ** BigInt(coin.decimals))
    pools.fill(network, usdc, 1_000_000n * 10n ** BigInt(usdc.decimals))
  }
  made.double.install()
  made.double.exchange.allowance = 10n ** 40n
  await lookAtWallets(hand.services)
  await reconcile(hand.services)
  await settle(made)
  await reconcile(hand.services)
  return made
}

function tokensOn({ hand }: Story, network: string): { coin: Token; usdc: Token } {
  const { nativeToken: coin, tokens } = hand.services.catalogue.network(network)
  const usdc = tokens.find(({ symbol }) => symbol === 'USDC')
  if (!usdc) throw new Error('no USDC')
  return { coin, usdc }
}

async function settle({ hand, pools }: Story): Promise<void> {
  for (const network of [FROM, TO]) {
    pools.mine(network, FINAL + 1)
    await hand.watch(network)
  }
}

/** One fault, or none. */
function trouble(story: Story): ExchangeStep | null {
  const { random, pools, double, told } = story
  const network = random(2) === 0 ? FROM : TO
  const { coin, usdc } = tokensOn(story, network)
  const fault = FAULTS[random(FAULTS.length)] ?? 'none'
  // A lie lasts for one round.
  double.refusal = fault === 'refuses' ? 'the exchange gives nothing now' : null
  pools.overstates = fault === 'overstates' ? 10n : 1n
  told.push(`${fault} ${network}`)
  if (fault === 'little') pools.move(network, [coin, usdc], BigInt(random(3) - 1) || 1n)
  else if (fault === 'lot') pools.move(network, [coin, usdc], random(2) === 0 ? 40n : -30n)
  else if (fault === 'emptied') pools.empty(network, [coin, usdc])
  else if (fault === 'paused') pools.isPaused = true
  else if (fault === 'resumed') pools.isPaused = false
  else if (fault === 'revert') pools.reverts++
  return fault === 'kill' ? (KILLS[random(KILLS.length)] ?? null) : null
}

/** Runs all open payouts; with `kill` the process ends at that step, and another one takes over. */
async function work(story: Story, kill: ExchangeStep | null): Promise<void> {
  const { double } = story
  double.killAt = kill
  const died = new Promise<'died'>((resolve) => {
    double.onKilled = () => resolve('died')
  })
  const run = async () => {
    const { database } = story.hand.services
    const open = database.selectFrom('payout').select('id').where('state', '=', 'open').orderBy('created_at')
    for (const { id } of await open.execute()) await pay(story.hand.services, id)
    await settle(story)
    return 'done' as const
  }
  const running = run()
  // A process that was killed fails when its database is gone.
  running.catch(() => undefined)
  const ended = await Promise.race([running, died])
  double.killAt = null
  if (ended === 'died') await restart(story)
}

async function restart(story: Story): Promise<void> {
  const { journal } = story.hand.services
  await story.hand.stop()
  story.double.bury()
  story.hand = await startHand(story.database.url, {}, { onOldChains: true, journal })
  story.hand.passTime(story.elapsedMs)
  const { services } = story.hand
  await services.refresh()
  const leases = services.database.updateTable('lease').set({ expires_at: new Date(0) })
  await leases.execute()
  story.double.install()
  story.double.offer(...story.sides)
  await lookAtWallets(services)
}

/** An operator looks up the sale of each swap that waits because its proceeds are implausible, and states what there is. */
async function answer({ hand, pools }: Story): Promise<void> {
  const { database, catalogue } = hand.services
  const rows = await database
    .selectFrom('hold')
    .innerJoin('payout', 'payout.id', 'hold.payout_id')
    .select('swap_id')
    .distinct()
    .where('code', '=', 'excess_proceeds')
    .where('closed_at', 'is', null)
    .execute()
  for (const { swap_id: id } of rows) {
    const sale = saleIn(await readSwap(database, id ?? ''))
    if (!id || !sale?.leg) throw new Error('a hold without a sale')
    const buys = catalogue.token(sale.network, sale.leg.buys)
    const there = pools.made(sale.network).find(({ to }) => to === sale.to_address)
    const units = there && pools.gave(sale.tx_hash ?? '', { ...there, buys })
    await correctProceeds(hand.services, { swapId: id, units: `${units}` })
  }
}

/** The faults and the open payouts, for a failure. */
async function described({ told, hand }: Story): Promise<string> {
  const { database } = hand.services
  const payouts = database.selectFrom('payout').select(['kind', 'state', 'started', 'held_by', 'reverts'])
  const holds = database.selectFrom('hold').select(['code', 'detail', 'params']).where('closed_at', 'is', null)
  const rows = [await payouts.orderBy('created_at').execute(), await holds.execute()]
  return `${told.join(', ')}: ${JSON.stringify(rows)}`
}

async function pass(story: Story, ms: number): Promise<void> {
  story.elapsedMs += ms
  story.hand.passTime(ms)
  await story.hand.services.refresh()
  await expireSwaps(story.hand.services)
}

/** Judged by the chain alone: the exchanges that were made, and the balances of the two people. */
function judge({ hand, pools, sides }: Story, { view: { swap } }: CreatedSwap, least: bigint, quoted: bigint): string {
  const held = (network: string, owner: string, token: Token) => hand.chain(network).balance(owner, token.contract)
  const native = hand.services.catalogue.network(FROM).nativeToken
  const received = held(TO, swap.destinationAddress, swap.destination)
  const refundee = swap.refundAddress ?? ''
  const [returned, inHub] = [held(FROM, refundee, swap.source), held(FROM, refundee, native)]
  const [sales, purchases] = [pools.made(FROM), pools.made(TO)]
  expect(sales.length, 'sales that were made').toBeLessThanOrEqual(1)
  expect(purchases.length, 'purchases that were made').toBeLessThanOrEqual(1)
  if (received > 0n) {
    expect(received).toBeGreaterThanOrEqual(least)
    expect(returned, 'paid and refunded').toBe(0n)
    if (!sides.includes('purchase')) expect(received * 100n).toBeLessThanOrEqual(quoted * 105n)
    expect([sales.length, purchases.length]).toEqual([
      Number(sides.includes('sale')),
      Number(sides.includes('purchase')),
    ])
    return 'paid'
  }
  const units = swap.requestedUnits ?? 0n
  if (sales.length === 0) {
    expect(returned * 10n).toBeGreaterThanOrEqual(units * 9n)
    expect(inHub).toBe(0n)
  } else {
    expect(returned).toBe(0n)
    expect(inHub).toBeGreaterThan(0n)
  }
  return 'refunded'
}

async function expectBooks({ hand }: Story): Promise<void> {
  const { services } = hand
  for (const { network, treasury } of [FROM, TO].map((name) => chainOf(services.chains, name)))
    for (const token of network.tokens)
      expect(await ledgerUnits(services.database, treasury, token), `${network.name} ${token.symbol}`).toBe(
        hand.chain(network.name).balance(treasury, token.contract),
      )
  const { rows } = await services.database
    .selectFrom('ledger_entry')
    .select((eb) => ['account', 'token', eb.fn.sum<bigint>('units').as('units')])
    .where('account', 'in', ['customer', 'promised'])
    .groupBy(['account', 'owner', 'token'])
    .execute()
    .then((found) => ({ rows: found.filter(({ units }) => BigInt(units) !== 0n) }))
  expect(rows).toEqual([])
}

const SEEDS = Array.from(
  { length: Number(process.env.LEG_SEEDS ?? 6) },
  (_, at) => at + Number(process.env.LEG_SEED ?? 0),
)

test.each(SEEDS)(
  'seed %i: paid at least the minimum once, or refunded, and the books balance',
  async (seed) => {
    const story = await begin(seed)
    const { double, sides, pools } = story
    const swap = await double.swapWith(...sides)
    const { least, quoted } = await double.promiseOf(swap)
    story.hand.deposit(swap)
    await settle(story)
    for (let round = 0; round < FAULTY_ROUNDS; round++) {
      await work(story, trouble(story))
      await pass(story, STEP_MS)
    }
    Object.assign(pools, { isPaused: false, reverts: 0, overstates: 1n })
    double.refusal = null
    for (let round = 0; round < 30 && !(await double.isClosed(swap)); round++) {
      await answer(story)
      await work(story, null)
      await pass(story, HOUR_MS)
    }
    await settle(story)
    expect(await double.isClosed(swap), await described(story)).toBe(true)
    judge(story, swap, least, quoted)
    await expectBooks(story)
  },
  60_000,
)
