/**
 * The database goes back in time under load, as real ones do. The signing journal does not. Signing stops without a person, no
 * recipient is paid twice, and after the operator's restore new swaps are paid.
 */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FailingCluster, startFailingCluster } from '../../support/database/failing-cluster.ts'
import { ended, serve } from '../../support/processes/crashing.ts'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'
import { addOperator, type Operator } from '../../support/service/operator-restore.ts'

const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'ARBITRUM_SEPOLIA'] as const
/** Users at once, each with a wallet of their own. */
const USERS = 3
/** A restart of the service on two busy cores. */
const SLOW_MS = 120_000

let cluster: FailingCluster
let world: World
let operator: Operator
let service: ReturnType<typeof superviseService>
const swaps: { recipient: string; units: bigint; isKnown: boolean }[] = []

beforeAll(async () => {
  cluster = await startFailingCluster()
  const journal = mkdtempSync(path.join(tmpdir(), 'causeway-rollback-'))
  const env = { STUCK_AFTER_SECONDS: '3', JOURNAL_FOLDER: journal }
  const database = async () => ({ url: cluster.url, stop: async () => undefined })
  world = await startWorld(env, false, [FROM, TO], undefined, database)
  operator = await addOperator(world.sandbox.env)
  service = superviseService()
  await pay(0)
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

/** Creates a swap; null while the service accepts none. */
async function create(recipient: string): Promise<WireSwap | null> {
  const asked = {
    ...{ source_network: FROM, source_token: 'ETH', destination_network: TO, destination_token: 'USDC' },
    ...{ destination_address: recipient, amount: 0.01 },
  }
  return world.client.create(asked).catch(() => null)
}

/** One user: a swap and its deposit. Waits for the payout unless the service is stopped meanwhile. */
async function pay(user: number, isOver: () => boolean = () => false): Promise<void> {
  const usdc = world.token(TO, 'USDC')
  const recipient = world.stranger()
  const swap = await eventually(async () => (isOver() ? 'over' : await create(recipient)), 'a swap', SLOW_MS)
  if (swap === 'over') return
  const record = { recipient, units: unitsOf(swap.quote.receive_amount, usdc), isKnown: false }
  swaps.push(record)
  await world.deposit(world.token(FROM, 'ETH'), actionOf(swap), { account: user })
  await eventually(async () => isOver() || (await world.balance(usdc, recipient)) > 0n, 'the payout', SLOW_MS)
}

/** Users who pay again and again until the returned function is called. `paid` resolves when that many more are paid. */
function startLoad() {
  let isOver = false
  let paid = 0
  const users = Array.from({ length: USERS }, async (_, user) => {
    while (!isOver) {
      await pay(user, () => isOver)
      paid++
    }
  })
  return {
    async untilPaid(more: number) {
      const wanted = paid + more
      await eventually(async () => paid >= wanted, `${more} payouts`, SLOW_MS)
    },
    async end() {
      isOver = true
      await Promise.all(users)
    },
  }
}

/** No recipient has more than its one payout. */
async function expectPaidOnce(): Promise<void> {
  const usdc = world.token(TO, 'USDC')
  for (const { recipient, units, isKnown } of swaps) {
    const balance = await world.balance(usdc, recipient)
    if (isKnown) expect(balance).toBe(units)
    else expect([0n, units]).toContain(balance)
  }
}

/** Swaps that are paid by now are in every backup from now on. */
async function settleKnown(): Promise<void> {
  const usdc = world.token(TO, 'USDC')
  for (const swap of swaps) {
    swap.isKnown ||= (await world.balance(usdc, swap.recipient)) > 0n
  }
}

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
  await expectPaidOnce()
}

/** The operator restores, and a new swap is paid. */
async function expectResumed(): Promise<void> {
  const printed = await operator.restore()
  await eventually(async () => (await stateOf()) === 'running', `signing to resume after ${printed}`, SLOW_MS)
  await pay(0)
  await expectPaidOnce()
}

it(
  'a dump that is restored into the running cluster stops signing',
  async () => {
    await settleKnown()
    const load = startLoad()
    await load.untilPaid(2)
    const restore = await cluster.dump()
    await load.untilPaid(3)
    await load.end()
    await restore()
    await expectStopped()
    await expectResumed()
  },
  SLOW_MS * 3,
)
