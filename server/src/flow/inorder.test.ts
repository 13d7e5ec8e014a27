/** Where transactions land in the order of their slots, nothing waits for ever behind a slot in which nothing was signed. */
import { type ChainAdapter, type Order, RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { SignerRefusal } from '../keys/refusal.ts'
import { rejectPayout } from '../store/payouts.ts'
import { wantCancel } from '../store/slots.ts'
import type { CreatedSwap } from '../swaps/creating.ts'
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
      'payout.held_reason',
    ])
    .orderBy('payout.created_at')
    .execute()
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value), 1)
}

test('starknet: a signer that is away while as many payouts come as may be in flight does not wedge the wallet for ever', async () => {
  // As chains/starknet/src/paying/pay.ts:14 (max_in_flight, 16 by default).
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

test('a later number with the older slot, and the signer refuses the lower number: no gap', async () => {
  const away = () => Promise.reject(new RetryLater('the signer is away'))
  Object.assign(adapter(), { sign: away })
  const a = await owed()
  await pay(hand.services, a.id)
  const b = await owed()
  await pay(hand.services, b.id)
  // The first is tried once more, and the second with it. In the same second
  const c = await owed()
  await pay(hand.services, a.id)
  // an operator cancels and rejects the first: its number is free again.
  const { database: db, now } = hand.services
  await wantCancel(db, a.id, now())
  await rejectPayout(db, a.id, now())
  await pay(hand.services, a.id)
  // The third comes while the second was tried a moment ago, and takes the number.
  await pay(hand.services, c.id)
  console.log(await told())
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
  console.log(await told())
  // Support rejects the third one.
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

test('a payout that another network holds does not hold up the wallet with a slot in which nothing was signed', async () => {
  Object.assign(adapter(), { sign: () => Promise.reject(new RetryLater('the signer is away')) })
  const a = await owed()
  await pay(hand.services, a.id)
  await hand.stop()
  // The process starts anew. On ALPHA a transaction of our wallet waits for a block that the books do not know.
  hand = await startHand(database.url, {}, { onOldChains: true })
  healthy = { ...adapter() }
  const { services } = hand
  await services.database
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .execute()
  Object.assign(chainOf(services.chains, FROM), {
    waiting: async () => [{ txHash: 'unknown', slot: ['77'], block: null, moves: [] }],
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

test('a signer that never answers for one order, and signs all others, does not wedge the wallet', async () => {
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

test('what a swap got too much of goes back though a network that has nothing to do with it is down', async () => {
  const a = await owed()
  await pay(hand.services, a.id)
  hand.chain(TO).mine(13)
  await hand.watch(TO)
  // It is paid twice by its user.
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
  // GAMMA is given up by its makers: its nodes answer no more, and its file stays for the old swaps.
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
    { state: row.state, sent: row.sent_at !== null, held: row.held_reason },
    `${row.state} ${row.held_reason}`,
  ).toMatchObject({ sent: true })
})
