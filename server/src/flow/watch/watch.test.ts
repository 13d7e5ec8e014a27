/** A watcher keeps its lease while its node is slow, and gives it up if the node never answers. */
import type { ChainAdapter } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { findChain } from '../../../../chains/simulated/local/src/index.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { startServices, type TestServices } from '../../../../tests/support/service/services.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { readPosition } from '../../store/watch/cursors.ts'
import { createWatcher } from './watch.ts'

const NETWORK = 'ALPHA'
const LEASE = { ttlMs: 400, renewMs: 50 }

let database: TestDatabase
let services: TestServices
let chain: ChainAdapter
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
  chain = chainOf(services.chains, NETWORK)
})
beforeEach(() => findChain(NETWORK).chain.mine(3))
afterAll(async () => {
  await services.stop()
  await database.stop()
})

const expiry = async () => {
  const lease = services.database.selectFrom('lease').select('expires_at').where('name', '=', `watch:${NETWORK}`)
  return (await lease.executeTakeFirst())?.expires_at.getTime() ?? 0
}

/** A node that answers a scan on demand. */
function slow(): { chain: ChainAdapter; answer(): void } {
  let answer = () => {}
  const told = new Promise<void>((resolve) => {
    answer = resolve
  })
  const scan: ChainAdapter['scan'] = async (...given) => {
    await told
    return chain.scan(...given)
  }
  return { chain: { ...chain, scan }, answer }
}

test('a scan longer than the lease is not taken over, and its result is stored', async () => {
  const node = slow()
  const [first, second] = [createWatcher(services, node.chain, LEASE), createWatcher(services, chain, LEASE)]
  const round = first.turn()
  await vi.waitFor(async () => expect(await expiry()).toBeGreaterThan(0))
  const begun = await expiry()
  await vi.waitFor(async () => expect(await expiry()).toBeGreaterThan(begun + LEASE.ttlMs), { timeout: 5_000 })
  expect(await second.turn()).toBe(LEASE.renewMs)
  node.answer()
  expect(await round).toBe(chain.network.pollMs)
  expect((await readPosition(services.database, NETWORK))?.headNumber).toBe(BigInt(findChain(NETWORK).chain.height))
  await first.leave()
})

test('nothing renews the lease once the round is over', async () => {
  const watcher = createWatcher(services, chain, LEASE)
  await watcher.turn()
  const before = await expiry()
  // Another watcher takes over when the lease expires, which would never happen if the first one still renewed it.
  const other = createWatcher(services, chain, LEASE)
  await vi.waitFor(async () => expect(await other.turn()).toBe(chain.network.pollMs), { timeout: 5_000 })
  expect(await expiry()).toBeGreaterThan(before)
  await other.leave()
})

test('a scan that never ends is given up, and the lease with it', async () => {
  const hanging = createWatcher(services, slow().chain, { ...LEASE, scanMs: 100 })
  expect(await hanging.turn()).toBe(LEASE.renewMs)
  const other = createWatcher(services, chain, LEASE)
  expect(await other.turn()).toBe(chain.network.pollMs)
  expect((await readPosition(services.database, NETWORK))?.headNumber).toBe(BigInt(findChain(NETWORK).chain.height))
  await other.leave()
})

test('with a long poll interval, the lease outlasts the next poll', async () => {
  const pollMs = 20_000
  const rare = { ...chain, network: { ...chain.network, pollMs } }
  const [first, second] = [createWatcher(services, rare), createWatcher(services, rare)]
  const begun = Date.now()
  expect(await first.turn()).toBe(pollMs)
  expect(await expiry()).toBeGreaterThan(begun + 2 * pollMs)
  expect(await second.turn()).toBeLessThan(pollMs)
  await first.leave()
})
