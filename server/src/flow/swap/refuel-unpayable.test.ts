/** A refuel that cannot be paid: its share is refunded, even if parts of the deposit were refunded before. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { cancelSlotOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { rejectPayout } from '../../store/payouts/payouts.ts'
import { createSwap } from '../../swaps/create-swap.ts'
import { pay } from '../payouts/pay.ts'
import { expireSwaps } from './expire.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 20
/** The coin's price falls before the deposit arrives: the excess is returned instead of swapped at a worse price. */
const [ASKED, SENT] = ['0.1', 2n * 10n ** 17n]
const [QUOTED, FALLEN] = ['2000', '1985']
/** The excess, and later the share of the refuel that could not be paid. */
const RETURNED_IN_PARTS = ['output confirmed', 'refuel abandoned', 'return confirmed', 'return confirmed']

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url, { QUOTE_DEVIATION_BPS: '100' })
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

const payer = accountFrom('refuel payer')

/** Deposits twice the requested amount; returns the swap's id. */
async function overpay(): Promise<string> {
  const { services } = hand
  services.prices.SIM = QUOTED
  await services.refresh()
  const nobody = { sourceAddress: null, sourceExchange: null, destinationExchange: null, correlationId: null }
  const no = { useDepository: false, useGasless: false, slippage: '0.001', useNewDepositAddress: true }
  const { view } = await createSwap(services, {
    ...{ ...nobody, ...no, sourceNetwork: FROM, destinationNetwork: TO, useDepositAddress: true, refuel: true },
    ...{ sourceToken: 'SIM', destinationToken: 'USDC', amount: ASKED, referenceId: null, appId: null, appName: null },
    destinationAddress: accountFrom('refuel recipient').address,
    refundAddress: payer.address,
  })
  services.prices.SIM = FALLEN
  await services.refresh()
  const chain = hand.chain(FROM)
  chain.mint(payer.address, null, chain.feePerMove + SENT)
  const moves = [{ from: payer.address, to: view.receiver, contract: null, units: SENT }]
  const transfer = { network: FROM, account: payer.address, nonce: chain.nonce(payer.address), fee: chain.feePerMove }
  chain.submit(signedBy({ ...transfer, memo: null, moves }, payer))
  chain.mine(TIER)
  await hand.watch(FROM)
  return view.swap.id
}

async function payouts(swapId: string): Promise<string[]> {
  const rows = await hand.services.database
    .selectFrom('payout')
    .selectAll()
    .where('swap_id', '=', swapId)
    .orderBy('number')
    .execute()
  return rows.map(({ kind, state }) => `${kind} ${state}`)
}

/** Makes sent transactions final. */
async function land(): Promise<void> {
  for (const network of [FROM, TO]) {
    hand.chain(network).mine(TIER)
    await hand.watch(network)
  }
}

test('after a returned excess, the share of an unpayable refuel is returned, once', async () => {
  const swapId = await overpay()
  const { database: db, now } = hand.services
  const ordered = await db.selectFrom('payout').selectAll().orderBy('number').execute()
  expect(ordered.map(({ kind }) => kind)).toEqual(['output', 'refuel', 'return'])
  const [, refuel, excess] = ordered.map(({ id }) => id)
  await pay(hand.services, excess ?? '')
  await land()
  await rejectPayout(db, refuel ?? '', now())
  await hand.runJobs()
  await land()
  expect(await payouts(swapId)).toEqual(RETURNED_IN_PARTS)
  const rows = await db.selectFrom('payout').selectAll().where('kind', '=', 'return').execute()
  expect(rows.map(({ sequence }) => sequence).sort()).toEqual([0, 1])
  const sent = rows.reduce((sum, { units }) => sum + units, 0n)
  expect(hand.chain(FROM).balance(payer.address, null)).toBe(sent)
  const deposit = await db.selectFrom('deposit').selectAll().executeTakeFirstOrThrow()
  expect(deposit.output_units + deposit.refund_units).toBe(deposit.units)
})

test('a payout rejected too late does not bar its address for the next part', async () => {
  const swapId = await overpay()
  const { database: db, now } = hand.services
  const ordered = await db.selectFrom('payout').selectAll().orderBy('number').execute()
  expect(ordered.map(({ kind }) => kind)).toEqual(['output', 'refuel', 'return'])
  const [, refuel = '', excess = ''] = ordered.map(({ id }) => id)
  await pay(hand.services, excess)
  // An operator tries to cancel it, too late: it is in a block before the cancellation is signed.
  await cancelSlotOf(db, excess, now())
  expect(await rejectPayout(db, excess, now())).not.toBeNull()
  await land()
  expect(await payouts(swapId)).toEqual(['output open', 'refuel open', 'return confirmed'])
  await rejectPayout(db, refuel, now())
  await hand.runJobs()
  await land()
  await hand.services.refresh()
  await expireSwaps(hand.services)
  await hand.runJobs()
  await land()
  expect(await payouts(swapId)).toEqual(RETURNED_IN_PARTS)
})
