/**
 * The database goes back in time under load, in the ways that real ones do. The signing journal does not. Signing stops without a
 * person, no recipient is paid twice or for another person's deposit, and after the operator's restore everything known is paid.
 * A failover that loses nothing stops nothing.
 */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FailingCluster, startFailingCluster } from '../../support/database/failing-cluster.ts'
import { ended, serve } from '../../support/processes/crashing.ts'
import { openUsers, SLOW_MS, type Users } from '../../support/processes/users.ts'
import { startWorld, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { addOperator, type Operator } from '../../support/service/operator-restore.ts'

const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'ARBITRUM_SEPOLIA'] as const

let cluster: FailingCluster
let world: World
let users: Users
let operator: Operator
let service: ReturnType<typeof superviseService>

beforeAll(async () => {
  cluster = await startFailingCluster()
  const journal = mkdtempSync(path.join(tmpdir(), 'causeway-rollback-'))
  const env = { STUCK_AFTER_SECONDS: '3', JOURNAL_FOLDER: journal }
  const database = async () => ({ url: cluster.url, stop: async () => undefined })
  world = await startWorld(env, false, [FROM, TO], undefined, database)
  users = openUsers(world, FROM, TO)
  operator = await addOperator(world.sandbox.env)
  service = superviseService()
  await users.pay(0)
}, SLOW_MS * 2)
afterAll(async () => {
  await service?.stop()
  await world?.stop()
  await cluster?.stop()
}, SLOW_MS)

/** Starts the service again whenever it ends, as a supervisor does. */
function superviseService() {
  let isOver = false
  let child: ChildProcess | null = null
  const run = async () => {
    while (!isOver) {
      child = await serve(world).catch(() => null)
      if (child) await ended(child)
    }
  }
  const running = run()
  return {
    async stop() {
      isOver = true
      child?.kill('SIGKILL')
      await running
    },
  }
}

const stateOf = async () => (await cluster.query<{ state: string }>('select state from journal'))[0]?.state

/** Counts of all processes: each heartbeat adds one. */
const countOf = async () =>
  Number((await cluster.query<{ sum: string }>('select coalesce(sum(n), 0) as sum from writer'))[0]?.sum)

/** The journal has seen what the database has now. */
async function untilCompared(): Promise<void> {
  const before = await countOf()
  await eventually(async () => (await countOf()) > before + 2, 'three heartbeats', SLOW_MS)
}

const knownIds = async () => (await cluster.query<{ id: string }>('select id from swap')).map(({ id }) => id)

async function expectStopped(): Promise<void> {
  await eventually(async () => (await stateOf()) === 'rolled_back', 'signing to stop', SLOW_MS)
  // Refused because signing is stopped, or because the start found our own transactions that the database has forgotten.
  await eventually(async () => {
    const { status } = await world.client.post('/api/v2/swaps', {
      ...{ source_network: FROM, source_token: 'ETH', destination_network: TO, destination_token: 'USDC' },
      ...{ destination_address: world.stranger(), amount: 0.01 },
    })
    expect(status).toBeGreaterThanOrEqual(400)
    return true
  }, 'new swaps to be refused')
  await users.expectPaidOnce()
}

/** The operator restores. Then swaps that the database knows are paid, and so is a new one. */
async function expectResumed(): Promise<void> {
  const printed = await operator.restore()
  await eventually(async () => (await stateOf()) === 'running', `signing to resume after ${printed}`, SLOW_MS)
  await users.pay(0)
  await users.expectPaid(await knownIds())
}

/** Users swap before and after the moment to which the database goes back. */
async function rollBackUnderLoad(remember: () => Promise<() => Promise<void>>): Promise<void> {
  const load = users.start()
  await load.untilPaid(1)
  const goBack = await remember()
  await load.untilPaid(2)
  await goBack()
  await expectStopped()
  await load.end()
  await expectResumed()
}

it(
  'a dump that is restored into the running cluster stops signing',
  () => rollBackUnderLoad(() => cluster.dump()),
  SLOW_MS * 3,
)

it('an older copy of the files stops signing', () => rollBackUnderLoad(() => cluster.snapshot()), SLOW_MS * 3)

it(
  'an asynchronous standby that is promoted seconds behind stops signing',
  () =>
    rollBackUnderLoad(async () => {
      const standby = await cluster.addStandby(false)
      await standby.freeze()
      return () => standby.promote()
    }),
  SLOW_MS * 3,
)

it(
  'a gap without signatures stops signing; a deposit of a lost swap pays for no other swap',
  async () => {
    const goBack = await cluster.snapshot()
    const [byReference, byAddress] = await Promise.all([
      eventually(() => users.create(), 'a swap', SLOW_MS),
      eventually(() => users.create({ use_deposit_address: true }), 'a swap with an address', SLOW_MS),
    ])
    await untilCompared()
    await goBack()
    await expectStopped()
    await expectResumed()
    expect(await knownIds()).not.toContain(byReference.swap.id)
    // Others get references and addresses now. None of them has a deposit.
    for (const use_deposit_address of [false, true, false, true]) {
      await eventually(() => users.create({ use_deposit_address }), 'a swap of another user', SLOW_MS)
    }
    const hashes = [await users.deposit(byReference, 1), await users.deposit(byAddress, 2)]
    const unmatched = `select id from deposit where swap_id is null and tx_hash in ('${hashes.join("', '")}')`
    await eventually(async () => (await cluster.query(unmatched)).length === 2, 'both deposits, unmatched', SLOW_MS)
    await users.pay(0)
    await users.expectPaid(await knownIds())
  },
  SLOW_MS * 3,
)

it(
  'a synchronous standby that is promoted stops nothing: all are paid, once, without a person',
  async () => {
    const standby = await cluster.addStandby(true)
    const earlier = new Set(users.ids())
    const load = users.start()
    await load.untilPaid(1)
    await standby.promote()
    await load.untilPaid(2)
    await load.end()
    const ids = users.ids().filter((id) => !earlier.has(id))
    expect(await knownIds()).toEqual(expect.arrayContaining(ids))
    await users.expectPaid(ids)
    expect(await stateOf()).toBe('running')
  },
  SLOW_MS * 3,
)
