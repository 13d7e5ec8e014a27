/** Gas that comes along: an excess of its deposit waits until it is paid, and is then ordered in the same step. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { createSwap } from '../swaps/creating.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 20
/** Of the coin, which costs less by the time it comes: the excess is not swapped at a worse price, it goes back. */
const [ASKED, SENT] = ['0.1', 2n * 10n ** 17n]
const [QUOTED, FALLEN] = ['2000', '1985']

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

const payer = accountFrom('refuel payer')

/** Twice as much comes as was asked for; answers the swap's id. */
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

test('the excess is sent back when the refuel has landed, and nobody is told that it is owed', async () => {
  const swapId = await overpay()
  expect(await payouts(swapId)).toEqual(['output open', 'refuel open'])
  await hand.runJobs()
  hand.chain(TO).mine(TIER)
  await hand.watch(TO)
  expect(await payouts(swapId)).toEqual(['output confirmed', 'refuel confirmed', 'return open'])
  expect((await hand.services.metrics.alerts.get()).values[0]?.value ?? 0).toBe(0)
  await hand.runJobs()
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  expect(await payouts(swapId)).toEqual(['output confirmed', 'refuel confirmed', 'return confirmed'])
  expect(hand.chain(FROM).balance(payer.address, null)).toBeGreaterThan((SENT * 49n) / 100n)
})
