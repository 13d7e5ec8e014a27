/**
 * Every guard is needed: with one of them taken away, the simulator finds money that was paid twice, counted twice or
 * that is not there. Where two guards stand behind each other, the name says so and both are gone.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Cluster, startCluster } from './database.ts'
import {
  confirmationReading,
  depositIdentity,
  fencing,
  type Guards,
  oneLiveSlot,
  slotReuse,
  storedBytes,
  without,
} from './guards.ts'
import { run } from './run.ts'

const SWAPS = 20
const MAX_SEEDS = 12
const TIMEOUT_MS = 400_000

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())

/** What the first seeds find, until one finds something of this kind. */
async function findings(guards: Guards, kind: RegExp, freeze?: number): Promise<string[]> {
  const found: string[] = []
  for (let seed = 1; seed <= MAX_SEEDS && !found.some((what) => kind.test(what)); seed++) {
    const { world, problems } = await run(cluster, { seed, swaps: SWAPS, guards, ...(freeze ? { freeze } : {}) })
    await world.stop()
    found.push(...problems.map(({ what }) => what))
  }
  return found
}

it(
  'without the identity of a deposit, one deposit is credited more than once',
  async () => {
    const kind = /credited [2-9] times/
    expect(await findings(without(depositIdentity), kind)).toContainEqual(expect.stringMatching(kind))
  },
  TIMEOUT_MS,
)

it(
  'without the rule for new slots, silence is taken for failure and a payout lands twice',
  async () => {
    const kind = /on chain [2-9] times/
    expect(await findings(without(slotReuse), kind)).toContainEqual(expect.stringMatching(kind))
  },
  TIMEOUT_MS,
)

it(
  'without the stored bytes, and the index of live slots behind them, a payout is signed anew and lands twice',
  async () => {
    const kind = /on chain [2-9] times/
    expect(await findings(without(storedBytes, oneLiveSlot), kind)).toContainEqual(expect.stringMatching(kind))
  },
  TIMEOUT_MS,
)

it(
  'without the fence, and the index of live slots behind it, a paused worker comes back and pays again',
  async () => {
    const kind = /on chain [2-9] times/
    expect(await findings(without(fencing, oneLiveSlot), kind, 0.03)).toContainEqual(expect.stringMatching(kind))
  },
  TIMEOUT_MS,
)

it(
  'without reading a deposit again, one that a reorg took away is paid for',
  async () => {
    const kind = /counts and is not on chain|the books say/
    expect(await findings(without(confirmationReading), kind)).toContainEqual(expect.stringMatching(kind))
  },
  TIMEOUT_MS,
)
