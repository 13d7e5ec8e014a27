/** The database goes back in time around an exchange: it is booked once, from the journal and the chain, and never made again. */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createExchangeDouble, type ExchangeDouble } from '../../../../tests/support/chains/exchange-double.ts'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { expireSwaps } from '../../flow/swap/expire.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'

let world: Restorable
let double: ExchangeDouble
const UNITS = 10n ** 15n

beforeEach(async () => {
  world = await startRestorable()
  double = createExchangeDouble(() => world.hand())
  double.install()
})
afterEach(() => world.stop())

type Sides = ('sale' | 'purchase')[]

/** The exchange gives its minimum, and needs no further approval. */
function prepareExchange(): void {
  Object.assign(double.exchange, { received: UNITS, allowance: 10n ** 30n })
}

async function payouts({ view }: CreatedSwap) {
  const rows = world.hand().services.database.selectFrom('payout').selectAll()
  return rows.where('swap_id', '=', view.swap.id).where('state', '<>', 'abandoned').orderBy('number').execute()
}

/** The output of the exchange at the quote. */
async function quoted({ view }: CreatedSwap): Promise<bigint> {
  const { rows } = await sql<{ legs: string }>`select quote->>'legs' as legs from swap
    where id = ${view.swap.id}`.execute(world.hand().services.database)
  const legs: Record<string, { outUnits: string }> = JSON.parse(rows[0]?.legs ?? '{}')
  return BigInt(Object.values(legs)[0]?.outUnits ?? 0)
}

async function rollBack(backup: string, sides: Sides): Promise<void> {
  await world.rollBackTo(backup)
  double.install()
  double.offer(...sides)
  await world.settle()
  await world.restore()
  for (let round = 0; round < 3; round++) await world.settle()
}

async function expectOnce(swap: CreatedSwap, before: { signed: number; received: bigint }): Promise<void> {
  expect(double.exchange.signed, 'exchanges that were signed').toBe(before.signed)
  expect(world.received(swap)).toBe(before.received)
  await world.expectBooksEqualChains()
  await world.expectNothingOwed()
}

test('a sale and its output that were made after the backup are not made again', async () => {
  const swap = await double.swapWith('sale')
  const backup = await world.backup()
  prepareExchange()
  double.exchange.received = await quoted(swap)
  world.hand().deposit(swap)
  for (let round = 0; round < 3; round++) await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  const before = { signed: double.exchange.signed, received: world.received(swap) }
  expect(before).toMatchObject({ signed: 1 })
  expect(before.received).toBeGreaterThan(0n)
  await rollBack(backup, ['sale'])
  expect(await world.statusOf(swap)).toBe('completed')
  expect(await payouts(swap)).toMatchObject([
    { kind: 'sale', state: 'confirmed', received_units: double.exchange.received },
    { kind: 'output', state: 'confirmed' },
  ])
  await expectOnce(swap, before)
})

test('a sale that was made after the backup is not made again, and its proceeds pay for the output once', async () => {
  const swap = await double.swapWith('sale')
  const backup = await world.backup()
  prepareExchange()
  double.exchange.received = await quoted(swap)
  world.hand().deposit(swap)
  await world.run('switch', 'pause', '--scope', `network:${TO}`, '--what', 'payouts', '--reason', 'backup')
  for (let round = 0; round < 3; round++) await world.settle()
  expect((await payouts(swap)).map(({ kind, started }) => [kind, started])).toEqual([
    ['sale', true],
    ['output', false],
  ])
  await rollBack(backup, ['sale'])
  expect(await world.statusOf(swap)).toBe('completed')
  const output = (await payouts(swap))[1]
  await expectOnce(swap, { signed: 1, received: output?.units ?? 0n })
})

test('a sale that was signed before the rollback and never sent is sent from the journal, once', async () => {
  const swap = await double.swapWith('sale')
  const backup = await world.backup()
  prepareExchange()
  double.exchange.received = await quoted(swap)
  world.hand().node(FROM).faults.lostSends = 1
  world.hand().node(FROM).faults.on = ['send']
  world.hand().deposit(swap)
  await world.mineAndWatch(FROM, 2)
  await world.hand().runJobs()
  expect(double.exchange.signed).toBe(1)
  await rollBack(backup, ['sale'])
  expect(await world.statusOf(swap)).toBe('completed')
  const output = (await payouts(swap))[1]
  await expectOnce(swap, { signed: 1, received: output?.units ?? 0n })
})

test('a purchase that was made after the backup is not made again', async () => {
  const swap = await double.swapWith('purchase')
  const backup = await world.backup()
  prepareExchange()
  double.exchange.received = await quoted(swap)
  world.hand().deposit(swap)
  for (let round = 0; round < 3; round++) await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  const before = { signed: double.exchange.signed, received: world.received(swap) }
  expect(before).toEqual({ signed: 1, received: double.exchange.received })
  await rollBack(backup, ['purchase'])
  expect(await world.statusOf(swap)).toBe('completed')
  expect(await payouts(swap)).toMatchObject([
    { kind: 'output', state: 'confirmed', received_units: double.exchange.received },
  ])
  await expectOnce(swap, before)
})

test('the refund of proceeds in the hub token that was made after the backup is not made again', async () => {
  const swap = await double.swapWith('sale')
  const backup = await world.backup()
  prepareExchange()
  double.exchange.received = 10n ** 16n
  world.hand().deposit(swap)
  for (let round = 0; round < 3; round++) await world.settle()
  world.hand().passTime(60_000)
  await world.hand().services.refresh()
  await expireSwaps(world.hand().services)
  for (let round = 0; round < 2; round++) await world.settle()
  expect(await world.statusOf(swap)).toBe('refunded')
  const { refundAddress } = swap.view.swap
  const refunded = () =>
    world
      .hand()
      .chain(FROM)
      .balance(refundAddress ?? '', null)
  const before = refunded()
  expect(before).toBeGreaterThan(0n)
  await rollBack(backup, ['sale'])
  expect(await world.statusOf(swap)).toBe('refunded')
  expect(refunded()).toBe(before)
  await expectOnce(swap, { signed: 1, received: 0n })
})

test('a sale whose swap is lost is booked once, and its deposit is not paid for again', async () => {
  const backup = await world.backup()
  const swap = await double.swapWith('sale')
  prepareExchange()
  double.exchange.received = await quoted(swap)
  world.hand().deposit(swap)
  for (let round = 0; round < 3; round++) await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  const received = world.received(swap)
  await rollBack(backup, ['sale'])
  expect(await world.depositOf(swap)).toMatchObject({ swap_id: null, resolution: 'recorded' })
  await expectOnce(swap, { signed: 1, received })
})
