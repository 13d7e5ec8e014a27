/** A deposit is lost while bytes for it wait to be sent: no node ever had them, and they stay where they are. */
import { RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { remindLanes } from './remind.ts'

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

async function mineAndWatch(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

test('bytes that never left, as no node could be reached, are not sent for the first time after their deposit was lost', async () => {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  const chain = chainOf(hand.services.chains, TO)
  const { broadcast } = chain
  chain.broadcast = () => Promise.reject(new RetryLater('connect ECONNREFUSED'))
  await hand.runJobs()
  const attempts = () => hand.services.database.selectFrom('attempt').select(['cancels', 'sent_at']).execute()
  expect(await attempts()).toMatchObject([{ cancels: false, sent_at: null }])
  hand.chain(FROM).reorg(TIER, 'dropped')
  await hand.watch(FROM)
  await mineAndWatch(FROM, 1)
  for (let round = 0; round < 3; round++) await mineAndWatch(FROM, FINAL)
  const [deposit] = await hand.services.database.selectFrom('deposit').select('state').execute()
  expect(deposit?.state).toBe('lost')
  chain.broadcast = broadcast
  for (let round = 0; round < 3; round++) {
    hand.passTime(60_000)
    await remindLanes(hand.services)
    await hand.runJobs()
    await mineAndWatch(TO, FINAL)
  }
  const { destinationAddress, destination } = swap.view.swap
  expect(hand.chain(TO).balance(destinationAddress, destination.contract)).toBe(0n)
})
