/**
 * One guard as part of the normal tests: without it the simulator finds a problem. `npm run sim:guards` tests all of
 * them.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Cluster, startCluster } from '../world/database.ts'
import { noSlotReuse } from './guards.ts'
import { seedThatNeeds } from './needed.ts'

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())

it('without the rule for new slots a missing transaction counts as failed, and is paid twice', async () => {
  expect(await seedThatNeeds(cluster, { missing: [noSlotReuse], first: 9 }, /on chain [2-9] times/)).toBeGreaterThan(0)
}, 600_000)
