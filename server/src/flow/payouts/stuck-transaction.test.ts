/**
 * A transaction that no node accepts does not block its wallet: its fee is bumped, and finally its slot is cancelled.
 */

import { type ChainAdapter, RetryLater } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { holdOf, holdWords, releaseWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { unbalancedPostings } from '../../store/ledger/ledger.ts'
import { haltWallet } from '../../store/limits/halts.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from './pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
const FINAL = 6
const STUCK_MS = 60_000
const GIVE_UP_MS = 3_600_000

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  hand = await startHand(await database.createDatabase(), {
    STUCK_AFTER_SECONDS: `${STUCK_MS / 1000}`,
    PAYOUT_GIVE_UP_SECONDS: `${GIVE_UP_MS / 1000}`,
  })
})
afterEach(() => hand.stop())

const adapter = (): ChainAdapter => chainOf(hand.services.chains, TO)
const meddle = (change: Partial<ChainAdapter>) => Object.assign(adapter(), change)
const alerts = async () => Number((await hand.services.metrics.alerts.get()).values[0]?.value ?? 0)

async function owed(): Promise<CreatedSwap> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  return swap
}

async function mineAndWatch(blocks: number): Promise<void> {
  hand.chain(TO).mine(blocks)
  await hand.watch(TO)
}

const heldFor = async (swap: CreatedSwap) => holdOf(hand.services.database, (await payoutOf(swap)).id)
const payoutOf = ({ view }: CreatedSwap) =>
  hand.services.database
    .selectFrom('payout')
    .selectAll()
    .where('swap_id', '=', view.swap.id)
    .where('kind', '=', 'output')
    .executeTakeFirstOrThrow()

/** All attempts in order, each with its slot. */
const attempts = () =>
  hand.services.database
    .selectFrom('attempt')
    .innerJoin('slot', 'slot.id', 'slot_id')
    .select(['slot.parts', 'slot.state', 'number', 'cancels', 'sent_at'])
    .orderBy('slot_id')
    .orderBy('number')
    .execute()

async function statusOf({ view }: CreatedSwap): Promise<string> {
  const swaps = hand.services.database.selectFrom('swap').select('status').where('id', '=', view.swap.id)
  return (await swaps.executeTakeFirstOrThrow()).status
}

const received = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)

/** Every node rejects transactions that pay this swap's recipient. */
function refuse({ view: { swap } }: CreatedSwap): void {
  const { broadcast } = adapter()
  meddle({
    broadcast: async (signed) => {
      if (signed.bytes.includes(swap.destinationAddress)) throw new RetryLater('the node does not like this address')
      await broadcast(signed)
    },
  })
}

async function later(ms: number, swap: CreatedSwap): Promise<void> {
  hand.passTime(ms)
  await hand.services.refresh()
  await mineAndWatch(1)
  await pay(hand.services, (await payoutOf(swap)).id)
  await hand.runJobs()
}

test('a transaction that every node rejects is replaced in its slot by a higher-fee one once it is stuck', async () => {
  const swap = await owed()
  const { broadcast } = adapter()
  const refused = new Set<string>()
  meddle({
    broadcast: async (signed) => {
      if (refused.size === 0) refused.add(signed.hash)
      if (refused.has(signed.hash)) throw new RetryLater('max fee per gas less than block base fee')
      await broadcast(signed)
    },
  })
  await hand.runJobs()
  await later(STUCK_MS - 1, swap)
  expect(await attempts()).toMatchObject([{ number: 0, sent_at: null }])
  await later(1, swap)
  const [first, second, ...more] = await attempts()
  expect([first?.sent_at, second?.cancels, more.length]).toEqual([null, false, 0])
  expect(second?.sent_at).not.toBeNull()
  expect(second?.parts).toEqual(first?.parts)
  await mineAndWatch(FINAL)
  expect(await statusOf(swap)).toBe('completed')
  expect(received(swap)).toBe((await payoutOf(swap)).units)
})

test('if no node accepts it until the give-up time, its slot is cancelled and later payouts are paid', async () => {
  const [swap, behind] = [await owed(), await owed()]
  refuse(swap)
  await hand.runJobs()
  const quiet = await alerts()
  await later(STUCK_MS, swap)
  expect(await alerts()).toBe(quiet + 1)
  await later(STUCK_MS, swap)
  expect(await heldFor(swap)).toEqual({ code: 'trouble', error: 'WalletBlocked' })
  expect(await alerts(), 'told once').toBe(quiet + 1)
  hand.chain(TO).mine(1)
  expect(received(behind), 'it waits behind').toBe(0n)
  await later(GIVE_UP_MS, swap)
  const all = await attempts()
  const cancel = all.find(({ cancels }) => cancels)
  expect(cancel?.parts).toEqual(all[0]?.parts)
  expect((await payoutOf(swap)).tx_hash, 'what pays nobody is no payout’s transaction').toBeNull()
  await mineAndWatch(FINAL - 1)
  expect(await statusOf(behind)).toBe('completed')
  expect(received(behind)).toBe((await payoutOf(behind)).units)
  expect(await payoutOf(swap), 'not final yet').toMatchObject({ started: true, reverts: 0 })
  await mineAndWatch(1)
  expect(await payoutOf(swap)).toMatchObject({ started: false, reverts: 1, held_by: null })
  const [slot] = await hand.services.database.selectFrom('slot').selectAll().orderBy('id').execute()
  expect(slot).toMatchObject({ state: 'landed', evidence: { reason: expect.stringContaining('final') } })

  // The next payout fails in the same way, and then the money is refunded.
  await hand.runJobs()
  expect(await payoutOf(swap)).toMatchObject({ started: true })
  for (const ms of [STUCK_MS, GIVE_UP_MS]) await later(ms, swap)
  await mineAndWatch(FINAL)
  expect(await payoutOf(swap)).toMatchObject({ started: false, reverts: 2 })
  await later(1, swap)
  await later(hand.services.config.payoutPatienceMs, swap)
  expect(await statusOf(swap)).toBe('refund_pending')
  expect(received(swap)).toBe(0n)
  expect(await unbalancedPostings(hand.services.database, 10)).toEqual([])
})

test('a stuck batch is replaced by the same payments with a higher fee', async () => {
  const swaps = await Promise.all([owed(), owed(), owed(), owed(), owed()])
  meddle({ batch: { maxTransfers: swaps.length } })
  await hand.runJobs()
  const [sent] = hand.chain(TO).mempool
  expect(sent?.moves).toHaveLength(swaps.length)
  for (const { hash } of [...hand.chain(TO).mempool]) hand.chain(TO).evict(hash)
  const [swap] = swaps
  if (swap) await later(STUCK_MS, swap)
  const [first, second] = await attempts()
  expect(second?.parts).toEqual(first?.parts)
  await mineAndWatch(FINAL)
  for (const one of swaps) expect(received(one)).toBe((await payoutOf(one)).units)
})

test('an outage of the same length cancels nothing: the bytes are sent when nodes are back', async () => {
  const swap = await owed()
  const { broadcast, prepare } = adapter()
  const down = () => Promise.reject(new RetryLater('the node is down'))
  meddle({ broadcast: down })
  await hand.runJobs()
  meddle({ prepare: down })
  await later(STUCK_MS, swap)
  await later(GIVE_UP_MS, swap)
  meddle({ broadcast, prepare })
  await later(STUCK_MS, swap)
  expect((await attempts()).map(({ cancels }) => cancels)).toEqual([false])
  await mineAndWatch(FINAL)
  expect(await statusOf(swap)).toBe('completed')
})

test('an operator cancels and rejects a stuck payout: nothing is paid and the money is refunded', async () => {
  const swap = await owed()
  const { id } = await payoutOf(swap)
  await expect(admin(hand.services, 'payout', 'cancel', '--id', id)).rejects.toThrow('does not wait')
  refuse(swap)
  await hand.runJobs()
  await expect(
    admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, id))),
  ).rejects.toThrow('does not wait')
  await admin(hand.services, 'payout', 'cancel', '--id', id)
  await hand.runJobs()
  expect((await attempts()).map(({ cancels }) => cancels)).toEqual([false, true])
  await admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, id)))
  await mineAndWatch(FINAL)
  await hand.runJobs()
  expect(await payoutOf(swap)).toMatchObject({ state: 'abandoned' })
  expect(await statusOf(swap)).toBe('refund_pending')
  expect(received(swap)).toBe(0n)
})

test('if the payment is mined and not the cancellation, it is paid once', async () => {
  const swap = await owed()
  await hand.runJobs()
  const [sent] = hand.chain(TO).mempool
  const { id, units } = await payoutOf(swap)
  const { broadcast } = adapter()
  meddle({ broadcast: () => Promise.reject(new RetryLater('the node does not answer')) })
  await admin(hand.services, 'payout', 'cancel', '--id', id)
  await hand.runJobs()
  expect((await attempts()).map(({ cancels }) => cancels)).toEqual([false, true])
  expect(hand.chain(TO).mempool).toEqual([sent])
  await mineAndWatch(FINAL)
  meddle({ broadcast })
  await later(STUCK_MS, swap)
  expect(await statusOf(swap)).toBe('completed')
  expect(received(swap)).toBe(units)
})

test('a family whose slots accept only one transaction gets neither replacement nor cancellation', async () => {
  const swap = await owed()
  meddle({ replacement: 'none' })
  refuse(swap)
  await hand.runJobs()
  await later(STUCK_MS, swap)
  await later(GIVE_UP_MS, swap)
  const { id } = await payoutOf(swap)
  await expect(admin(hand.services, 'payout', 'cancel', '--id', id)).rejects.toThrow(
    `nothing can be cancelled on ${TO}`,
  )
  const { database: db } = hand.services
  expect(await db.selectFrom('decision').selectAll().execute()).toEqual([])
  // The command has only the database.
  await admin({ database: db, now: hand.services.now }, 'payout', 'cancel', '--id', id)
  await later(STUCK_MS, swap)
  expect(await attempts()).toHaveLength(1)
})

test('a halted wallet signs nothing: no allocated slot, no replacement, no cancellation', async () => {
  const [swap, other] = [await owed(), await owed()]
  const { sign, treasury } = adapter()
  const signed: string[] = []
  meddle({
    sign: async (order, slot, draft) => {
      if (slot[0] !== '0') throw new RetryLater('the process dies between slot and signature')
      return sign(order, slot, draft)
    },
  })
  await hand.runJobs()
  expect(await attempts()).toHaveLength(1)
  meddle({
    sign: async (order, slot, draft) => {
      signed.push(slot.join())
      return sign(order, slot, draft)
    },
  })
  const halted = { network: TO, account: treasury }
  await haltWallet(hand.services.database, halted, { code: 'operator', note: 'a look' }, hand.services.now())
  for (const { hash } of [...hand.chain(TO).mempool]) hand.chain(TO).evict(hash)
  for (const one of [swap, other]) await later(STUCK_MS, one)
  await admin(hand.services, 'payout', 'cancel', '--id', (await payoutOf(swap)).id)
  await hand.runJobs()
  expect(signed).toEqual([])
  expect(await heldFor(other)).toEqual({ code: 'wallet_halted', causes: ['operator'] })
  await admin(hand.services, 'wallet', 'release', ...(await releaseWords(hand.services.database, TO, treasury)))
  await hand.runJobs()
  expect(signed, 'released, it goes on by itself').toContain('1')
})

test('while signing is stopped, neither a first payment nor a higher fee nor a cancellation is signed', async () => {
  const swap = await owed()
  await hand.runJobs()
  const late = await owed()
  const before = await attempts()
  expect(before).toHaveLength(1)
  hand.services.signing.stopped = 'rolled_back'
  hand.passTime(STUCK_MS + 1)
  const { id } = await payoutOf(swap)
  await pay(hand.services, id)
  await pay(hand.services, (await payoutOf(late)).id)
  hand.passTime(GIVE_UP_MS + 1)
  await pay(hand.services, id)
  expect(await attempts()).toMatchObject(before.map(({ number, cancels }) => ({ number, cancels })))
  expect(await heldFor(late)).toMatchObject({ code: 'signing_stopped' })
})
