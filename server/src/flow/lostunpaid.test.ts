/** A deposit that a reorg took is paid for no more, where what was begun for it has not been sent or is dead. */
import { type Order, RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { liveSlot } from '../store/slotrecords.ts'
import type { CreatedSwap } from '../swaps/creating.ts'
import { remindLanes } from './remind.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
const FINAL = 6

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  // That a stranger's transaction with our key stops the wallet is another guard, and tested by itself.
  for (const chain of hand.services.chains.values()) Object.assign(chain, { movements: undefined })
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

async function mineAndWatch(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

/** The deposit vanishes, and is proven to have. */
async function lose(): Promise<void> {
  hand.chain(FROM).reorg(TIER, 'dropped')
  await hand.watch(FROM)
  await mineAndWatch(FROM, 1)
  for (let round = 0; round < 3; round++) await mineAndWatch(FROM, FINAL)
  const [deposit] = await hand.services.database.selectFrom('deposit').select('state').execute()
  expect(deposit?.state).toBe('lost')
}

const received = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)
const output = () => hand.services.database.selectFrom('payout').selectAll().executeTakeFirstOrThrow()

async function goOn(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    hand.passTime(60_000)
    await remindLanes(hand.services)
    await hand.runJobs()
    await mineAndWatch(TO, FINAL)
  }
}

test('an output whose slot is dead is not paid from a new one after its deposit was lost', async () => {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  await hand.runJobs()
  for (const { hash } of [...hand.chain(TO).mempool]) hand.chain(TO).evict(hash)
  await lose()
  // Its slot dies: on many chains by time alone.
  const { id, account } = await output()
  const parts = (await liveSlot(hand.services.database, id))?.slot.parts ?? []
  const chain = chainOf(hand.services.chains, TO)
  const amount = { token: chain.network.nativeToken, units: 7n }
  const rival: Order = { kind: 'transfers', account, transfers: [{ to: accountFrom('rival').address, amount }] }
  await chain.broadcast(await chain.sign(rival, parts, await chain.prepare(rival, null)))
  await mineAndWatch(TO, FINAL)
  expect(await output()).toMatchObject({ state: 'open', started: false })
  await goOn()
  expect(received(swap)).toBe(0n)
})

test('an output in whose slot nothing was signed is not signed after its deposit was lost', async () => {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  const chain = chainOf(hand.services.chains, TO)
  const { sign } = chain
  chain.sign = () => Promise.reject(new RetryLater('the signer is away'))
  await hand.runJobs()
  expect(await output()).toMatchObject({ state: 'open', started: true })
  await lose()
  chain.sign = sign
  await goOn()
  expect(received(swap)).toBe(0n)
})
