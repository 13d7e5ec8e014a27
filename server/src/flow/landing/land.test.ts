/**
 * A payout that is confirmed but not final may be removed by a reorg: it is watched until it is final, and paid again
 * if needed.
 */
import { type PayoutKind, RetryLater } from '@causeway/core'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { readPayout } from '../../store/payouts/payouts.ts'
import { liveSlot } from '../../store/payouts/slot-records.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { sweepAddresses } from '../kinds/sweep.ts'
import { pay } from '../payouts/pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
/** Confirmations for a small amount, for a large one, and for finality. */
const TIER = 2
const LARGE_TIER = 5
const FINAL = 6
/** Longer than a node needs to show a transaction that it was sent. */
const A_MOMENT_MS = 6_000
const STUCK_MS = 60_000

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url, { STUCK_AFTER_SECONDS: `${STUCK_MS / 1000}` })
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

/** A swap whose deposit is credited and whose output is sent. */
async function paid(options: { useDepositAddress?: boolean } = {}): Promise<CreatedSwap> {
  const swap = await hand.swap(FROM, TO, options)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  await hand.runJobs()
  return swap
}

async function mineAndWatch(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

async function statusOf({ view }: CreatedSwap): Promise<string> {
  const { id } = view.swap
  return (
    await hand.services.database.selectFrom('swap').select('status').where('id', '=', id).executeTakeFirstOrThrow()
  ).status
}

/** The slots that a payout of this kind had, oldest first, with the number of signatures in each. */
function slotsOf(kind: PayoutKind, swap: CreatedSwap | null) {
  let query = hand.services.database
    .selectFrom('payout')
    .innerJoin('slot_payout', 'payout_id', 'payout.id')
    .innerJoin('slot', 'slot.id', 'slot_id')
    .leftJoin('attempt', 'attempt.slot_id', 'slot.id')
    .select((eb) => ['slot.state', eb.fn.count('attempt.hash').as('signed')])
    .where('kind', '=', kind)
    .groupBy(['slot.id', 'slot.state'])
    .orderBy('slot.id')
  if (swap) query = query.where('swap_id', '=', swap.view.swap.id)
  return query.execute()
}

async function outputOf({ view }: CreatedSwap): Promise<string> {
  const found = hand.services.database.selectFrom('payout').select('id').where('kind', '=', 'output')
  return (await found.where('swap_id', '=', view.swap.id).executeTakeFirstOrThrow()).id
}

function received({ view: { swap } }: CreatedSwap): bigint {
  return hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)
}

test('a confirmed payout keeps its slot open until it is final', async () => {
  const swap = await paid()
  await mineAndWatch(TO, TIER)
  expect(await statusOf(swap)).toBe('completed')
  expect(await slotsOf('output', swap)).toEqual([{ state: 'open', signed: 1n }])
  await mineAndWatch(TO, FINAL - TIER)
  expect(await slotsOf('output', swap)).toEqual([{ state: 'landed', signed: 1n }])
})

test('a confirmed payout that a reorg dropped is sent again in its slot, and arrives once', async () => {
  const swap = await paid()
  await mineAndWatch(TO, TIER)
  expect(await statusOf(swap)).toBe('completed')
  hand.chain(TO).reorg(TIER, 'dropped')
  expect(received(swap)).toBe(0n)
  hand.passTime(A_MOMENT_MS)
  await hand.watch(TO)
  await hand.runJobs()
  await mineAndWatch(TO, FINAL)
  expect(received(swap)).toBe(swap.view.swap.quote?.receiveUnits)
  expect(await slotsOf('output', swap)).toEqual([{ state: 'landed', signed: 1n }])
  expect(await statusOf(swap)).toBe('completed')
})

test('a payout that can neither be replaced nor found is resent unchanged', async () => {
  const swap = await paid()
  const { destinationAddress } = swap.view.swap
  const sent = hand.chain(TO).mempool.map(({ hash }) => hash)
  for (const hash of sent) hand.chain(TO).evict(hash)
  hand.chain(TO).blocked.add(destinationAddress)
  hand.passTime(STUCK_MS + A_MOMENT_MS)
  await hand.watch(TO)
  await hand.runJobs()
  expect(hand.chain(TO).mempool.map(({ hash }) => hash)).toEqual(sent)
  await mineAndWatch(TO, FINAL)
  expect(await slotsOf('output', swap)).toEqual([{ state: 'landed', signed: 1n }])
  const next = await paid()
  await mineAndWatch(TO, TIER)
  expect(await statusOf(next)).toBe('completed')
})

test('behind a stuck payout the others wait: only the first gets a fee bump', async () => {
  const [first, second] = [await paid(), await paid()]
  for (let round = 0; round < 2; round++) {
    hand.passTime(STUCK_MS + A_MOMENT_MS)
    await hand.watch(TO)
    await hand.runJobs()
  }
  expect(await slotsOf('output', first)).toEqual([{ state: 'open', signed: 3n }])
  expect(await slotsOf('output', second)).toEqual([{ state: 'open', signed: 1n }])
  await mineAndWatch(TO, FINAL)
  for (const swap of [first, second]) {
    expect(await statusOf(swap)).toBe('completed')
    expect(received(swap)).toBe(swap.view.swap.quote?.receiveUnits)
  }
})

test('a resend keeps its place in the queue, and the oldest one runs before new payouts', async () => {
  const sent = [await paid(), await paid()]
  const fresh = await hand.swap(FROM, TO)
  hand.deposit(fresh)
  await mineAndWatch(FROM, TIER)
  const jobs = (await Promise.all([...sent, fresh].map(outputOf))).map((id) => `pay:${id}`)
  const [first = '', second = '', begun = ''] = jobs
  // Jobs in the order in which workers take them.
  const lane = () =>
    hand.services.database
      .selectFrom(sql<{ key: string; run_at: Date; priority: number }>`graphile_worker.jobs`.as('job'))
      .select(['key', 'run_at'])
      .where('key', 'in', jobs)
      .orderBy('priority')
      .orderBy('run_at')
      .execute()
  for (const { hash } of [...hand.chain(TO).mempool]) hand.chain(TO).evict(hash)
  hand.passTime(STUCK_MS + A_MOMENT_MS)
  await hand.watch(TO)
  const asked = await lane()
  expect(asked.map(({ key }) => key)).toEqual([first, begun, second])
  // Each new head requests the job again.
  await mineAndWatch(TO, 1)
  expect(await lane()).toEqual(asked)
  await hand.runJobs()
  await mineAndWatch(TO, FINAL)
  for (const swap of [...sent, fresh]) expect(received(swap)).toBe(swap.view.swap.quote?.receiveUnits)
})

test('a replacement that was stored but not sent is sent by the next job', async () => {
  const swap = await paid()
  for (const { hash } of [...hand.chain(TO).mempool]) hand.chain(TO).evict(hash)
  hand.passTime(STUCK_MS + A_MOMENT_MS)
  Object.assign(hand.node(TO).faults, { on: ['send'], timeouts: 1 })
  await hand.watch(TO)
  await hand.runJobs()
  expect(await slotsOf('output', swap)).toEqual([{ state: 'open', signed: 2n }])
  expect(hand.chain(TO).mempool).toEqual([])
  hand.passTime(A_MOMENT_MS)
  await hand.watch(TO)
  await hand.runJobs()
  await mineAndWatch(TO, FINAL)
  expect(await slotsOf('output', swap)).toEqual([{ state: 'landed', signed: 2n }])
  expect(received(swap)).toBe(swap.view.swap.quote?.receiveUnits)
})

test('an attempt that is added while the chain is asked does not invalidate the slot', async () => {
  const swap = await paid()
  for (const { hash } of [...hand.chain(TO).mempool]) hand.chain(TO).evict(hash)
  hand.passTime(STUCK_MS + A_MOMENT_MS)
  const adapter = chainOf(hand.services.chains, TO)
  const { status } = adapter
  let isFirst = true
  // The status query is paused; meanwhile another worker signs a replacement, which is mined and becomes final.
  adapter.status = async (transfer, signedBefore) => {
    if (isFirst) {
      isFirst = false
      await pay(hand.services, await outputOf(swap))
      hand.chain(TO).mine(FINAL)
    }
    return status(transfer, signedBefore)
  }
  await hand.watch(TO)
  adapter.status = status
  await hand.runJobs()
  await mineAndWatch(TO, FINAL)
  expect(received(swap)).toBe(swap.view.swap.quote?.receiveUnits)
  expect(await slotsOf('output', swap)).toEqual([{ state: 'landed', signed: 2n }])
})

test('a sweep is booked when it is final, not before', async () => {
  await paid({ useDepositAddress: true })
  await sweepAddresses(hand.services)
  await hand.runJobs()
  const booked = () =>
    hand.services.database.selectFrom('ledger_entry').select('units').where('reason', '=', 'sweep').execute()
  await mineAndWatch(FROM, FINAL - 1)
  expect(await slotsOf('sweep', null)).toEqual([{ state: 'open', signed: 1n }])
  expect(await booked()).toEqual([])
  await mineAndWatch(FROM, 1)
  expect(await slotsOf('sweep', null)).toEqual([{ state: 'landed', signed: 1n }])
  expect(await booked()).toHaveLength(2)
})

test('payouts of one transaction wait for the confirmations of the most valuable one', async () => {
  await mineAndWatch(TO, FINAL)
  const [small, large] = [await hand.swap(FROM, TO), await hand.swap(FROM, TO, { amount: '500' })]
  for (const swap of [small, large]) hand.deposit(swap)
  await mineAndWatch(FROM, FINAL)
  const adapter = chainOf(hand.services.chains, TO)
  Object.assign(adapter, { batch: { maxTransfers: 10 } })
  await hand.runJobs()
  Object.assign(adapter, { batch: undefined })
  expect(hand.chain(TO).mempool.map(({ moves }) => moves.length)).toEqual([2])
  await mineAndWatch(TO, LARGE_TIER - 1)
  expect([await statusOf(small), await statusOf(large)]).toEqual(['ls_transfer_pending', 'ls_transfer_pending'])
  await mineAndWatch(TO, 1)
  expect([await statusOf(small), await statusOf(large)]).toEqual(['completed', 'completed'])
  await mineAndWatch(TO, FINAL)
})

test('a payout of a token without a price waits for the last tier', async () => {
  const swap = await paid()
  const { market } = hand.services
  const { price } = market
  market.price = (token) => (token.network === TO ? null : price(token))
  await mineAndWatch(TO, LARGE_TIER - 1)
  expect(await statusOf(swap)).toBe('ls_transfer_pending')
  market.price = price
  await mineAndWatch(TO, FINAL)
  expect(await statusOf(swap)).toBe('completed')
})

test('a slot that cannot be judged does not delay the others', async () => {
  const [poisoned, other] = [await paid(), await paid()]
  const adapter = chainOf(hand.services.chains, TO)
  const { status } = adapter
  const hash = (await liveSlot(hand.services.database, await outputOf(poisoned)))?.attempts[0]?.hash
  adapter.status = async (transfer, signedBefore) => {
    if (transfer.hash === hash) throw new TypeError('an answer that nobody foresaw')
    return status(transfer, signedBefore)
  }
  await mineAndWatch(TO, FINAL)
  expect([await statusOf(poisoned), await statusOf(other)]).toEqual(['ls_transfer_pending', 'completed'])
  adapter.status = status
  await mineAndWatch(TO, 1)
  expect(await statusOf(poisoned)).toBe('completed')
})

test('a payout with a slot is not given up, however long it fails', async () => {
  const swap = await paid({ useDepositAddress: true })
  await mineAndWatch(FROM, FINAL)
  await hand.services.refresh()
  const adapter = chainOf(hand.services.chains, FROM)
  const { broadcast, prepare } = adapter
  adapter.broadcast = () => Promise.reject(new RetryLater('the node is down'))
  await sweepAddresses(hand.services)
  await hand.runJobs()
  const deposits = hand.services.database.selectFrom('deposit').select('swept_by')
  const { swept_by } = await deposits.where('to_address', '=', swap.view.receiver).executeTakeFirstOrThrow()
  adapter.prepare = () => Promise.reject(new RetryLater('the node is down'))
  hand.passTime(hand.services.config.payoutGiveUpMs + STUCK_MS)
  if (swept_by) await pay(hand.services, swept_by)
  hand.passTime(hand.services.config.payoutGiveUpMs + STUCK_MS)
  if (swept_by) await pay(hand.services, swept_by)
  const sweep = await readPayout(hand.services.database, swept_by ?? '')
  expect(sweep).toMatchObject({ state: 'open', started: true, held_by: 'trouble' })
  Object.assign(adapter, { broadcast, prepare })
  if (swept_by) await pay(hand.services, swept_by)
  await mineAndWatch(FROM, FINAL)
  expect((await readPayout(hand.services.database, swept_by ?? ''))?.state).toBe('confirmed')
})
