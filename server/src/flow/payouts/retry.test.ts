/** A payout that is given up records why: only the chain's own refusal counts against an address. */

import { type ChainAdapter, FeeAboveLimit, PayoutImpossible, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { holdOf, reasonOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { rejectPayout } from '../../store/payouts/payouts.ts'
import { applyEvent } from '../swap/advance.ts'
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

/** The output of a swap whose deposit is credited. */
async function output(): Promise<string> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  const { database: db } = hand.services
  const rows = db.selectFrom('payout').select('id').where('swap_id', '=', swap.view.swap.id)
  return (await rows.executeTakeFirstOrThrow()).id
}

/** Tries the payout now, and again after the give-up time. */
async function tryLong(payoutId: string): Promise<{ state: string; refused: boolean }> {
  await pay(hand.services, payoutId)
  hand.passTime(hand.services.config.payoutGiveUpMs + 1000)
  await pay(hand.services, payoutId)
  const rows = hand.services.database.selectFrom('payout').select(['state', 'refused']).where('id', '=', payoutId)
  return rows.executeTakeFirstOrThrow()
}

async function meddled<T>(prepare: ChainAdapter['prepare'], work: () => Promise<T>): Promise<T> {
  const chain = chainOf(hand.services.chains, TO)
  const healthy = chain.prepare
  chain.prepare = prepare
  try {
    return await work()
  } finally {
    chain.prepare = healthy
  }
}

test('given up because the chain refused it: counts as refused', async () => {
  const id = await output()
  const outcome = await meddled(
    () => Promise.reject(new PayoutImpossible('blocked')),
    () => tryLong(id),
  )
  expect(outcome).toEqual({ state: 'abandoned', refused: true })
})

test('given up although the database cannot store the text of the refusal', async () => {
  const id = await output()
  const outcome = await meddled(
    // The recipient's contract chooses this text.
    () => Promise.reject(new PayoutImpossible('execution reverted: a\u0000b')),
    () => tryLong(id),
  )
  expect(outcome).toEqual({ state: 'abandoned', refused: true })
})

test('given up because no node answered: does not count as refused', async () => {
  const id = await output()
  const outcome = await meddled(
    () => Promise.reject(new RetryLater('no node answers')),
    () => tryLong(id),
  )
  expect(outcome).toEqual({ state: 'abandoned', refused: false })
})

test('given up because an operator rejected it: does not count as refused by the chain', async () => {
  const id = await output()
  await rejectPayout(hand.services.database, id, hand.services.now())
  expect(await tryLong(id)).toEqual({ state: 'abandoned', refused: false })
})

test('a refund that an operator rejected is owed, and time alone orders no other', async () => {
  const { database: db } = hand.services
  const outputId = await output()
  const { swap_id } = await db
    .selectFrom('payout')
    .select('swap_id')
    .where('id', '=', outputId)
    .executeTakeFirstOrThrow()
  const swapId = swap_id ?? ''
  await rejectPayout(db, outputId, hand.services.now())
  await pay(hand.services, outputId)
  const refunds = () =>
    db.selectFrom('payout').select(['id', 'state']).where('swap_id', '=', swapId).where('kind', '=', 'refund').execute()
  const [refund] = await refunds()
  expect(refund?.state).toBe('open')
  await rejectPayout(db, refund?.id ?? '', hand.services.now())
  await pay(hand.services, refund?.id ?? '')
  await applyEvent(hand.services, swapId, { type: 'tick' })
  hand.passTime(24 * 3_600_000)
  await applyEvent(hand.services, swapId, { type: 'tick' })
  expect(await refunds()).toEqual([{ id: refund?.id, state: 'abandoned' }])
  const swap = await db
    .selectFrom('swap')
    .select(['status', 'due_at'])
    .where('id', '=', swapId)
    .executeTakeFirstOrThrow()
  expect(swap).toEqual({ status: 'pending_refund', due_at: null })
})

test("held while network fees exceed the operator's limit: alerted once, paid when fees fall", async () => {
  const id = await output()
  const alerts = async () => Number((await hand.services.metrics.alerts.get()).values[0]?.value ?? 0)
  const before = await alerts()
  const outcome = await meddled(
    () => Promise.reject(new FeeAboveLimit('gas is above the ceiling')),
    () => tryLong(id),
  )
  expect(outcome).toEqual({ state: 'open', refused: false })
  expect(await alerts()).toBe(before + 1)
  await pay(hand.services, id)
  const row = hand.services.database.selectFrom('payout').select('sent_at').where('id', '=', id)
  expect((await row.executeTakeFirstOrThrow()).sent_at).not.toBeNull()
})

test('fees above the limit in an unsigned slot: the slot is released, and the payout is held and alerted', async () => {
  const id = await output()
  const chain = chainOf(hand.services.chains, TO)
  const { sign } = chain
  chain.sign = () => Promise.reject(new RetryLater('the signer is away'))
  await pay(hand.services, id)
  chain.sign = sign
  const row = () =>
    hand.services.database
      .selectFrom('payout')
      .select(['started', 'held_by', 'sent_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  expect(await row()).toMatchObject({ started: true, held_by: 'trouble' })
  const alerts = async () => Number((await hand.services.metrics.alerts.get()).values[0]?.value ?? 0)
  const before = await alerts()
  const outcome = await meddled(
    () => Promise.reject(new FeeAboveLimit('gas is above the ceiling')),
    () => tryLong(id),
  )
  expect(outcome).toEqual({ state: 'open', refused: false })
  expect(await row()).toMatchObject({ started: false, held_by: 'rule' })
  expect(await holdOf(hand.services.database, id)).toEqual({ code: 'fee_above_limit' })
  expect(await reasonOf(hand.services.database, id)).toBe('gas is above the ceiling')
  expect(await alerts()).toBe(before + 1)
  await pay(hand.services, id)
  expect((await row()).sent_at).not.toBeNull()
})

test('given up in an unsigned slot: the slot is released, and blocks no later payout', async () => {
  const id = await output()
  const chain = chainOf(hand.services.chains, TO)
  const { sign } = chain
  chain.sign = () => Promise.reject(new RetryLater('the signer is away'))
  await pay(hand.services, id)
  chain.sign = sign
  const slots = () =>
    hand.services.database.selectFrom('slot_payout').select('live').where('payout_id', '=', id).execute()
  expect(await slots()).toEqual([{ live: true }])
  const outcome = await meddled(
    () => Promise.reject(new RetryLater('there is nothing to sweep')),
    () => tryLong(id),
  )
  expect(outcome).toEqual({ state: 'abandoned', refused: false })
  expect(await slots()).toEqual([])
})

test('not given up while only the signer is down: it may have signed', async () => {
  const id = await output()
  const chain = chainOf(hand.services.chains, TO)
  const { sign } = chain
  chain.sign = () => Promise.reject(new RetryLater('the signer is away'))
  expect(await tryLong(id)).toEqual({ state: 'open', refused: false })
  chain.sign = sign
  await pay(hand.services, id)
  const sent = hand.services.database.selectFrom('payout').select('sent_at').where('id', '=', id)
  expect((await sent.executeTakeFirstOrThrow()).sent_at).not.toBeNull()
})
