/** A client may name a transaction at any time, and any node may answer. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { requeueMissingJobs } from '../run/requeue.ts'
import { inspectHint } from '../watch/deposit-hint.ts'
import { watchlistOf } from './receivers.ts'

const [FROM, TO] = ['ALPHA', 'BETA'] as const
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

async function mine(blocks: number, network: string = FROM): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

test.each([false, true])(
  'a credited deposit that a reorg dropped is not paid for, with a hint from another branch: %s',
  async (isHinted) => {
    const { services } = hand
    await admin(services, 'switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'a look')
    const swap = await hand.swap(FROM, TO)
    const hash = hand.deposit(swap)
    await mine(TIER)
    await hand.runJobs()
    const adapter = chainOf(services.chains, FROM)
    const { inspect } = adapter
    const found = await inspect(hash, watchlistOf(services, adapter))
    if (found.state !== 'included') throw new Error('not there')
    // A node that follows another branch, on which the transaction is a block earlier.
    const block = { number: found.block.number - 1n, hash: 'a block of another branch' }
    const elsewhere = { ...found, block, sightings: found.sightings.map((one) => ({ ...one, block })) }
    if (isHinted) {
      adapter.inspect = async () => elsewhere
      await inspectHint(services, FROM, hash)
      adapter.inspect = inspect
    }
    hand.chain(FROM).reorg(TIER, 'dropped')
    await mine(TIER + 1)
    for (let round = 0; round < 3; round++) await mine(FINAL)
    await admin(services, 'switch', 'resume', '--scope', 'service')
    hand.passTime(10 * 60_000)
    await requeueMissingJobs(services)
    await hand.runJobs()
    await mine(FINAL + 1, TO)
    const { destinationAddress, destination } = swap.view.swap
    expect(hand.chain(TO).balance(destinationAddress, destination.contract)).toBe(0n)
  },
)

test('a deposit that a node showed in another branch first follows the block of the scan', async () => {
  const { services } = hand
  await admin(services, 'switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'a look')
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  const adapter = chainOf(services.chains, FROM)
  const { inspect } = adapter
  adapter.inspect = async (...asked) => {
    const found = await inspect(...asked)
    if (found.state !== 'included') return found
    const block = { number: found.block.number - 1n, hash: 'a block of another branch' }
    return { ...found, block, sightings: found.sightings.map((one) => ({ ...one, block })) }
  }
  await inspectHint(services, FROM, hash)
  await hand.watch(FROM)
  await mine(1)
  adapter.inspect = inspect
  hand.chain(FROM).reorg(TIER + 1, 'dropped')
  await mine(TIER + 2)
  for (let round = 0; round < 3; round++) await mine(FINAL)
  await admin(services, 'switch', 'resume', '--scope', 'service')
  hand.passTime(10 * 60_000)
  await requeueMissingJobs(services)
  await hand.runJobs()
  await mine(FINAL + 1, TO)
  const { destinationAddress, destination } = swap.view.swap
  expect(hand.chain(TO).balance(destinationAddress, destination.contract)).toBe(0n)
})
