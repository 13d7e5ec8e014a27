/**
 * Payouts of one wallet that wait together are begun together, and transactions that a crash left unsent go out first.
 */

import { type ChainAdapter, RetryLater } from '@causeway/core'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { holdOf, reasonOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { SignerRefusal } from '../../keys/backends/refusal.ts'
import { clearLimit, clearSwitch, setLimit, setSwitch } from '../../store/limits/safeguards.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { requeueMissingJobs } from '../run/requeue.ts'
import { pay } from './pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})
let healthy: ChainAdapter
beforeEach(() => {
  healthy = { ...adapter() }
})
afterEach(async () => {
  meddle(healthy)
  await clearLimit(hand.services.database, 'hourly_outflow', `network:${TO}`)
  hand.chain(TO).blocked.clear()
  hand.passTime(60_000)
  await hand.runJobs()
})

function adapter(): ChainAdapter {
  return chainOf(hand.services.chains, TO)
}

/** Creates swaps with credited deposits, whose outputs wait for their first job. */
async function owed(count: number): Promise<CreatedSwap[]> {
  const swaps: CreatedSwap[] = []
  for (let made = 0; made < count; made++) swaps.push(await hand.swap(FROM, TO))
  for (const swap of swaps) hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  return swaps
}

async function payoutOf({ view }: CreatedSwap) {
  return hand.services.database
    .selectFrom('payout')
    .select(['id', 'started'])
    .where('swap_id', '=', view.swap.id)
    .where('kind', '=', 'output')
    .executeTakeFirstOrThrow()
}

const heldFor = async (swap: CreatedSwap) => holdOf(hand.services.database, (await payoutOf(swap)).id)

async function slotsOf(swaps: CreatedSwap[]): Promise<string[]> {
  const rows = await attemptsOf(swaps).select('slot.parts').execute()
  return rows.map(({ parts }) => parts.join())
}

/** The hashes of the signed transactions, in the order of their slots. */
async function signedFor(swaps: CreatedSwap[]): Promise<string[]> {
  return (await attemptsOf(swaps).select('attempt.hash').execute()).map(({ hash }) => hash)
}

function attemptsOf(swaps: CreatedSwap[]) {
  return hand.services.database
    .selectFrom('payout')
    .innerJoin('slot_payout', 'payout_id', 'payout.id')
    .innerJoin('slot', 'slot.id', 'slot_payout.slot_id')
    .innerJoin('attempt', 'attempt.slot_id', 'slot.id')
    .where(
      'swap_id',
      'in',
      swaps.map(({ view }) => view.swap.id),
    )
    .orderBy('slot.id')
}

function paidNow(swaps: CreatedSwap[]): number {
  hand.chain(TO).mine(1)
  return swaps.filter(({ view: { swap } }) => {
    const held = hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)
    return held === swap.quote?.receiveUnits
  }).length
}

/** Changes what the destination's adapter does, to simulate a fault. */
function meddle(change: Partial<ChainAdapter>): void {
  Object.assign(adapter(), change)
}

async function firstJob(swaps: CreatedSwap[]): Promise<void> {
  const [first] = swaps
  if (first) await pay(hand.services, (await payoutOf(first)).id)
}

test('payouts begun together stay within the outflow limit', async () => {
  // The first of these tests: nothing has gone out yet.
  const swaps = await owed(3)
  // Each is worth almost fifty dollars.
  await setLimit(hand.services.database, 'hourly_outflow', `network:${TO}`, 120n * 10n ** 18n)
  await firstJob(swaps)
  expect(paidNow(swaps)).toBe(2)
  await hand.runJobs()
  expect(paidNow(swaps)).toBe(2)
})

test('one job begins all payouts that wait for the wallet, each in its own slot', async () => {
  const swaps = await owed(4)
  await firstJob(swaps)
  expect(paidNow(swaps)).toBe(4)
  expect(new Set(await slotsOf(swaps)).size).toBe(4)
})

test('a payout that cannot be paid does not block the others', async () => {
  const swaps = await owed(3)
  const refused = swaps[1]?.view.swap.destinationAddress ?? ''
  hand.chain(TO).blocked.add(refused)
  await firstJob(swaps)
  expect(paidNow(swaps)).toBe(2)
})

test('signed transactions that were not sent go out first, in the order of their slots', async () => {
  const swaps = await owed(3)
  meddle({ broadcast: () => Promise.reject(new RetryLater('the process dies here')) })
  await firstJob(swaps)
  expect(paidNow(swaps)).toBe(0)
  const before = await signedFor(swaps)
  const sent: string[] = []
  meddle({
    broadcast: async (signed) => {
      sent.push(signed.hash)
      await healthy.broadcast(signed)
    },
  })
  const later = await owed(1)
  await firstJob(later)
  // The first payout's own job has failed and may run long after this one.
  expect(sent.slice(0, 3)).toEqual(before)
  expect(paidNow([...swaps, ...later])).toBe(4)
  expect(await signedFor(swaps)).toEqual(before)
})

test('a transaction that no node accepted is resent by later jobs, but not by each of them', async () => {
  const [first, second] = await owed(2)
  if (!first || !second) throw new Error('two swaps were made')
  let wedged: string | null = null
  const offered: string[] = []
  meddle({
    broadcast: async (signed) => {
      wedged ??= signed.hash
      offered.push(signed.hash)
      if (signed.hash === wedged) throw new RetryLater('refused at first')
      await healthy.broadcast(signed)
    },
  })
  await firstJob([first])
  const [own, behind] = await signedFor([first, second])
  expect(offered).toEqual([own, behind])
  // The second payout is in flight. Its job resumes the first, which has the lower slot, at most once a second.
  const { id } = await payoutOf(second)
  for (let job = 0; job < 3; job++) await pay(hand.services, id)
  expect(offered).toEqual([own, behind, own])
  hand.passTime(1_000)
  meddle({ broadcast: healthy.broadcast })
  await pay(hand.services, id)
  expect(paidNow([first, second])).toBe(2)
})

test('requeueing leaves a waiting job in its place', async () => {
  const [only] = await owed(1)
  if (!only) throw new Error('a swap was made')
  const runAt = () =>
    sql<{ run_at: Date }>`select run_at from graphile_worker._private_jobs where key = ${`pay:${id}`}`
      .execute(hand.services.database)
      .then(({ rows }) => rows[0]?.run_at)
  const { id } = await payoutOf(only)
  const before = await runAt()
  hand.passTime(60_000)
  await requeueMissingJobs(hand.services)
  expect(await runAt()).toEqual(before)
})

test('a slot allocated before a pause and not signed is released, and signed for when the pause is over', async () => {
  const swaps = await owed(1)
  const [only] = swaps
  if (!only) throw new Error('a swap was made')
  meddle({ sign: () => Promise.reject(new RetryLater('the process dies here')) })
  await firstJob(swaps)
  expect((await payoutOf(only)).started).toBe(true)
  meddle(healthy)
  await setSwitch(hand.services.database, {
    scope: 'service',
    stops_swaps: true,
    stops_payouts: true,
    reason: 'a look',
  })
  await firstJob(swaps)
  expect(await payoutOf(only)).toMatchObject({ started: false })
  expect(await heldFor(only)).toEqual({ code: 'paused', scope: 'service', note: 'a look' })
  expect(await signedFor(swaps)).toEqual([])
  await clearSwitch(hand.services.database, 'service')
  await firstJob(swaps)
  expect(paidNow(swaps)).toBe(1)
})

test('a slot in which the signer refuses to sign is released, and blocks no other payout', async () => {
  const swaps = await owed(3)
  const refused = swaps[0]?.view.swap.destinationAddress
  meddle({
    sign: async (order, slot, draft) => {
      if (order.kind === 'transfers' && order.transfers.some(({ to }) => to === refused))
        throw new SignerRefusal('not that one')
      return healthy.sign(order, slot, draft)
    },
  })
  await firstJob(swaps)
  const [first] = swaps
  expect(first && (await payoutOf(first))).toMatchObject({ started: false })
  expect(first && (await heldFor(first))).toEqual({ code: 'signer_refused', refusal: 'policy' })
  expect(first && (await reasonOf(hand.services.database, (await payoutOf(first)).id))).toContain('not that one')
  const [next] = await owed(1)
  if (next) await pay(hand.services, (await payoutOf(next)).id)
  hand.chain(TO).mine(1)
  expect(paidNow([...swaps, ...(next ? [next] : [])])).toBe(3)
})

test('a payout that a rule held for a long time is not given up at the first trouble afterwards', async () => {
  const swaps = await owed(1)
  const scope = `network:${TO}` as const
  await setSwitch(hand.services.database, { scope, stops_swaps: false, stops_payouts: true, reason: 'a look' })
  await firstJob(swaps)
  hand.passTime(hand.services.config.payoutGiveUpMs + 60_000)
  await clearSwitch(hand.services.database, scope)
  meddle({ prepare: () => Promise.reject(new RetryLater('the node is down')) })
  await firstJob(swaps)
  meddle(healthy)
  await firstJob(swaps)
  expect(paidNow(swaps)).toBe(1)
})
