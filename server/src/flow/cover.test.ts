/** Several that go back at once are not begun beyond what the wallet holds: what it cannot pay waits, and nobody's address is blamed. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { rejectPayout } from '../store/payouts.ts'
import type { CreatedSwap } from '../swaps/creating.ts'
import { pay } from './pay.ts'

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

/** Swaps whose outputs a person has said no to: each is to be refunded. */
async function refunds(count: number): Promise<CreatedSwap[]> {
  const swaps: CreatedSwap[] = []
  for (let made = 0; made < count; made++) {
    const swap = await hand.swap(FROM, TO)
    hand.deposit(swap)
    swaps.push(swap)
  }
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  const { database: db, now } = hand.services
  const outputs = await db
    .selectFrom('payout')
    .select('id')
    .where('kind', '=', 'output')
    .where('state', '=', 'open')
    .execute()
  for (const { id } of outputs) await rejectPayout(db, id, now())
  for (const { id } of outputs) await pay(hand.services, id)
  return swaps
}

const rows = () => hand.services.database.selectFrom('payout').selectAll().where('kind', '=', 'refund').execute()

test('of three refunds those go that the wallet can pay, and the others when it can', async () => {
  const swaps = await refunds(3)
  await hold(2n * UNITS)
  await hand.runJobs()
  const begun = (await rows()).filter(({ started }) => started)
  expect(begun).toHaveLength(2)
  expect((await rows()).find(({ started }) => !started)?.held_reason).toContain('the treasury holds 100000000 of ')
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
