/** One transaction may fund many swaps, as an exchange's withdrawals do. Each of them is paid out. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { holdOf, reasonOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from './pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const SWAPS = 5

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

/** Pays for all these swaps in one transaction. */
function depositTogether(swaps: readonly CreatedSwap[]): void {
  const chain = hand.chain(FROM)
  const payer = accountFrom('an exchange')
  const moves = swaps.map(({ view: { swap, receiver } }) => {
    const units = swap.requestedUnits ?? 0n
    chain.mint(payer.address, swap.source.contract, units)
    chain.mint(payer.address, null, chain.feePerMove)
    return { from: payer.address, to: receiver, contract: swap.source.contract, units }
  })
  const fee = chain.feePerMove * BigInt(swaps.length)
  const transfer = { network: FROM, account: payer.address, nonce: chain.nonce(payer.address), fee, memo: null, moves }
  chain.submit(signedBy(transfer, payer))
}

test('every swap that was paid for by one transaction is paid out', async () => {
  const swaps: CreatedSwap[] = []
  for (let made = 0; made < SWAPS; made++) swaps.push(await hand.swap(FROM, TO, { useDepositAddress: true }))
  depositTogether(swaps)
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  const { database: db } = hand.services
  const payouts = await db.selectFrom('payout').select('id').where('kind', '=', 'output').execute()
  expect(payouts).toHaveLength(SWAPS)
  // Each swap is paid out in its own round.
  for (let round = 0; round < 6; round++) {
    for (const { id } of payouts) await pay(hand.services, id)
    hand.passTime(11 * 60_000)
    await hand.services.refresh()
    hand.chain(TO).mine(7)
    await hand.watch(TO)
  }
  const held = await Promise.all(payouts.map(async ({ id }) => [await holdOf(db, id), await reasonOf(db, id)]))
  const received = swaps.map(({ view: { swap } }) =>
    hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract),
  )
  expect(received.filter((units) => units > 0n).length, JSON.stringify(held)).toBe(SWAPS)
})
