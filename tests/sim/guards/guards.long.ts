/**
 * Every guard is needed: without it the simulator finds money that was paid twice, credited twice or lost, and with all
 * guards the same seed is clean. If two guards are redundant, each alone is enough, and both must be removed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from '../world/database.ts'
import {
  depositIdentity,
  depositInspection,
  fencing,
  limits,
  noSlotReuse,
  oneLiveSlot,
  onePayout,
  oneSettlement,
  ownRecord,
  screening,
  storedBytes,
  switches,
} from './guards.ts'
import { type Case, search, seedThatNeeds } from './needed.ts'

/** For a dozen seeds and their controls. */
const TIMEOUT_MS = 900_000
/** For runs with paused processes. */
const OFTEN = 0.03

const PAID_TWICE = /on chain [2-9] times/
const SECOND_SLOT = 'a payout has another slot'

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())

async function expectNeeded(wanted: Case, kind: RegExp): Promise<void> {
  expect(await seedThatNeeds(cluster, wanted, kind)).toBeGreaterThan(0)
}

describe('each of these guards is needed', { timeout: TIMEOUT_MS }, () => {
  it('the identity of a deposit: it is credited more than once', () =>
    expectNeeded({ missing: [depositIdentity] }, /credited [2-9] times/))

  it('the rule for new slots: without it a missing transaction counts as failed, and is paid twice', () =>
    expectNeeded({ missing: [noSlotReuse] }, PAID_TWICE))

  it('the inspection of a deposit: without it a reorged deposit is paid out', () =>
    expectNeeded({ missing: [depositInspection], weights: { reorg: 6, resend: 0 } }, /counts and is not on chain/))
})

describe('each of these operator rules is needed', { timeout: TIMEOUT_MS }, () => {
  it.each([
    { name: 'switches', missing: [switches], kind: /while it was paused/, weights: { halt: 3 } },
    { name: 'limits', missing: [limits], kind: /although nobody had approved it/ },
    {
      name: 'screening',
      missing: [screening],
      kind: /for somebody on the list|a swap was made to/,
      weights: { list: 3 },
    },
  ])('$name', ({ kind, name: _, ...wanted }) => expectNeeded(wanted, kind))
})

describe('the index of live slots backs up the stored bytes and the fencing token', { timeout: TIMEOUT_MS }, () => {
  const cases = [
    { name: 'the stored bytes', missing: [storedBytes] },
    { name: 'the fence', missing: [fencing], freeze: OFTEN, weights: { freeLocks: 8, job: 50 } },
  ]

  it.each(cases)(
    'without $name it rejects the second slot, and no one is paid twice',
    async ({ name: _, ...wanted }) => {
      const { problems } = await search(cluster, wanted, ({ refusals }) => refusals.has(SECOND_SLOT))
      expect(problems.filter((what) => PAID_TWICE.test(what))).toEqual([])
    },
  )

  it.each(cases)('without $name and without it, a payout lands twice', ({ missing, name: _, ...wanted }) =>
    expectNeeded({ ...wanted, missing: [...missing, oneLiveSlot] }, PAID_TWICE),
  )
})

describe('the constraints on payouts back up the record of orders', { timeout: TIMEOUT_MS }, () => {
  const BOTH = /an output and a refund stand/
  const TWO = /more than one output/

  it.each([
    { name: 'one of a kind refuses a second', missing: [ownRecord], kind: /duplicate key .* "payout_output"/ },
    {
      name: 'one settlement refuses a refund',
      missing: [ownRecord, onePayout],
      kind: /"payout_swap_id_settlement_fkey"/,
    },
  ])('without the record, $name', async ({ kind, name: _, ...wanted }) => {
    const { problems } = await search(cluster, wanted, (found) => found.problems.some((what) => kind.test(what)), kind)
    expect(problems.filter((what) => BOTH.test(what))).toEqual([])
  })

  it('without the record and one of a kind, a swap is paid twice', () =>
    expectNeeded({ missing: [ownRecord, onePayout] }, TWO))

  it('without the record, one of a kind and one settlement, a swap is delivered and refunded', () =>
    expectNeeded({ missing: [ownRecord, onePayout, oneSettlement] }, BOTH))
})
