/**
 * A recipient that refuses its payout must not hold a price open. The attacker's contract refuses the coins until the
 * price has moved, and accepts them only if the agreed amount is worth more by then. Otherwise the deposit is refunded.
 */
import type { Address } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { pay } from '../../../server/src/flow/payouts/pay.ts'
import { type CreatedSwap, createSwap } from '../../../server/src/swaps/create-swap.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 8
const MINUTE_MS = 60_000

let database: TestDatabase
let hand: Hand
let contract: Address
beforeAll(async () => {
  database = await startDatabase()
})
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
  contract = accountFrom('a contract that refuses').address
})
afterEach(() => hand.stop())
afterAll(() => database.stop())

/** 50 USDC for SIM at 2,000 dollars, deposited and credited. The recipient refuses its payout. */
async function refusedSwap(): Promise<CreatedSwap> {
  await hand.services.refresh()
  const swap = await createSwap(hand.services, {
    ...{ sourceNetwork: FROM, sourceToken: 'USDC', destinationNetwork: TO, destinationToken: 'SIM' },
    ...{ amount: '50', referenceId: null, appId: null, appName: null, sourceAddress: null, correlationId: null },
    ...{ sourceExchange: null, destinationExchange: null, refuel: false, useDepository: false, useGasless: false },
    ...{ slippage: null, useNewDepositAddress: true, useDepositAddress: false },
    ...{ destinationAddress: contract, refundAddress: accountFrom('its refunds').address },
  })
  hand.chain(TO).blocked.add(contract)
  hand.deposit(swap)
  hand.chain(FROM).mine(FINAL)
  await hand.watch(FROM)
  await hand.runJobs()
  return swap
}

async function priced(usd: string): Promise<void> {
  hand.services.prices.SIM = usd
  await hand.services.refresh()
}

/** The next try of the payout: whether it was sent, and the swap's status then. */
async function tryAgain({ view }: CreatedSwap): Promise<{ isSent: boolean; status: string }> {
  const { database } = hand.services
  const payouts = database.selectFrom('payout').selectAll().where('swap_id', '=', view.swap.id)
  const { id } = await payouts.executeTakeFirstOrThrow()
  await pay(hand.services, id)
  const [output] = await payouts.execute()
  const swap = database.selectFrom('swap').select('status').where('id', '=', view.swap.id)
  return { isSent: output?.started === true, status: (await swap.executeTakeFirstOrThrow()).status }
}

test('a refused payout is not made at its old price when the recipient accepts it', async () => {
  const swap = await refusedSwap()
  hand.passTime(5 * MINUTE_MS)
  await priced('2100')
  hand.chain(TO).blocked.delete(contract)
  expect(await tryAgain(swap)).toEqual({ isSent: false, status: 'ls_transfer_pending' })
  hand.passTime(hand.services.config.payoutPatienceMs)
  await priced('2100')
  expect(await tryAgain(swap)).toEqual({ isSent: false, status: 'refund_pending' })
})

test('a payout that failed on chain is not made at its old price either', async () => {
  const swap = await refusedSwap()
  hand.chain(TO).blocked.delete(contract)
  expect((await tryAgain(swap)).isSent).toBe(true)
  hand.chain(TO).blocked.add(contract)
  hand.chain(TO).mine(FINAL)
  await hand.watch(TO)
  hand.passTime(MINUTE_MS)
  await priced('2100')
  hand.chain(TO).blocked.delete(contract)
  expect(await tryAgain(swap)).toEqual({ isSent: false, status: 'ls_transfer_pending' })
})

test('a recipient that accepts its payout later is paid as agreed while the price holds, or is back', async () => {
  const first = await refusedSwap()
  hand.passTime(MINUTE_MS)
  await priced('2001')
  hand.chain(TO).blocked.delete(contract)
  expect((await tryAgain(first)).isSent).toBe(true)
  await priced('2000')
  const second = await refusedSwap()
  hand.passTime(MINUTE_MS)
  await priced('2100')
  hand.chain(TO).blocked.delete(contract)
  expect((await tryAgain(second)).isSent).toBe(false)
  await priced('1990')
  expect((await tryAgain(second)).isSent).toBe(true)
})
