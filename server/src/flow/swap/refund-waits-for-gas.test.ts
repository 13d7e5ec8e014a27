/** One reading of the gas price never decides that we keep a deposit: a refund waits for normal gas. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { expireSwaps } from './expire.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const DEEP = 7
let database: TestDatabase
let hand: Hand

beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

const alerts = async () => (await hand.services.metrics.alerts.get()).values[0]?.value ?? 0
const back = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(FROM).balance(swap.refundAddress ?? '', swap.source.contract)

async function pass(network: string) {
  hand.chain(network).mine(DEEP)
  await hand.watch(network)
  await hand.runJobs()
}

async function completedSwap(): Promise<CreatedSwap> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await pass(FROM)
  await pass(TO)
  await pass(TO)
  const { status } = await hand.services.database
    .selectFrom('swap')
    .select('status')
    .where('id', '=', swap.view.swap.id)
    .executeTakeFirstOrThrow()
  expect(status).toBe('completed')
  return swap
}

/** Every reading of the network's fees is multiplied, as by a node that lies about the base fee. */
function lieAboutFees(times: bigint): void {
  const chain = hand.services.chains.get(FROM)
  if (!chain) throw new Error('no chain')
  const { fees } = chain
  chain.fees = async () => {
    const { nativeTransfer, tokenTransfer, sweep } = await fees()
    return { nativeTransfer: nativeTransfer * times, tokenTransfer: tokenTransfer * times, sweep: sweep * times }
  }
}

async function passHours(hours: number) {
  for (let hour = 0; hour < hours; hour++) {
    hand.passTime(3_600_000)
    await hand.services.refresh()
    await expireSwaps(hand.services)
    await hand.runJobs()
    await pass(FROM)
  }
}

test('a second deposit of 50 dollars is refunded, even if gas was expensive when it was credited', async () => {
  const swap = await completedSwap()
  hand.deposit(swap)
  hand.chain(FROM).mine(DEEP)
  // One answer of one node, at the moment at which fees are read.
  const usual = hand.chain(FROM).feePerMove
  hand.chain(FROM).feePerMove = usual * 10n ** 14n
  await hand.services.refresh()
  await hand.watch(FROM)
  hand.chain(FROM).feePerMove = usual
  await hand.services.refresh()
  await passHours(3)
  expect(back(swap)).toBeGreaterThan(0n)
})

test('also if the family accepts the node’s fee', async () => {
  const swap = await completedSwap()
  hand.deposit(swap)
  hand.chain(FROM).mine(DEEP)
  const { chains } = hand.services
  const honest = chains.get(FROM)?.fees
  lieAboutFees(10n ** 14n)
  await hand.services.refresh()
  await hand.watch(FROM)
  Object.assign(chains.get(FROM) ?? {}, { fees: honest })
  await hand.services.refresh()
  await passHours(3)
  expect(back(swap)).toBeGreaterThan(0n)
})

test('a reading far above the recent ones does not set the price of a refund', async () => {
  const swap = await completedSwap()
  for (let minute = 0; minute < 10; minute++) {
    hand.passTime(60_000)
    await hand.services.refresh()
  }
  const usual = hand.services.market.sendingFee(swap.view.swap.source)
  hand.deposit(swap)
  hand.chain(FROM).mine(DEEP)
  // Thirty of the fifty dollars, if it were believed.
  lieAboutFees(10n ** 13n)
  hand.passTime(60_000)
  await hand.services.refresh()
  expect(hand.services.market.sendingFee(swap.view.swap.source)).toBeNull()
  await hand.watch(FROM)
  await hand.runJobs()
  lieAboutFees(1n)
  const chain = hand.services.chains.get(FROM)
  if (chain) chain.fees = async () => ({ nativeTransfer: 1_000n, tokenTransfer: 1_000n, sweep: 1_000n })
  await passHours(2)
  expect(back(swap)).toBe((swap.view.swap.requestedUnits ?? 0n) - (usual ?? 0n))
})

test('an amount below the dust limit that does not cover its gas is kept, with an alert', async () => {
  const swap = await completedSwap()
  swap.view.swap.requestedUnits = 900_000n
  hand.deposit(swap)
  hand.chain(FROM).mine(DEEP)
  lieAboutFees(10n ** 13n)
  await hand.services.refresh()
  const before = await alerts()
  await hand.watch(FROM)
  expect(await alerts()).toBe(before + 1)
  const { refund_units } = await hand.services.database
    .selectFrom('deposit')
    .select('refund_units')
    .where('units', '=', 900_000n)
    .executeTakeFirstOrThrow()
  expect(refund_units).toBe(900_000n)
})
