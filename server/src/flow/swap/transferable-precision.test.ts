/**
 * A chain that cannot transfer every decimal of a token: an unmatched deposit is returned rounded down, and booked so.
 */
import { type Token, transferableStep } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { unbalancedPostings } from '../../store/ledger/ledger.ts'
import { returnUnmatched } from './resolve-unmatched.ts'

const FROM = 'ALPHA'
const FINAL = 6
let database: TestDatabase
let hand: Hand
let usdc: Token
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  const token = hand.services.catalogue.network(FROM).tokens.find(({ symbol }) => symbol === 'USDC')
  if (!token) throw new Error('no USDC')
  usdc = token
  usdc.sentDecimals = 4
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

const treasury = () => chainOf(hand.services.chains, FROM).treasury

async function pass(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

/** A final deposit whose return to the sender is ordered. */
async function returning(name: string, units: bigint): Promise<{ id: string; home: string }> {
  const [payer, chain, { contract }] = [accountFrom(name), hand.chain(FROM), usdc]
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, units)
  const moves = [{ from: payer.address, to: treasury(), contract, units }]
  const plan = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves }
  chain.submit(signedBy(plan, payer))
  await pass(FINAL + 2)
  await hand.services.refresh()
  const deposits = hand.services.database.selectFrom('deposit').select('id')
  const { id } = await deposits.where('from_address', '=', payer.address).executeTakeFirstOrThrow()
  await admin(hand.services, 'unmatched', 'refund', '--deposit', id, '--to', payer.address)
  await returnUnmatched(hand.services, id)
  return { id, home: payer.address }
}

test('an unmatched deposit is returned in transferable units, and the rest is kept with the gas', async () => {
  const UNITS = 40_123_456n
  const fee = hand.services.market.sendingFee(usdc) ?? 0n
  const { id, home } = await returning('payer of many digits', UNITS)
  const payouts = hand.services.database.selectFrom('payout').select(['units', 'kept_units'])
  const { units, kept_units: kept } = await payouts.where('deposit_id', '=', id).executeTakeFirstOrThrow()
  expect([units, kept]).toEqual([40_123_400n, 56n])
  expect([units % transferableStep(usdc), kept >= fee]).toEqual([0n, true])
  await hand.runJobs()
  await pass(FINAL)
  expect(hand.chain(FROM).balance(home, usdc.contract)).toBe(units)
  expect(await ledgerUnits(hand.services.database, treasury(), usdc)).toBe(kept)
  expect(await unbalancedPostings(hand.services.database, 1)).toEqual([])
})

test('an unmatched deposit with nothing left after the gas is not refunded, and the list says why', async () => {
  const { id } = await returning('payer of few digits', transferableStep(usdc))
  const list = await admin(hand.services, 'unmatched', 'list')
  expect(list).toMatch(new RegExp(`${id} .*less than can be sent is left after the gas`))
  const payouts = hand.services.database.selectFrom('payout').select('id').where('deposit_id', '=', id)
  expect(await payouts.execute()).toEqual([])
})
