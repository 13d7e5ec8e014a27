/** Returns in the native coin leave enough gas for the returns in other tokens. */

import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { holdOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { pay } from '../payouts/pay.ts'
import { returnUnmatched } from '../swap/resolve-unmatched.ts'

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

const usdc = () =>
  hand.services.catalogue.network(FROM).tokens.find(({ symbol }) => symbol === 'USDC')?.contract ?? null

/** Sends an unmatched deposit of each of these tokens, and orders its return. */
async function sendBack(contracts: readonly (string | null)[]): Promise<void> {
  const { services } = hand
  const { treasury } = chainOf(services.chains, FROM)
  const chain = hand.chain(FROM)
  for (const [place, contract] of contracts.entries()) {
    const payer = accountFrom(`payer ${place}`)
    chain.mint(payer.address, null, chain.feePerMove)
    chain.mint(payer.address, contract, UNITS)
    const moves = [{ from: payer.address, to: treasury, contract, units: UNITS }]
    const plan = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves }
    chain.submit(signedBy(plan, payer))
  }
  chain.mine(FINAL + 1)
  await hand.watch(FROM)
  await services.refresh()
  const deposits = await services.database.selectFrom('deposit').select('id').execute()
  for (const { id } of deposits) await returnUnmatched(services, id, accountFrom(`home of ${id}`).address)
}

/** Sets the wallet's balance of the native coin and refreshes all balances. */
async function hold(units: bigint): Promise<void> {
  const { treasury } = chainOf(hand.services.chains, FROM)
  const chain = hand.chain(FROM)
  chain.mint(treasury, null, units - chain.balance(treasury, null))
  await hand.services.refresh()
}

async function payAll(): Promise<void> {
  for (const { id } of await rows()) await pay(hand.services, id)
  hand.chain(FROM).mine(FINAL)
  await hand.watch(FROM)
}

test('two native returns are not both started if the wallet cannot pay the gas of one', async () => {
  await sendBack([null, null])
  const sum = (await rows()).reduce((total, { units }) => total + units, 0n)
  // Enough for all returns and the gas of one transfer.
  await hold(sum + hand.chain(FROM).feePerMove)
  await payAll()
  expect((await rows()).map(({ reverts }) => reverts)).toEqual([0, 0])
})

test('a native return leaves the gas for a token payout next to it', async () => {
  await sendBack([null, usdc()])
  const [native] = (await rows()).filter(({ token }) => token === 'native')
  await hold((native?.units ?? 0n) + hand.chain(FROM).feePerMove)
  await payAll()
  const outcome = (await rows()).map(({ token, state }) => `${token === 'native' ? 'native' : 'token'} ${state}`)
  expect(outcome.sort()).toEqual(['native open', 'token confirmed'])
  const waiting = (await rows()).find(({ state }) => state === 'open')?.id ?? ''
  expect(await holdOf(hand.services.database, waiting)).toEqual({ code: 'trouble', error: 'TreasuryShort' })
})
