/** One short seed of the simulator, for every change; `seeds.test.ts` runs more of them. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withstoodBy } from './faults/storm.ts'
import { report } from './report.ts'
import { run } from './run.ts'
import { type Cluster, startCluster } from './world/database.ts'

const SEED = 1
/** Enough swaps for every fault to hit some. */
const SWAPS = 15
const TIMEOUT_MS = 180_000

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())

it(
  `seed ${SEED}: under every fault swaps end right, ledger and chains agree, no one is paid twice`,
  async () => {
    const result = await run(cluster, { seed: SEED, swaps: SWAPS, storm: withstoodBy(SEED) })
    const told = await report(result, null)
    await result.world.stop()
    expect(result.problems, told).toEqual([])
  },
  TIMEOUT_MS,
)
