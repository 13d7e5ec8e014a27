/**
 * Refunds that run at once never exceed the wallet's balance: those that it cannot pay wait, and their recipients are
 * not marked as failing.
 */

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
import { requireKnownHistory } from './history.ts'

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
/** Sets the wallet's balance and refreshes all balances. */
async function hold(units: bigint): Promise<void> {
  const chain = hand.chain(FROM)
  chain.mint(treasury(), usdc(), units - chain.balance(treasury(), usdc()))
  await hand.services.refresh()
}

/** Creates swaps with confirmed deposits. */
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

/** Rejects their outputs, so that they are refunded. */
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

test('of three refunds, those that the wallet can pay are sent, and the others later', async () => {
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

test('a later refund does not use coins that are already on their way out', async () => {
  await refunds(1)
  await hold(UNITS)
  await hand.runJobs()
  // The first refund stays unmined for longer than the second takes to arrive.
  const chain = hand.chain(FROM)
  for (const { hash } of [...chain.mempool]) chain.evict(hash)
  await refunds(1)
  await hold(UNITS)
  await hand.runJobs()
  expect((await rows()).map(({ state, started }) => `${state} ${started}`).sort()).toEqual(['open false', 'open true'])
})

test('with ample balance no node is asked', async () => {
  await refunds(2)
  await hold(5n * UNITS)
  const adapter = chainOf(hand.services.chains, FROM)
  // The wallet was compared with the chain a moment ago.
  await requireKnownHistory(hand.services, adapter)
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

test('refunds do not exceed the balance, less what has left since it was read', async () => {
  const swaps = await paidSwaps(3)
  const chain = hand.chain(FROM)
  // The balance is read now; on a real network the next read comes 15 to 60 seconds later.
  await hold(2n * UNITS + UNITS / 2n)
  hand.passTime(1_000)
  await reject(swaps.slice(0, 1))
  for (const { id, state } of await rows()) if (state === 'open') await pay(hand.services, id)
  chain.mine(TIER)
  await hand.watch(FROM)
  expect((await rows()).map(({ state }) => state)).toEqual(['confirmed'])
  // Beyond the first refund, the wallet has half of what the other two need.
  hand.passTime(1_000)
  await reject(swaps.slice(1))
  for (const { id, state } of await rows()) if (state === 'open') await pay(hand.services, id)
  chain.mine(TIER)
  await hand.watch(FROM)
  expect((await rows()).map(({ reverts, failed_at }) => [reverts, failed_at])).toEqual(swaps.map(() => [0, null]))
})

test('an unknown balance of one token does not delay refunds in another', async () => {
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
  // Each is covered alone, but not both together.
  await hold(UNITS + UNITS / 2n)
  const deposits = services.database.selectFrom('deposit').select('id').where('from_address', '=', payer.address)
  const { id } = await deposits.executeTakeFirstOrThrow()
  const home = accountFrom('home').address
  await returnUnmatched(services, id, home)
  // Two nodes must agree and do not: one lags.
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
