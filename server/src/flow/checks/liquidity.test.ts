/** Several that go back at once are not begun beyond what the wallet holds: what it cannot pay waits, and nobody's address is blamed. */

import { RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { holdOf, reasonOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { rejectPayout } from '../../store/payouts/payouts.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from '../payouts/pay.ts'
import { returnUnmatched } from '../swap/resolve-unmatched.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 6
const UNITS = 50_000_000n

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

const usdc = () =>
  hand.services.catalogue.network(FROM).tokens.find(({ symbol }) => symbol === 'USDC')?.contract ?? null
const treasury = () => chainOf(hand.services.chains, FROM).treasury
/** The wallet holds so much, and everybody has read it. */
async function hold(units: bigint): Promise<void> {
  const chain = hand.chain(FROM)
  chain.mint(treasury(), usdc(), units - chain.balance(treasury(), usdc()))
  await hand.services.refresh()
}

/** Swaps that are paid for. */
async function paidSwaps(count: number): Promise<CreatedSwap[]> {
  const swaps: CreatedSwap[] = []
  for (let made = 0; made < count; made++) {
    const swap = await hand.swap(FROM, TO)
    hand.deposit(swap)
    swaps.push(swap)
  }
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  return swaps
}

/** A person says no to their outputs: they are to be refunded. */
async function reject(swaps: readonly CreatedSwap[]): Promise<void> {
  const { database: db, now } = hand.services
  const open = db.selectFrom('payout').select('id').where('kind', '=', 'output').where('state', '=', 'open')
  const ids = swaps.map(({ view }) => view.swap.id)
  const outputs = await open.where('swap_id', 'in', ids).execute()
  expect(outputs).toHaveLength(swaps.length)
  for (const { id } of outputs) await rejectPayout(db, id, now())
  for (const { id } of outputs) await pay(hand.services, id)
}

async function refunds(count: number): Promise<CreatedSwap[]> {
  const swaps = await paidSwaps(count)
  await reject(swaps)
  return swaps
}

const rows = () => hand.services.database.selectFrom('payout').selectAll().where('kind', '=', 'refund').execute()

test('of three refunds those go that the wallet can pay, and the others when it can', async () => {
  const swaps = await refunds(3)
  await hold(2n * UNITS)
  await hand.runJobs()
  const begun = (await rows()).filter(({ started }) => started)
  expect(begun).toHaveLength(2)
  const waiting = (await rows()).find(({ started }) => !started)?.id ?? ''
  expect(await holdOf(hand.services.database, waiting)).toEqual({ code: 'trouble', error: 'TreasuryShort' })
  expect(await reasonOf(hand.services.database, waiting)).toContain('the treasury holds 100000000 of ')
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  await hold(UNITS)
  for (const { id } of await rows()) await pay(hand.services, id)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  expect((await rows()).map(({ state, reverts }) => [state, reverts])).toEqual(swaps.map(() => ['confirmed', 0]))
})

test('one that is begun later leaves alone what is on its way', async () => {
  await refunds(1)
  await hold(UNITS)
  await hand.runJobs()
  // It waits for a block longer than the other takes to come.
  const chain = hand.chain(FROM)
  for (const { hash } of [...chain.mempool]) chain.evict(hash)
  await refunds(1)
  await hold(UNITS)
  await hand.runJobs()
  expect((await rows()).map(({ state, started }) => `${state} ${started}`).sort()).toEqual(['open false', 'open true'])
})

test('where there is plenty no node is asked how much', async () => {
  await refunds(2)
  await hold(5n * UNITS)
  const adapter = chainOf(hand.services.chains, FROM)
  const { balances } = adapter
  let asked = 0
  adapter.balances = (wanted) => {
    asked++
    return balances(wanted)
  }
  for (const { id } of await rows()) await pay(hand.services, id)
  expect((await rows()).map(({ started }) => started)).toEqual([true, true])
  expect(asked).toBe(0)
})

test('refunds are not begun beyond what the wallet holds since it was read', async () => {
  const swaps = await paidSwaps(3)
  const chain = hand.chain(FROM)
  // Read now, and on a real network not again for fifteen seconds, or for sixty.
  await hold(2n * UNITS + UNITS / 2n)
  hand.passTime(1_000)
  await reject(swaps.slice(0, 1))
  for (const { id, state } of await rows()) if (state === 'open') await pay(hand.services, id)
  chain.mine(TIER)
  await hand.watch(FROM)
  expect((await rows()).map(({ state }) => state)).toEqual(['confirmed'])
  // Half of what the other two want is there beyond the first of them.
  hand.passTime(1_000)
  await reject(swaps.slice(1))
  for (const { id, state } of await rows()) if (state === 'open') await pay(hand.services, id)
  chain.mine(TIER)
  await hand.watch(FROM)
  expect((await rows()).map(({ reverts, failed_at }) => [reverts, failed_at])).toEqual(swaps.map(() => [0, null]))
})

test('two refunds of a token whose balance no node tells hold up nothing of another token', async () => {
  const { services } = hand
  const payer = accountFrom('an unmatched payer')
  const chain = hand.chain(FROM)
  const units = 10n ** 18n
  chain.mint(payer.address, null, chain.feePerMove + units)
  const move = { from: payer.address, to: treasury(), contract: null, units }
  const paid = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves: [move] }
  chain.submit(signedBy(paid, payer))
  chain.mine(TIER + 1)
  await hand.watch(FROM)
  await refunds(2)
  // Each is covered by itself, both are not.
  await hold(UNITS + UNITS / 2n)
  const deposits = services.database.selectFrom('deposit').select('id').where('from_address', '=', payer.address)
  const { id } = await deposits.executeTakeFirstOrThrow()
  const home = accountFrom('home').address
  await returnUnmatched(services, id, home)
  // Two nodes that must agree do not: one of them lags.
  const adapter = chainOf(services.chains, FROM)
  const { balances } = adapter
  adapter.balances = async (wanted) => {
    if (wanted.some(({ token }) => token.contract !== null)) throw new RetryLater('the nodes do not agree')
    return balances(wanted)
  }
  const payouts = services.database.selectFrom('payout').select(['id', 'kind', 'state']).where('state', '=', 'open')
  for (let round = 0; round < 3; round++) {
    for (const payout of await payouts.execute()) await pay(services, payout.id)
    hand.passTime(60_000)
    chain.mine(TIER)
    await hand.watch(FROM)
  }
  expect(chain.balance(home, null)).toBeGreaterThan(0n)
})
