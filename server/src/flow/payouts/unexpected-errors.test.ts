/** An unexpected error holds its payout visibly, and blocks neither the wallet nor other payouts. */
import { type ChainAdapter, RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { holdOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from './pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const [TIER, FINAL] = [2, 6]

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

async function owed(): Promise<{ swap: CreatedSwap; id: string }> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  const row = hand.services.database.selectFrom('payout').select('id').where('swap_id', '=', swap.view.swap.id)
  return { swap, id: (await row.executeTakeFirstOrThrow()).id }
}

const received = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)

test('an unsigned slot that cannot be prepared any more blocks no other payout', async () => {
  const adapter: ChainAdapter = chainOf(hand.services.chains, TO)
  const { sign, prepare } = adapter
  const poisoned = await owed()
  adapter.sign = () => Promise.reject(new RetryLater('the signer is away'))
  await pay(hand.services, poisoned.id)
  adapter.sign = sign
  const { destinationAddress } = poisoned.swap.view.swap
  adapter.prepare = async (...given) => {
    const [order] = given
    if (order.kind === 'transfers' && order.transfers.some(({ to }) => to === destinationAddress))
      throw new TypeError('an answer that nobody foresaw')
    return prepare(...given)
  }
  const other = await owed()
  for (let round = 0; round < 6; round++) {
    for (const { id } of [poisoned, other]) await pay(hand.services, id).catch(() => undefined)
    hand.passTime(120_000)
    hand.chain(TO).mine(FINAL)
    await hand.watch(TO)
  }
  expect(received(other.swap)).toBe(other.swap.view.swap.quote?.receiveUnits)
})

test('an unexpected error of a check holds the payout, without a refund, until the check answers', async () => {
  const { swap, id } = await owed()
  const { market, database: db, config } = hand.services
  const { price } = market
  market.price = () => {
    throw new TypeError('an answer of another shape')
  }
  await pay(hand.services, id)
  expect(await holdOf(db, id)).toEqual({ code: 'trouble', error: 'TypeError' })
  hand.passTime(config.payoutGiveUpMs)
  await pay(hand.services, id)
  const status = db.selectFrom('swap').select('status').where('id', '=', swap.view.swap.id)
  expect(await status.executeTakeFirst()).toEqual({ status: 'ls_transfer_pending' })
  market.price = price
  await pay(hand.services, id)
  hand.chain(TO).mine(FINAL)
  await hand.watch(TO)
  expect(received(swap)).toBe(swap.view.swap.quote?.receiveUnits)
})
