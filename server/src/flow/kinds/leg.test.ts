/**
 * Legs: a deposit is sold on an exchange, its proceeds pay for the output, or are refunded. The simulated family has no
 * exchanges, so a transfer to a pool takes the place of each.
 */
import { isSameToken, type Token } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createExchangeDouble, type ExchangeStep, POOL } from '../../../../tests/support/chains/exchange-double.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { storeLeg } from '../../store/payouts/legs.ts'
import { reservedSince } from '../../store/payouts/liquidity-reservations.ts'
import { lockSwap, toSwap } from '../../store/swaps/swaps.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { toTransfers } from '../deposits/record-observations.ts'
import { pay } from '../payouts/pay.ts'
import { applyEvent } from '../swap/advance.ts'
import { expireSwaps } from '../swap/expire.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
let database: TestDatabase
let hand: Hand
const double = createExchangeDouble(() => hand)
const { exchange } = double

beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  double.install()
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})
beforeEach(() => {
  Object.assign(exchange, { received: 0n, allowance: 0n, signed: 0, approved: [], orders: [] })
})

function tokens(network: string): { coin: Token; usdc: Token } {
  const { nativeToken: coin, tokens: all } = hand.services.catalogue.network(network)
  const usdc = all.find(({ symbol }) => symbol === 'USDC')
  if (!usdc) throw new Error('no USDC')
  return { coin, usdc }
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

/** Pays whatever is open on a network, until nothing more happens. */
async function work(network: string): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await payOpen(network)
    await settleOn(network)
  }
}

/** Runs the jobs of all open payouts, without waiting for their time. */
async function payOpen(network: string): Promise<void> {
  const { database: db } = hand.services
  const open = db.selectFrom('payout').select('id').where('network', '=', network).where('state', '=', 'open')
  for (const { id } of await open.orderBy('created_at').orderBy('number').execute()) await pay(hand.services, id)
}

async function payoutsOf({ view }: CreatedSwap) {
  return hand.services.database
    .selectFrom('payout')
    .selectAll()
    .where('swap_id', '=', view.swap.id)
    .orderBy('number')
    .execute()
}

async function quoteOf({ view }: CreatedSwap) {
  const record = await hand.services.database.transaction().execute((queries) => lockSwap(queries, view.swap.id))
  return record && toSwap(record, hand.services.catalogue).quote
}

async function statusOf({ view }: CreatedSwap): Promise<string> {
  const swaps = hand.services.database.selectFrom('swap').select('status').where('id', '=', view.swap.id)
  return (await swaps.executeTakeFirstOrThrow()).status
}

test('a sale is approved exactly, made once, and its proceeds pay for the output', async () => {
  const swap = await double.swapWith('sale')
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
  expect(exchange.signed).toBe(1)
  await expectSettled(swap)
})

test.each<ExchangeStep>(['prepare', 'sign', 'broadcast', 'received'])(
  'a sale is made once if the step %s fails',
  async (step) => {
    const swap = await double.swapWith('sale')
    await credit(swap)
    const [sale] = await payoutsOf(swap)
    Object.assign(exchange, { received: BigInt(sale?.leg?.minUnits ?? 0), allowance: sale?.units })
    double.failing = step
    await work(FROM)
    expect(double.failing).toBeNull()
    hand.passTime(10_000)
    await work(FROM)
    expect(exchange.signed).toBe(1)
    expect(await payoutsOf(swap)).toMatchObject([
      { kind: 'sale', state: 'confirmed', received_units: exchange.received },
      { kind: 'output', state: 'open' },
    ])
  },
)

test('a rest of an allowance is set to zero before it is set to the amount', async () => {
  const swap = await double.swapWith('sale')
  await credit(swap)
  const [sale] = await payoutsOf(swap)
  Object.assign(exchange, { received: BigInt(sale?.leg?.minUnits ?? 0), allowance: 1n })
  await work(FROM)
  await work(FROM)
  expect(exchange.approved).toEqual([0n, sale?.units])
  expect((await payoutsOf(swap))[0]).toMatchObject({ kind: 'sale', state: 'confirmed' })
})

test('the output is reserved while its sale is open, and of two sales the older one goes first', async () => {
  const { services } = hand
  const swaps = [await double.swapWith('sale'), await double.swapWith('sale')]
  const destination = tokens(TO).usdc
  const before = await reservedSince(services.database, destination, services.now())
  const sales = []
  for (const swap of swaps) {
    await credit(swap)
    hand.passTime(1_000)
    sales.push(...(await payoutsOf(swap)))
  }
  const [first, second] = sales
  const outputs = sales.map(({ leg }) => BigInt(leg?.reserves?.units ?? 0))
  expect(outputs.every((units) => units > 0n)).toBe(true)
  const during = await reservedSince(services.database, destination, services.now())
  expect(during - before).toBe(outputs.reduce((sum, units) => sum + units))
  Object.assign(exchange, { received: BigInt(first?.leg?.minUnits ?? 0), allowance: first?.units })
  await pay(services, second?.id ?? '')
  expect(exchange.signed).toBe(0)
  const holds = services.database.selectFrom('hold').select(['params', 'runs_clock']).where('closed_at', 'is', null)
  expect(await holds.where('payout_id', '=', second?.id ?? '').execute()).toMatchObject([
    { params: { error: 'ExchangeQueued' }, runs_clock: false },
  ])
  await pay(services, first?.id ?? '')
  expect(exchange.signed).toBe(1)
  await settleOn(FROM)
  await work(FROM)
  expect(exchange.signed).toBe(2)
  for (const swap of swaps) expect((await payoutsOf(swap)).map(({ kind }) => kind)).toEqual(['sale', 'output'])
})

test('an output that cannot be paid after the sale is refunded in the hub token', async () => {
  const swap = await double.swapWith('sale')
  await credit(swap)
  const [sale] = await payoutsOf(swap)
  Object.assign(exchange, { received: BigInt(sale?.leg?.minUnits ?? 0), allowance: sale?.units })
  await work(FROM)
  const { id, refundAddress } = swap.view.swap
  await applyEvent(hand.services, id, { type: 'payout_abandoned', kind: 'output', depositId: null })
  expect(await payoutsOf(swap)).toMatchObject([
    { kind: 'sale', state: 'confirmed' },
    { kind: 'output', state: 'abandoned' },
    { kind: 'refund', state: 'open', network: FROM, token: sale?.leg?.buys, to_address: refundAddress },
  ])
  await work(FROM)
  expect(await statusOf(swap)).toBe('refunded')
  await expectSettled(swap)
})

test('the journal names the deposit that a sale settles, and its proceeds are no deposit', async () => {
  const swap = await double.swapWith('sale')
  const depositHash = hand.deposit(swap)
  await settleOn(FROM)
  const [sale] = await payoutsOf(swap)
  exchange.received = BigInt(sale?.leg?.minUnits ?? 0)
  await work(FROM)
  const lines = [...hand.services.journal.after(0)].flatMap(({ content }) =>
    'payouts' in content ? content.payouts : [],
  )
  const line = lines.find(({ id }) => id === sale?.id)
  expect(line).toMatchObject({ kind: 'sale', swap: swap.view.swap.id })
  expect(line?.settles).toContain(`t:${FROM}/${depositHash}`)

  const txHash = (await payoutsOf(swap))[0]?.tx_hash ?? ''
  const chain = chainOf(hand.services.chains, FROM)
  const amount = { token: tokens(FROM).coin, units: exchange.received }
  const seen = { index: 1, block: null, refundableSender: POOL, fundingAddresses: [POOL], reference: null }
  const proceeds = { ...seen, txHash, amount, to: chain.treasury }
  const other = { ...proceeds, txHash: depositHash }
  expect([...(await toTransfers(hand.services, chain, [proceeds, other])).keys()]).toEqual([other])
})

test('a sale that reverts is tried three times, then the deposit is refunded in its own token', async () => {
  const swap = await double.swapWith('sale')
  await credit(swap)
  const [sale] = await payoutsOf(swap)
  exchange.allowance = sale?.units ?? 0n
  const deadlines = new Set<string | undefined>()
  for (let tries = 1; tries <= 3; tries++) {
    await pay(hand.services, sale?.id ?? '')
    expect(exchange.signed).toBe(tries)
    deadlines.add((await payoutsOf(swap))[0]?.leg?.deadline)
    hand.passTime(15 * 60_000)
    await hand.services.refresh()
    hand.chain(FROM).blocked.add(POOL)
    await settleOn(FROM)
    hand.chain(FROM).blocked.delete(POOL)
  }
  // After the last attempt it is given up with patience, like every payout that the chain refuses.
  await pay(hand.services, sale?.id ?? '')
  hand.passTime(hand.services.config.payoutPatienceMs)
  await hand.services.refresh()
  await pay(hand.services, sale?.id ?? '')
  expect(exchange.signed).toBe(3)
  expect(deadlines.size).toBe(3)
  const { source, refundAddress } = swap.view.swap
  expect(await payoutsOf(swap)).toMatchObject([
    { kind: 'sale', state: 'abandoned' },
    { kind: 'refund', state: 'open', token: source.contract, to_address: refundAddress },
  ])
  await work(FROM)
  expect(await statusOf(swap)).toBe('refunded')
  await expectSettled(swap)
})

test('the signed terms are kept although another process renewed them, and a fee bump repeats them', async () => {
  const swap = await double.swapWith('sale')
  await credit(swap)
  const [sale] = await payoutsOf(swap)
  Object.assign(exchange, { received: BigInt(sale?.leg?.minUnits ?? 0), allowance: sale?.units })
  double.onPrepared = async () => {
    double.onPrepared = null
    const [planned] = await payoutsOf(swap)
    if (planned?.leg) await storeLeg(hand.services.database, planned.id, { ...planned.leg, provider: 'another pool' })
  }
  hand.node(FROM).faults.lostSends = 1
  hand.node(FROM).faults.on = ['send']
  await payOpen(FROM)
  expect((await payoutsOf(swap))[0]?.leg).toMatchObject({ provider: 'pool', reserves: sale?.leg?.reserves })
  hand.passTime(hand.services.config.stuckAfterMs + 1)
  await hand.services.refresh()
  hand.chain(FROM).mine(1)
  await hand.watch(FROM)
  await payOpen(FROM)
  expect(exchange.orders).toHaveLength(2)
  expect(exchange.orders[1]).toEqual(exchange.orders[0])
  await work(FROM)
  expect(await payoutsOf(swap)).toMatchObject([{ kind: 'sale', state: 'confirmed' }, { kind: 'output' }])
})

test('a deposit whose pool was emptied is refunded when the window closes, at the gas cost by the quote', async () => {
  const { services } = hand
  const swap = await double.swapWith('sale')
  const { source, refundAddress, requestedUnits } = swap.view.swap
  const sendingFee = services.market.sendingFee
  // The price of a pool token follows from its pool.
  Object.assign(services.market, { plans: () => [], pricing: () => null, exchanges: () => [] })
  services.market.sendingFee = (token) => (isSameToken(token, source) ? null : sendingFee(token))
  await credit(swap)
  expect(await payoutsOf(swap)).toEqual([])
  hand.passTime(services.config.depositWindowMs + 1)
  await services.refresh()
  await expireSwaps(services)
  const [refund] = await payoutsOf(swap)
  expect(refund).toMatchObject({ kind: 'refund', token: source.contract, to_address: refundAddress })
  const fee = sendingFee(source) ?? 0n
  const kept = (requestedUnits ?? 0n) - (refund?.units ?? 0n)
  expect(kept).toBeGreaterThanOrEqual(fee)
  expect(kept * 1000n).toBeLessThan(requestedUnits ?? 0n)
  await work(FROM)
  expect(await statusOf(swap)).toBe('refunded')
  await expectSettled(swap)
})

test('a node that says that the exchange would fail: nothing is signed, and the deposit is refunded', async () => {
  const swap = await double.swapWith('sale')
  await credit(swap)
  const [sale] = await payoutsOf(swap)
  exchange.allowance = sale?.units ?? 0n
  double.refusal = 'the exchange gives 0 base units now'
  for (const waited of [0, hand.services.config.payoutPatienceMs]) {
    hand.passTime(waited)
    await hand.services.refresh()
    await payOpen(FROM)
  }
  double.refusal = null
  expect(exchange.signed).toBe(0)
  const { source, refundAddress } = swap.view.swap
  expect(await payoutsOf(swap)).toMatchObject([
    { kind: 'sale', state: 'abandoned' },
    { kind: 'refund', token: source.contract, to_address: refundAddress },
  ])
  await work(FROM)
  expect(await statusOf(swap)).toBe('refunded')
  await expectSettled(swap)
})

test('a sale that seems to bring ten times as much pays for five percent more at most', async () => {
  const swap = await double.swapWith('sale')
  await credit(swap)
  const [sale] = await payoutsOf(swap)
  const { receiveUnits = 0n } = (await quoteOf(swap)) ?? {}
  Object.assign(exchange, { received: 10n * BigInt(sale?.leg?.minUnits ?? 0), allowance: sale?.units })
  await work(FROM)
  const output = (await payoutsOf(swap)).find(({ kind }) => kind === 'output')
  expect(output?.units).toBeGreaterThan(receiveUnits)
  expect(output?.units).toBeLessThanOrEqual((receiveUnits * 105n) / 100n)
})

test('proceeds below the minimum are refunded in the hub token', async () => {
  const swap = await double.swapWith('sale')
  await credit(swap)
  const [sale] = await payoutsOf(swap)
  exchange.received = BigInt(sale?.leg?.minUnits ?? 0) - 1n
  exchange.allowance = sale?.units ?? 0n
  await work(FROM)
  expect(await statusOf(swap)).toBe('pending_refund')
  await expireSwaps(hand.services)
  expect(await payoutsOf(swap)).toMatchObject([
    { kind: 'sale', state: 'confirmed', received_units: exchange.received },
    { kind: 'refund', state: 'open', token: sale?.leg?.buys, to_address: swap.view.swap.refundAddress },
  ])
  await work(FROM)
  expect(await statusOf(swap)).toBe('refunded')
  await expectSettled(swap)
})

test('a purchase is the output: paid in the hub token, with the units that arrived', async () => {
  const swap = await double.swapWith('purchase')
  await credit(swap)
  const [output] = await payoutsOf(swap)
  expect(output).toMatchObject({ kind: 'output', to_address: swap.view.swap.destinationAddress })
  expect(output?.leg?.buys).toBe(swap.view.swap.destination.contract)
  exchange.received = BigInt(output?.leg?.minUnits ?? 0) + 5n
  await work(TO)
  expect(exchange.signed).toBe(1)
  expect(await payoutsOf(swap)).toMatchObject([{ state: 'confirmed', received_units: exchange.received }])
  expect(await statusOf(swap)).toBe('completed')
  await expectSettled(swap)
})

/** Nothing is owed or promised to the swap any more. */
async function expectSettled({ view }: CreatedSwap): Promise<void> {
  const { sum } = hand.services.database.fn
  const rows = await hand.services.database
    .selectFrom('ledger_entry')
    .select(['account', 'token', sum<bigint>('units').as('units')])
    .where('swap_id', '=', view.swap.id)
    .where('account', 'in', ['customer', 'promised'])
    .groupBy(['account', 'token'])
    .execute()
  expect(rows.map(({ units }) => BigInt(units))).toEqual(rows.map(() => 0n))
  expect(rows.length).toBeGreaterThan(1)
}
