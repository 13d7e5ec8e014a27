/** What goes back in the coin that pays for the gas leaves the gas of the others beside it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { pay } from './pay.ts'
import { sendBackUnmatched } from './resolve.ts'

const FROM = 'ALPHA'
const FINAL = 6
const UNITS = 10n ** 18n

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

const rows = () => hand.services.database.selectFrom('payout').selectAll().orderBy('created_at').execute()

test('two that go back at once in the native coin are not begun where one of them cannot pay its gas', async () => {
  const { services } = hand
  const { treasury } = chainOf(services.chains, FROM)
  const chain = hand.chain(FROM)
  for (const name of ['one', 'two']) {
    const payer = accountFrom(name)
    chain.mint(payer.address, null, chain.feePerMove + UNITS)
    const moves = [{ from: payer.address, to: treasury, contract: null, units: UNITS }]
    const plan = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves }
    chain.submit(signedBy(plan, payer))
  }
  chain.mine(FINAL + 1)
  await hand.watch(FROM)
  await services.refresh()
  const deposits = await services.database.selectFrom('deposit').select('id').execute()
  for (const { id } of deposits) await sendBackUnmatched(services, id, accountFrom(`home of ${id}`).address)
  const sum = (await rows()).reduce((total, { units }) => total + units, 0n)
  // All that goes back, and the gas of one transfer.
  chain.mint(treasury, null, sum + chain.feePerMove - chain.balance(treasury, null))
  await services.refresh()
  for (const { id } of await rows()) await pay(services, id)
  chain.mine(FINAL)
  await hand.watch(FROM)
  expect((await rows()).map(({ reverts }) => reverts)).toEqual([0, 0])
})
