/**
 * Griefing by screening: the address of every swap can be read, and a stranger whose own address is listed sends dust to it. The money of the
 * swap's owner must not wait for an operator because of that.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { createSwap } from '../../../server/src/swaps/create-swap.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { holdOf, screenerBy } from '../../support/service/holds.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'

const [FROM, TO, TIER] = ['ALPHA', 'BETA', 2]
const DOLLAR = 1_000_000n
const CENT = DOLLAR / 100n

let database: TestDatabase
let hand: Hand
const listed = accountFrom('listed stranger').address
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  Object.assign(hand.services, { screener: screenerBy((address) => (address === listed ? 'listed' : null)) })
})
afterEach(() => hand.passTime(60_000))
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

function send(label: string, to: string, contract: string | null, units: bigint): void {
  const chain = hand.chain(FROM)
  const payer = accountFrom(label)
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, units)
  const nonce = chain.nonce(payer.address)
  const moves = [{ from: payer.address, to, contract, units }]
  chain.submit(
    signedBy({ network: FROM, account: payer.address, nonce, fee: chain.feePerMove, memo: null, moves }, payer),
  )
}

async function swapOf(amount: string | null) {
  await hand.services.refresh()
  const { view } = await createSwap(hand.services, {
    ...{ sourceNetwork: FROM, sourceToken: 'USDC', destinationNetwork: TO, destinationToken: 'USDC' },
    ...{ refuel: false, useDepository: false, useGasless: false, slippage: null, useNewDepositAddress: true },
    ...{ sourceAddress: null, sourceExchange: null, destinationExchange: null, correlationId: null },
    ...{ useDepositAddress: true, amount, referenceId: null, appId: null, appName: null },
    destinationAddress: accountFrom(`recipient ${amount}`).address,
    refundAddress: accountFrom(`refunds ${amount}`).address,
  })
  return { id: view.swap.id, to: view.receiver, contract: view.swap.source.contract }
}

async function payoutsOf(swapId: string) {
  const rows = await hand.services.database
    .selectFrom('payout')
    .select(['id', 'kind', 'started'])
    .where('swap_id', '=', swapId)
    .orderBy('kind')
    .execute()
  return Promise.all(
    rows.map(async ({ id, kind, started }) => [
      kind,
      started,
      (await holdOf(hand.services.database, id))?.code ?? 'no hold',
    ]),
  )
}

async function mineAndPay(): Promise<void> {
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  await hand.runJobs()
}

test('a cent of a listed stranger does not hold a swap for any amount', async () => {
  const { id, to, contract } = await swapOf(null)
  send('listed stranger', to, contract, CENT)
  await mineAndPay()
  send('victim', to, contract, 50n * DOLLAR)
  await mineAndPay()
  expect(await payoutsOf(id)).toContainEqual(['output', true, 'no hold'])
})

test('a cent of a listed stranger does not hold a swap whose owner sent a cent too little', async () => {
  const { id, to, contract } = await swapOf('50')
  send('victim', to, contract, 50n * DOLLAR - CENT)
  send('listed stranger', to, contract, CENT)
  await mineAndPay()
  expect(await payoutsOf(id)).toContainEqual(['output', true, 'no hold'])
})

test('one unit of a listed stranger does not hold a swap that its owner pays in two parts', async () => {
  const { id, to, contract } = await swapOf('60')
  send('victim', to, contract, 30n * DOLLAR)
  await mineAndPay()
  send('listed stranger', to, contract, 1n)
  await mineAndPay()
  send('victim', to, contract, 30n * DOLLAR)
  // Two parts need more confirmations than each of them.
  for (let blocks = 0; blocks < 3; blocks++) await mineAndPay()
  expect(await payoutsOf(id)).toContainEqual(['output', true, 'no hold'])
})

test('two dollars of a listed sender hold a payout', async () => {
  const { id, to, contract } = await swapOf('500')
  send('victim', to, contract, 498n * DOLLAR)
  send('listed stranger', to, contract, 2n * DOLLAR)
  for (let blocks = 0; blocks < 6; blocks++) await mineAndPay()
  expect(await payoutsOf(id)).toContainEqual(['output', false, 'screened'])
})

test('a swap that its owner pays in two parts is paid without an operator', async () => {
  const { id, to, contract } = await swapOf('60')
  for (const part of [30n, 30n]) {
    send('victim', to, contract, part * DOLLAR)
    await mineAndPay()
  }
  for (let blocks = 0; blocks < 3; blocks++) await mineAndPay()
  expect(await payoutsOf(id)).toContainEqual(['output', true, 'no hold'])
})
