/** A watcher is paused after a node answered, and continues after another process has taken its lease. */
import type { ChainAdapter } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { createWatcher } from '../watch/watch.ts'

const [FROM, TO] = ['ALPHA', 'BETA']

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

const loseLease = () =>
  hand.services.database
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .execute()
const rowOf = (hash: string) =>
  hand.services.database
    .selectFrom('deposit')
    .select(['state', 'block_hash'])
    .where('tx_hash', '=', hash)
    .executeTakeFirstOrThrow()

test('a watcher that was paused and lost its lease changes no deposit', async () => {
  const adapter = chainOf(hand.services.chains, FROM)
  const { inspect } = adapter
  const chain = hand.chain(FROM)
  const paused = createWatcher(hand.services, adapter, { ttlMs: 6_000, renewMs: -1, keepMs: 2_000 })
  await loseLease()
  const hash = hand.deposit(await hand.swap(FROM, TO))
  chain.mine(1)
  await paused.turn()
  // A node that lags does not know the transaction once.
  Object.assign(adapter, { inspect: async () => ({ state: 'unknown' }) })
  chain.mine(1)
  await paused.turn()
  // On the next head a node locates it, and the watcher is paused with that answer.
  const asked = Promise.withResolvers<void>()
  const woken = Promise.withResolvers<void>()
  let isAsleep = false
  Object.assign(adapter, {
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => {
      const answer = await inspect(...given)
      if (isAsleep) return answer
      isAsleep = true
      asked.resolve()
      await woken.promise
      return answer
    },
  })
  chain.mine(1)
  const turn = paused.turn()
  await asked.promise
  // The block is replaced, the transaction is mined again a few blocks later, and another process takes over.
  chain.reorg(3, 'returned')
  chain.mine(1)
  chain.mine(2)
  await loseLease()
  await hand.watch(FROM)
  await hand.watch(FROM)
  await hand.runJobs()
  const credited = await rowOf(hash)
  expect(credited.state).toBe('confirmed')
  woken.resolve()
  await turn
  const after = await rowOf(hash)
  // A reorg removes it for good: its swap was paid, so it is a loss.
  chain.reorg(3, 'dropped')
  for (let round = 0; round < 4; round++) {
    await loseLease()
    await hand.watch(FROM)
    chain.mine(3)
  }
  expect([after.block_hash, (await rowOf(hash)).state]).toEqual([credited.block_hash, 'lost'])
})

test('a scan that was paused while another process took over moves no cursor', async () => {
  const adapter = chainOf(hand.services.chains, FROM)
  const { scan } = adapter
  const chain = hand.chain(FROM)
  const paused = createWatcher(hand.services, adapter, { ttlMs: 6_000, renewMs: -1, keepMs: 2_000 })
  await loseLease()
  chain.mine(1)
  await paused.turn()
  const [asked, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  Object.assign(adapter, {
    scan: async (...given: Parameters<ChainAdapter['scan']>) => {
      const answer = await scan(...given)
      Object.assign(adapter, { scan })
      asked.resolve()
      await woken.promise
      return answer
    },
  })
  chain.mine(1)
  const turn = paused.turn()
  await asked.promise
  await loseLease()
  chain.mine(5)
  await hand.watch(FROM)
  const cursors = () => hand.services.database.selectFrom('chain_cursor').selectAll().orderBy('network').execute()
  const before = await cursors()
  woken.resolve()
  await turn
  expect(await cursors()).toEqual(before)
})
