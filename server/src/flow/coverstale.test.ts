/** What a wallet was read to hold a while ago is not what it holds: what it has paid since is gone. */
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
const rows = () => hand.services.database.selectFrom('payout').selectAll().where('kind', '=', 'refund').execute()

/** A person says no to their outputs: they are to be refunded. */
async function reject(swaps: readonly CreatedSwap[]): Promise<void> {
  const { database: db, now } = hand.services
  for (const { view } of swaps) {
    const outputs = db.selectFrom('payout').select('id').where('kind', '=', 'output')
    const { id } = await outputs.where('swap_id', '=', view.swap.id).executeTakeFirstOrThrow()
    await rejectPayout(db, id, now())
    await pay(hand.services, id)
  }
}

test('refunds are not begun beyond what the wallet holds since it was read', async () => {
  const swaps: CreatedSwap[] = []
  for (let made = 0; made < 3; made++) {
    const swap = await hand.swap(FROM, TO)
    hand.deposit(swap)
    swaps.push(swap)
  }
  const chain = hand.chain(FROM)
  chain.mine(TIER)
  await hand.watch(FROM)
  // Read now, and on a real network not again for fifteen seconds, or for sixty.
  const { treasury } = chainOf(hand.services.chains, FROM)
  chain.mint(treasury, usdc(), 2n * UNITS + UNITS / 2n - chain.balance(treasury, usdc()))
  await hand.services.refresh()
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
