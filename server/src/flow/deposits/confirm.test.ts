/** A deposit counts as gone only if a node that is as far as the scan says so, and it can always come back. */
import { randomUUID } from 'node:crypto'
import { type ChainAdapter, RetryLater } from '@causeway/core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { changeBlocksFrom, readClock } from '../../store/deposits/observations.ts'
import { inspectHint } from '../watch/deposit-hint.ts'
import { recordObservations } from './record-observations.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const TIER = 2
const FINAL = 6

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(() => {
  hand.node(FROM).faults.behind = 0
  hand.node(FROM).hooks = {}
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

/** A deposit seen in the newest block that must be inspected again although the chain still has the block. */
async function seenBeforeRecheck(as: 'unverified' | 'orphaned' = 'unverified'): Promise<string> {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine()
  await hand.watch(FROM)
  const { services } = hand
  await services.database.transaction().execute(async (queries) => {
    const from = BigInt(hand.chain(FROM).height - 1)
    const also = await changeBlocksFrom(queries, FROM, from, as, await readClock(queries, FROM))
    await recordObservations(services, queries, chainOf(services.chains, FROM), [], { also })
  })
  hand.chain(FROM).mine()
  return hash
}

async function stateOf(hash: string): Promise<string> {
  const { database } = hand.services
  return (await database.selectFrom('deposit').select('state').where('tx_hash', '=', hash).executeTakeFirstOrThrow())
    .state
}

test('a node that lags behind the scan does not orphan a deposit', async () => {
  const hash = await seenBeforeRecheck()
  hand.node(FROM).faults.behind = 2
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('seen')
})

test('a deposit that one node does not know stays pending, and is credited in its block', async () => {
  const hash = await seenBeforeRecheck()
  const { faults } = hand.node(FROM)
  // An up-to-date node answers the scan, and a lagging one the inspection.
  hand.node(FROM).hooks = {
    beforeCall: (call) => {
      faults.behind = call === 'transaction' ? 2 : 0
    },
  }
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('seen')
  hand.node(FROM).hooks = {}
  faults.behind = 0
  hand.chain(FROM).mine()
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('confirmed')
})

test('a deposit found by a hint and dropped by a reorg is gone after the final depth', async () => {
  const { services } = hand
  const chain = hand.chain(FROM)
  const hash = hand.deposit(await hand.swap(FROM, TO))
  chain.mine()
  await inspectHint(services, FROM, hash)
  expect(await stateOf(hash)).toBe('seen')
  chain.reorg(1)
  const { finalDepth } = services.catalogue.network(FROM)
  chain.mine(TIER)
  await hand.watch(FROM)
  chain.mine(finalDepth - 1)
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('seen')
  chain.mine()
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('gone')
})

test('a watcher that was overtaken while it asked its node changes nothing', async () => {
  const { database } = hand.services
  const lease = () =>
    database.selectFrom('lease').selectAll().where('name', '=', `watch:${FROM}`).executeTakeFirstOrThrow()
  const hash = await seenBeforeRecheck('orphaned')
  const { faults } = hand.node(FROM)
  const { holder, fence } = await lease()
  hand.node(FROM).hooks = {
    async beforeCall(call) {
      if (call !== 'transaction') return
      faults.behind = 2
      await database
        .updateTable('lease')
        .set({ holder: randomUUID(), fence: fence + 1n })
        .where('name', '=', `watch:${FROM}`)
        .execute()
    },
  }
  await hand.watch(FROM)
  expect((await lease()).fence).toBe(fence + 1n)
  expect(await stateOf(hash)).toBe('seen')
  await database.updateTable('lease').set({ holder, fence }).where('name', '=', `watch:${FROM}`).execute()
})

test('a watcher that was paused since it asked its node credits nothing, even if its lease is free', async () => {
  const { database } = hand.services
  const hash = hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER - 1)
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('seen')
  hand.chain(FROM).mine()
  hand.node(FROM).hooks = {
    async beforeCall(call) {
      if (call !== 'transaction') return
      const expiry = database.updateTable('lease').set({ expires_at: new Date(Date.now() - 1_000) })
      await expiry.where('name', '=', `watch:${FROM}`).execute()
    },
  }
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('seen')
  hand.node(FROM).hooks = {}
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('confirmed')
})

test('a prefetched answer that became too old is asked for again', async () => {
  const swap = await hand.swap(FROM, TO)
  const first = hand.deposit(swap)
  hand.chain(FROM).mine()
  const hashes = [first, hand.deposit(swap)]
  const chain = chainOf(hand.services.chains, FROM)
  const { inspect } = chain
  const asked: string[] = []
  Object.assign(chain, {
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => {
      const isFirst = hashes.includes(given[0]) && asked.push(given[0]) === 1
      const found = await inspect(...given)
      if (isFirst) hand.passTime(3_000)
      return found
    },
  })
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  Object.assign(chain, { inspect })
  expect(hashes.map((hash) => asked.filter((one) => one === hash).length)).toEqual([2, 2])
  expect(await Promise.all(hashes.map(stateOf))).toEqual(['confirmed', 'confirmed'])
})

test('a reorged deposit is not final before it is verified, however long nodes do not know it', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('confirmed')
  hand.chain(FROM).reorg(TIER, 'dropped')
  hand.node(FROM).hooks = {
    beforeCall: (call) => {
      if (call === 'transaction') throw new RetryLater('the node does not answer')
    },
  }
  for (let depth = 0; depth <= FINAL; depth++) {
    hand.chain(FROM).mine()
    await hand.watch(FROM).catch(() => undefined)
  }
  expect(await stateOf(hash)).toBe('confirmed')
  hand.node(FROM).hooks = {}
  hand.chain(FROM).mine()
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('gone')
})

/** Replaces the node's answer about a transaction while `work` runs. */
async function inspecting(change: ChainAdapter['inspect'], work: () => Promise<void>): Promise<void> {
  const adapter = chainOf(hand.services.chains, FROM)
  const healthy = adapter.inspect
  adapter.inspect = change
  try {
    await work()
  } finally {
    adapter.inspect = healthy
  }
}

test('a deposit is credited by the depth at its inspection, not at its first sighting', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  const { inspect: look } = chainOf(hand.services.chains, FROM)
  const shallow: ChainAdapter['inspect'] = async (...given) => {
    const found = await look(...given)
    return found.state === 'included' ? { ...found, confirmations: TIER - 1 } : found
  }
  await inspecting(shallow, () => hand.watch(FROM))
  expect(await stateOf(hash)).toBe('seen')
  hand.chain(FROM).mine()
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('confirmed')
})

test('a deposit that the scan saw in its new block is not inspected, so no lagging node orphans it', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine()
  await hand.watch(FROM)
  hand.chain(FROM).reorg(1, 'returned')
  hand.chain(FROM).mine(2)
  const asked: string[] = []
  const denying: ChainAdapter['inspect'] = async (txHash) => {
    asked.push(txHash)
    return { state: 'unknown' }
  }
  await inspecting(denying, () => hand.watch(FROM))
  expect(await stateOf(hash)).toBe('seen')
})

test('a transaction that no longer transfers anything at the index is not credited', async () => {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  const { inspect: look } = chainOf(hand.services.chains, FROM)
  const empty: ChainAdapter['inspect'] = async (...given) => {
    const found = await look(...given)
    if (found.state !== 'included') return found
    return { ...found, sightings: found.sightings.map((each) => ({ ...each, amount: { ...each.amount, units: 0n } })) }
  }
  await inspecting(empty, () => hand.watch(FROM))
  expect(await stateOf(hash)).toBe('gone')
})

test('a head that one node invents makes no deposit final: the scan must have read that far', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  const chain = chainOf(hand.services.chains, FROM)
  const { scan } = chain
  chain.scan = async (...given) => {
    const found = await scan(...given)
    return { ...found, head: { number: found.head.number + 1_000n, hash: 'invented' } }
  }
  hand.chain(FROM).mine()
  await hand.watch(FROM)
  chain.scan = scan
  const deposit = () =>
    hand.services.database
      .selectFrom('deposit')
      .select(['state', 'final'])
      .where('tx_hash', '=', hash)
      .executeTakeFirst()
  expect(await deposit()).toEqual({ state: 'confirmed', final: false })
  hand.chain(FROM).reorg(TIER + 1, 'dropped')
  for (let round = 0; round < 3; round++) {
    hand.chain(FROM).mine(FINAL)
    await hand.watch(FROM)
  }
  expect((await deposit())?.state).toBe('gone')
})
