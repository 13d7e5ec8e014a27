/** A node that is down neither replaces a hold by a check or an operator nor starts the give-up clock. */
import { type ChainAdapter, type Purpose, RetryLater } from '@causeway/core'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { haltCauses, holdOf, holdWords, releaseWords, screenerBy } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import type { Queries } from '../../store/db/database.ts'
import { haltWallet } from '../../store/limits/halts.ts'
import { setLimit, setSwitch } from '../../store/limits/safeguards.ts'
import { readOpenHold } from '../../store/payouts/holds.ts'
import { readPayout } from '../../store/payouts/payouts.ts'
import { holdReorged } from '../../store/payouts/reorged-payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { mayPayByRecord, withoutSlot } from '../checks/gate.ts'
import { haltWalletForShortfall } from '../reconciliation/halt.ts'
import { applyEvent } from '../swap/advance.ts'
import { pay } from './pay.ts'
import { settle } from './retry.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 6
const LOOK_MS = 60_001

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
})
afterEach(() => hand.stop())

const adapter = (): ChainAdapter => chainOf(hand.services.chains, TO)

async function outputs(...amounts: string[]): Promise<PayoutRow[]> {
  const swaps = []
  for (const amount of amounts) swaps.push(await hand.swap(FROM, TO, { amount }))
  for (const swap of swaps) hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  return Promise.all(
    swaps.map(({ view }) =>
      hand.services.database
        .selectFrom('payout')
        .selectAll()
        .where('swap_id', '=', view.swap.id)
        .where('kind', '=', 'output')
        .executeTakeFirstOrThrow(),
    ),
  )
}

async function output(): Promise<PayoutRow> {
  const [one] = await outputs('50')
  if (!one) throw new Error('none')
  return one
}

const rowOf = async (id: string) => (await readPayout(hand.services.database, id)) as PayoutRow
const idOf = async (id: string) => (await readOpenHold(hand.services.database, id))?.id

/** Runs the work while no node can read the wallet's history. */
async function withoutHistory<T>(work: () => Promise<T>): Promise<T> {
  const { balances } = adapter()
  Object.assign(adapter(), { balances: () => Promise.reject(new RetryLater('no node answers')) })
  try {
    return await work()
  } finally {
    Object.assign(adapter(), { balances })
  }
}

function listing(reasonFor: () => string | null, address: string): void {
  Object.assign(hand.services, {
    screener: screenerBy((suspect) => (suspect === address ? reasonFor() : null)),
  })
}

async function shortBy(queries: Queries, units: bigint, block: bigint): Promise<void> {
  const token = hand.services.catalogue.network(TO).nativeToken
  await haltWalletForShortfall(hand.services, queries, token, adapter().treasury, { units, block, isFinal: true })
}

test('a hold keeps its id when a node is down for a moment', async () => {
  await setLimit(hand.services.database, 'approval_above', 'service', 1n)
  const { id } = await output()
  await pay(hand.services, id)
  const shown = await idOf(id)
  hand.passTime(LOOK_MS)
  await withoutHistory(() => pay(hand.services, id))
  await pay(hand.services, id)
  expect(await holdOf(hand.services.database, id)).toMatchObject({ code: 'approval_needed' })
  expect(await idOf(id)).toBe(shown)
})

test('an answer can be given although a node was down in between', async () => {
  const { database: db } = hand.services
  await setLimit(db, 'approval_above', 'service', 1n)
  const { id } = await output()
  await pay(hand.services, id)
  const words = await holdWords(db, id)
  hand.passTime(LOOK_MS)
  await withoutHistory(() => pay(hand.services, id))
  // The first or the second operator's answer is accepted: the objection is still the same.
  await expect(admin(hand.services, 'payout', 'approve', ...words)).resolves.toBeDefined()
})

test('a payout that waits for an approval is not given up because a node is down', async () => {
  await setLimit(hand.services.database, 'approval_above', 'service', 1n)
  const { id } = await output()
  await pay(hand.services, id)
  expect(await holdOf(hand.services.database, id)).toMatchObject({ code: 'approval_needed' })
  await withoutHistory(async () => {
    hand.passTime(LOOK_MS)
    await pay(hand.services, id)
    hand.passTime(hand.services.config.payoutGiveUpMs + 1000)
    await pay(hand.services, id)
  })
  expect((await rowOf(id)).state).toBe('open')
})

test('a payout to a screened address is not refunded because a node is down', async () => {
  const { id, to_address } = await output()
  listing(() => 'sanctioned', to_address)
  await pay(hand.services, id)
  expect(await holdOf(hand.services.database, id)).toMatchObject({ code: 'screened' })
  await withoutHistory(async () => {
    hand.passTime(LOOK_MS)
    await pay(hand.services, id)
    hand.passTime(hand.services.config.payoutGiveUpMs + 1000)
    await pay(hand.services, id)
  })
  // The node is back.
  const { swap_id } = await rowOf(id)
  hand.passTime(LOOK_MS)
  await hand.services.refresh()
  await applyEvent(hand.services, swap_id ?? '', { type: 'tick' })
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  await hand.runJobs()
  const all = await hand.services.database.selectFrom('payout').select(['kind', 'state', 'started']).execute()
  expect(all).toEqual([{ kind: 'output', state: 'open', started: false }])
})

test('a paused payout is not given up because a node is down', async () => {
  const { database: db } = hand.services
  await setSwitch(db, { scope: 'service', stops_swaps: true, stops_payouts: true, reason: 'an incident' })
  const { id } = await output()
  await pay(hand.services, id)
  expect(await holdOf(db, id)).toMatchObject({ code: 'paused' })
  await withoutHistory(async () => {
    hand.passTime(LOOK_MS)
    await pay(hand.services, id)
    hand.passTime(hand.services.config.payoutGiveUpMs + 1000)
    await pay(hand.services, id)
  })
  expect((await rowOf(id)).state).toBe('open')
})

test('a payout of a halted wallet is not given up because a node is down', async () => {
  const { treasury } = adapter()
  await admin(
    hand.services,
    'wallet',
    'halt',
    '--network',
    TO,
    '--wallet',
    treasury,
    '--reason',
    'the key may have leaked',
  )
  const { id } = await output()
  await pay(hand.services, id)
  expect(await holdOf(hand.services.database, id)).toMatchObject({ code: 'wallet_halted' })
  await withoutHistory(async () => {
    await pay(hand.services, id)
    hand.passTime(hand.services.config.payoutGiveUpMs + 1000)
    await pay(hand.services, id)
  })
  expect((await rowOf(id)).state).toBe('open')
})

test('the gate stops a payout that a reorg removed after its job had read it', async () => {
  const payout = await output()
  const { database: db, now } = hand.services
  await holdReorged(db, payout, { usedBy: null, block: { number: 1n, hash: 'x' }, reason: 'reorged' } as never, now())
  const objections = async (purpose: Purpose) =>
    (await mayPayByRecord(hand.services, db, [withoutSlot(payout)], purpose)).get(payout.id)?.map(({ code }) => code)
  expect(await objections('new')).toEqual(['reorged'])
  expect(await objections('bump')).toBeUndefined()
})

test('a payout that the wallet can pay does not starve behind a larger one that it cannot', async () => {
  const [large, small] = await outputs('500', '50')
  if (!large || !small) throw new Error('none')
  const { contract } = hand.services.catalogue.token(TO, large.token)
  const chain = hand.chain(TO)
  const { treasury } = adapter()
  const left = (units: bigint) => chain.mint(treasury, contract, units - chain.balance(treasury, contract))
  left(0n)
  await pay(hand.services, large.id)
  await pay(hand.services, small.id)
  expect(await holdOf(hand.services.database, small.id)).toEqual({ code: 'trouble', error: 'TreasuryShort' })
  left(small.units * 2n)
  await hand.services.refresh()
  const tried: string[] = []
  // Runs the jobs as a worker does in one lane: the first due one first.
  await pay(hand.services, large.id)
  for (let round = 0; round < 20 && !(await rowOf(small.id)).started; round++) {
    const { rows } = await sql<{ id: string }>`select replace(key, 'pay:', '') as id from graphile_worker.jobs
      where key like 'pay:%' order by priority, run_at, id limit 1`.execute(hand.services.database)
    const next = rows[0]?.id ?? ''
    await sql`select graphile_worker.remove_job(${`pay:${next}`})`.execute(hand.services.database)
    tried.push(next === large.id ? 'large' : 'small')
    hand.passTime(10_000)
    await pay(hand.services, next)
  }
  expect(tried).toContain('small')
  expect((await rowOf(small.id)).started).toBe(true)
})

test('a late failure of a reorged payout blocks no other payout of the wallet', async () => {
  const [reorged, other] = await outputs('50', '50')
  if (!reorged || !other) throw new Error('none')
  const { database: db, now } = hand.services
  await holdReorged(db, reorged, { usedBy: null, block: { number: 1n, hash: 'x' }, reason: 'reorged' } as never, now())
  expect((await rowOf(reorged.id)).held_by).toBe('undone')
  // The payout's job had read it before, and a node rejected its bytes.
  const trouble = { code: 'trouble', error: 'RetryLater' } as const
  await settle(hand.services, reorged, { step: 'wait', hold: trouble, detail: 'no node answers' })
  expect(await holdOf(db, reorged.id)).toMatchObject({ code: 'payout_reorged' })
  await pay(hand.services, other.id)
  const outcome = await readOpenHold(db, other.id)
  hand.passTime(hand.services.config.payoutGiveUpMs + 1000)
  await pay(hand.services, other.id)
  const { started, state } = await rowOf(other.id)
  expect([started, state, outcome?.detail ?? null]).toEqual([true, 'open', null])
})

test('a release is refused if more is found missing meanwhile', async () => {
  const { database: db } = hand.services
  await shortBy(db, 5n, 1n)
  const words = await releaseWords(db, TO, adapter().treasury)
  let release: Promise<unknown> = Promise.resolve()
  await db.transaction().execute(async (queries) => {
    await shortBy(queries, 9n, 2n)
    release = admin(hand.services, 'wallet', 'release', ...words, '--accept', '5').then(
      () => 'released',
      (error: unknown) => String(error),
    )
    await eventually(async () => {
      const blocked = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return (await blocked.execute(db)).rows.length > 0
    }, 'the other one waits for the lock')
  })
  expect(await release).not.toBe('released')
  const causes = await haltCauses(db)
  expect(causes.flat()).toMatchObject([{ code: 'shortfall', units: '9' }])
  const accepted = await db.selectFrom('ledger_entry').selectAll().where('reason', '=', 'difference accepted').execute()
  expect(accepted).toEqual([])
})

test('a release that names one of two causes is refused', async () => {
  const { database: db, now } = hand.services
  const place = { network: TO, account: adapter().treasury }
  await shortBy(db, 5n, 1n)
  const words = await releaseWords(db, TO, adapter().treasury)
  await haltWallet(db, place, { code: 'unknown_outflow', network: TO, txHash: '0x1', count: 1 }, now())
  const said = await admin(hand.services, 'wallet', 'release', ...words, '--accept', '5').catch(String)
  expect(String(said)).toContain('nothing is released')
  expect((await haltCauses(db)).flat()).toHaveLength(2)
})
