/** A short run of the simulator, as part of the tests; `npm run sim` makes the long ones. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Cluster, startCluster } from './database.ts'
import { report } from './report.ts'
import { run } from './run.ts'
import { withstoodBy } from './storm.ts'

const SWAPS = 25

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())

const SEEDS = [1, 2, 3, 4, 5]

it.each(SEEDS)(
  'seed %i: under every fault swaps end right, books and chains agree, nobody is paid twice',
  async (seed) => {
    const result = await run(cluster, { seed, swaps: SWAPS, storm: withstoodBy(seed) })
    const told = await report(result, null)
    await result.world.stop()
    expect(result.problems, told).toEqual([])
  },
  180_000,
)

it('a seed replays exactly', async () => {
  const digests = []
  for (let time = 0; time < 2; time++) {
    const { world } = await run(cluster, { seed: 4, swaps: 6, storm: withstoodBy(4) })
    digests.push(world.story.digest())
    await world.stop()
  }
  expect(digests[0]).toBe(digests[1])
}, 180_000)
