/** On chains with nonces, no payout waits forever behind a slot in which nothing was signed. */

import { type ChainAdapter, type Order, PayoutImpossible, RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { cancelSlotOf, holdOf, reasonOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { SignerRefusal } from '../../keys/backends/refusal.ts'
import { rejectPayout } from '../../store/payouts/payouts.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { releaseUnrecorded } from './adopt.ts'
import { pay } from './pay.ts'

const [FROM, TO, THIRD] = ['ALPHA', 'BETA', 'GAMMA']
const TIER = 2

let database: TestDatabase
let hand: Hand
let healthy: ChainAdapter
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  healthy = { ...adapter() }
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

const adapter = (): ChainAdapter => chainOf(hand.services.chains, TO)

async function owed(from = FROM): Promise<{ swap: CreatedSwap; id: string }> {
  const swap = await hand.swap(from, TO)
  hand.deposit(swap)
  hand.chain(from).mine(TIER)
  await hand.watch(from)
  const row = hand.services.database.selectFrom('payout').select('id').where('swap_id', '=', swap.view.swap.id)
  return { swap, id: (await row.executeTakeFirstOrThrow()).id }
}

const received = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)

/** The signer signs and records the first order that it gets, and its answer is lost. */
function loseFirstAnswer(): void {
  const { orders } = hand.services.signing
  if (!orders) throw new Error('this process does not sign')
  const sign = orders.sign.bind(orders)
  orders.sign = async (request) => {
    orders.sign = sign
    await sign(request)
    throw new RetryLater('the signer did not answer in time')
  }
}

async function tryFor(id: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await pay(hand.services, id)
    hand.chain(TO).mine(TIER)
    await hand.watch(TO)
    hand.passTime(31_000)
  }
}

test('a lost signer answer, a cancellation and a rejection: the wallet continues to pay others', async () => {
  const first = await owed()
  loseFirstAnswer()
  await pay(hand.services, first.id)
  const { database: db, now } = hand.services
  await cancelSlotOf(db, first.id, now())
  await rejectPayout(db, first.id, now())
  await pay(hand.services, first.id)
  const second = await owed()
  await tryFor(second.id, 5)
  expect({ paid: received(second.swap) > 0n, held: await holdOf(db, second.id) }).toEqual({ paid: true, held: null })
})

test.each(['before the other payout has it', 'after the other payout has it'])(
  'a process that was paused does not sign in a slot that another process released, %s',
  async (when) => {
    const [first, second] = [await owed(), await owed()]
    const { orders } = hand.services.signing
    if (!orders) throw new Error('this process does not sign')
    const sign = orders.sign.bind(orders)
    orders.sign = async (request) => {
      orders.sign = sign
      // The process is paused here.
      const slots = await hand.services.database.selectFrom('slot').selectAll().execute()
      for (const slot of slots) expect(await releaseUnrecorded(hand.services, slot)).toBe(true)
      if (when.startsWith('after')) await pay(hand.services, second.id)
      return sign(request)
    }
    await pay(hand.services, first.id)
    await tryFor(second.id, 5)
    await tryFor(first.id, 5)
    expect({
      stopped: hand.services.signing.stopped,
      first: received(first.swap) > 0n,
      second: received(second.swap) > 0n,
      held: [await holdOf(hand.services.database, first.id), await holdOf(hand.services.database, second.id)],
    }).toEqual({ stopped: null, first: true, second: true, held: [null, null] })
  },
)

test("an unsigned slot whose own payment is short of funds does not block the wallet's other payouts", async () => {
  const first = await owed()
  Object.assign(adapter(), { sign: () => Promise.reject(new RetryLater('the signer is away')) })
  await pay(hand.services, first.id)
  // The signer is back. The treasury now holds too little of the first payout's token, and enough of the others'.
  const isFirst = (order: Order) =>
    order.kind === 'transfers' && order.transfers[0]?.to === first.swap.view.swap.destinationAddress
  Object.assign(adapter(), {
    ...healthy,
    prepare: (...asked: Parameters<ChainAdapter['prepare']>) =>
      isFirst(asked[0])
        ? Promise.reject(new RetryLater('the treasury holds too little of the token'))
        : healthy.prepare(...asked),
  })
  const second = await owed()
  await tryFor(second.id, 10)
  await tryFor(first.id, 3)
  const rows = await hand.services.database
    .selectFrom('payout')
    .leftJoin('slot_payout', 'slot_payout.payout_id', 'payout.id')
    .leftJoin('slot', 'slot.id', 'slot_payout.slot_id')
    .select(['payout.id', 'payout.sent_at', 'slot.parts', 'payout.held_by'])
    .where('payout.id', 'in', [first.id, second.id])
    .execute()
  const told = rows.map((row) => [
    row.id === first.id ? 'first' : 'second',
    row.parts,
    row.sent_at !== null,
    row.held_by,
  ])
  expect(received(second.swap), `six minutes later: ${JSON.stringify(told)}`).toBeGreaterThan(0n)
})

test('releasing a slot below a signed one leaves no nonce gap', async () => {
  const first = await owed()
  Object.assign(adapter(), { sign: () => Promise.reject(new RetryLater('the signer is away')) })
  await pay(hand.services, first.id)
  const second = await owed()
  await pay(hand.services, second.id)
  // The signer is back. The token has blocked the first payout's recipient meanwhile.
  const isFirst = (order: Order) =>
    order.kind === 'transfers' && order.transfers[0]?.to === first.swap.view.swap.destinationAddress
  Object.assign(adapter(), {
    ...healthy,
    prepare: (...asked: Parameters<ChainAdapter['prepare']>) =>
      isFirst(asked[0]) ? Promise.reject(new PayoutImpossible('blocked by the token')) : healthy.prepare(...asked),
  })
  // A whole day on a quiet network.
  for (let round = 0; round < 48; round++) {
    await pay(hand.services, second.id)
    await pay(hand.services, first.id)
    for (const network of [TO, FROM]) {
      hand.chain(network).mine(TIER)
      await hand.watch(network)
    }
    hand.passTime(30 * 60_000)
  }
  const rows = await hand.services.database
    .selectFrom('payout')
    .leftJoin('slot_payout', 'slot_payout.payout_id', 'payout.id')
    .leftJoin('slot', 'slot.id', 'slot_payout.slot_id')
    .select(['payout.id', 'payout.state', 'payout.sent_at', 'slot.parts', 'slot_payout.live', 'payout.held_by'])
    .where('payout.id', 'in', [first.id, second.id])
    .execute()
  const told = rows.map(({ id, ...row }) => [id === first.id ? 'first' : 'second', row])
  expect(received(second.swap), `a day later: ${JSON.stringify(told)}`).toBeGreaterThan(0n)
})

test('if the signer refuses one of several payouts begun together, the later ones are still paid', async () => {
  const all = [await owed(), await owed(), await owed()]
  const refused = all[1]?.swap.view.swap.destinationAddress
  // For example an hourly limit: each payout alone is allowed, both together exceed it.
  Object.assign(adapter(), {
    sign: async (...asked: Parameters<ChainAdapter['sign']>) => {
      const [order] = asked
      if (order.kind === 'transfers' && order.transfers[0]?.to === refused)
        throw new SignerRefusal('too much for an hour')
      return healthy.sign(...asked)
    },
  })
  for (let round = 0; round < 100; round++) {
    for (const { id } of all) await pay(hand.services, id)
    hand.chain(TO).mine(TIER)
    await hand.watch(TO)
    hand.passTime(31_000)
  }
  expect(
    all.map(({ swap }) => received(swap) > 0n),
    'fifty minutes later',
  ).toEqual([true, false, true])
})

async function told() {
  const rows = await hand.services.database
    .selectFrom('payout')
    .leftJoin('slot_payout', 'slot_payout.payout_id', 'payout.id')
    .leftJoin('slot', 'slot.id', 'slot_payout.slot_id')
    .leftJoin('attempt', 'attempt.slot_id', 'slot.id')
    .select([
      'payout.id',
      'payout.kind',
      'payout.state',
      'payout.sent_at',
      'slot.id as slot',
      'slot.parts',
      'slot_payout.live',
      'attempt.cancels',
      'payout.held_by',
    ])
    .orderBy('payout.created_at')
    .execute()
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value), 1)
}

test('starknet: a signer outage while the in-flight limit is reached does not block the wallet forever', async () => {
  // Like `max_in_flight` in chains/starknet/src/paying/pay.ts, which is 16 by default.
  const MAX = 3n
  const nextSlot: ChainAdapter['nextSlot'] = async (order, draft, taken) => {
    const next = await healthy.nextSlot(order, draft, [])
    const slot = await healthy.nextSlot(order, draft, taken)
    if (BigInt(slot[0] ?? '') - BigInt(next[0] ?? '') >= MAX)
      throw new RetryLater(`${MAX} transactions wait for the account's transaction ${next}`)
    return slot
  }
  Object.assign(adapter(), { nextSlot, sign: () => Promise.reject(new RetryLater('the signer is away')) })
  const all = []
  for (let count = 0; count < 3; count++) {
    const one = await owed()
    await pay(hand.services, one.id)
    all.push(one)
  }
  // The signer is back.
  Object.assign(adapter(), { sign: healthy.sign })
  for (let round = 0; round < 48; round++) {
    for (const { id } of all) await pay(hand.services, id)
    hand.chain(TO).mine(TIER)
    await hand.watch(TO)
    hand.passTime(30 * 60_000)
  }
  expect(
    all.map(({ swap }) => received(swap) > 0n),
    `a day later: ${await told()}`,
  ).toEqual([true, true, true])
})

test('a later nonce with the older slot, and the signer refuses the lower nonce: no gap', async () => {
  const away = () => Promise.reject(new RetryLater('the signer is away'))
  Object.assign(adapter(), { sign: away })
  const a = await owed()
  await pay(hand.services, a.id)
  const b = await owed()
  await pay(hand.services, b.id)
  // The first payout is tried again, and the second with it.
  const c = await owed()
  await pay(hand.services, a.id)
  // In the same second an operator cancels and rejects the first one: its nonce is free again.
  const { database: db, now } = hand.services
  await cancelSlotOf(db, a.id, now())
  await rejectPayout(db, a.id, now())
  await pay(hand.services, a.id)
  // The third payout comes while the second is in its retry pause, and takes the nonce.
  await pay(hand.services, c.id)
  const isC = (order: Order) =>
    order.kind === 'transfers' && order.transfers[0]?.to === c.swap.view.swap.destinationAddress
  Object.assign(adapter(), {
    sign: async (...asked: Parameters<ChainAdapter['sign']>) => {
      if (isC(asked[0])) throw new SignerRefusal('too much for an hour')
      return healthy.sign(...asked)
    },
  })
  hand.passTime(2_000)
  await pay(hand.services, b.id)
  // An operator rejects the third one.
  await rejectPayout(db, c.id, now())
  for (let round = 0; round < 48; round++) {
    for (const { id } of [b, c]) await pay(hand.services, id)
    for (const network of [TO, FROM]) {
      hand.chain(network).mine(TIER)
      await hand.watch(network)
    }
    hand.passTime(30 * 60_000)
  }
  expect(received(b.swap), `a day later: ${await told()}`).toBeGreaterThan(0n)
})

test('an unsigned slot of a payout that another network holds does not block the wallet', async () => {
  Object.assign(adapter(), { sign: () => Promise.reject(new RetryLater('the signer is away')) })
  const a = await owed()
  await pay(hand.services, a.id)
  await hand.stop()
  // The process restarts. On ALPHA an unmined transaction of our wallet is not in the ledger.
  hand = await startHand(database.url, {}, { onOldChains: true })
  healthy = { ...adapter() }
  const { services } = hand
  await services.database
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .execute()
  Object.assign(chainOf(services.chains, FROM), {
    lateTransactions: {
      maxForgottenTxAgeMs: 0,
      mempoolTransactions: async () => [{ txHash: 'unknown', slot: ['77'] }],
    },
  })
  const b = await owed(THIRD)
  for (let round = 0; round < 48; round++) {
    for (const { id } of [b, a]) await pay(hand.services, id)
    hand.chain(TO).mine(TIER)
    await hand.watch(TO)
    hand.passTime(30 * 60_000)
  }
  expect(received(b.swap), `a day later: ${await told()}`).toBeGreaterThan(0n)
})

test('a signer that never answers for one order and signs all others does not block the wallet', async () => {
  const a = await owed()
  const isA = (order: Order) =>
    order.kind === 'transfers' && order.transfers[0]?.to === a.swap.view.swap.destinationAddress
  Object.assign(adapter(), {
    sign: async (...asked: Parameters<ChainAdapter['sign']>) => {
      if (isA(asked[0])) throw new RetryLater('the signer answers 413: the request is not understood')
      return healthy.sign(...asked)
    },
  })
  await pay(hand.services, a.id)
  const b = await owed()
  for (let round = 0; round < 48; round++) {
    for (const { id } of [b, a]) await pay(hand.services, id)
    for (const network of [TO, FROM]) {
      hand.chain(network).mine(TIER)
      await hand.watch(network)
    }
    hand.passTime(30 * 60_000)
  }
  expect(received(b.swap), `a day later: ${await told()}`).toBeGreaterThan(0n)
})

test('an excess deposit is returned although an unrelated network is down', async () => {
  const a = await owed()
  await pay(hand.services, a.id)
  hand.chain(TO).mine(13)
  await hand.watch(TO)
  // The user pays twice.
  hand.deposit(a.swap)
  hand.chain(FROM).mine(13)
  await hand.watch(FROM)
  const db = () => hand.services.database
  const back = await db().selectFrom('payout').selectAll().where('kind', '=', 'return').executeTakeFirstOrThrow()
  expect(back.network).toBe(FROM)
  await hand.stop()
  hand = await startHand(database.url, {}, { onOldChains: true })
  await db()
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .execute()
  // GAMMA is shut down: its nodes no longer answer, and its file stays for the old swaps.
  Object.assign(hand.node(THIRD ?? '').faults, { on: null, timeouts: 1_000_000 })
  for (let round = 0; round < 60; round++) {
    if (round === 59) await rejectPayout(db(), back.id, hand.services.now())
    await pay(hand.services, back.id)
    hand.chain(FROM).mine(TIER)
    await hand.watch(FROM)
    hand.passTime(24 * 60 * 60_000)
  }
  const row = await db().selectFrom('payout').selectAll().where('id', '=', back.id).executeTakeFirstOrThrow()
  expect(
    { state: row.state, sent: row.sent_at !== null, held: row.held_by },
    `${row.state} ${await reasonOf(db(), back.id)}`,
  ).toMatchObject({ sent: true })
})
