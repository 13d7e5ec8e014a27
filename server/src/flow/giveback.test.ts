/** Slots in which nothing is stored: what they do to those behind them. */
import { type ChainAdapter, type Order, RetryLater, Unpayable } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { boundText, SignerRefusal, SlotBound } from '../keys/refusal.ts'
import { rejectPayout } from '../store/payouts.ts'
import { wantCancel } from '../store/slots.ts'
import type { CreatedSwap } from '../swaps/creating.ts'
import { pay } from './pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
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

async function owed(): Promise<{ swap: CreatedSwap; id: string }> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  const row = hand.services.database.selectFrom('payout').select('id').where('swap_id', '=', swap.view.swap.id)
  return { swap, id: (await row.executeTakeFirstOrThrow()).id }
}

const received = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)

/** As `keys/journal.ts`: one order a slot. The first answer of all is lost on its way. */
function fencedSigner(): void {
  const fences = new Map<string, string>()
  let isLost = true
  const textOf = (order: Order) => JSON.stringify(order, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  Object.assign(adapter(), {
    sign: async (...asked: Parameters<ChainAdapter['sign']>) => {
      const [order, slot] = asked
      const bound = fences.get(slot.join()) ?? textOf(order)
      fences.set(slot.join(), bound)
      if (bound !== textOf(order) && order.kind !== 'cancel') throw new SlotBound(boundText(slot))
      if (isLost) {
        isLost = false
        throw new RetryLater('the signer did not answer in time')
      }
      return healthy.sign(...asked)
    },
  })
}

async function tryFor(id: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await pay(hand.services, id)
    hand.chain(TO).mine(TIER)
    await hand.watch(TO)
    hand.passTime(31_000)
  }
}

test('a signer whose answer was lost, a cancel and a rejection: the wallet goes on paying others', async () => {
  const first = await owed()
  fencedSigner()
  await pay(hand.services, first.id)
  const { database: db, now } = hand.services
  await wantCancel(db, first.id, now())
  await rejectPayout(db, first.id, now())
  await pay(hand.services, first.id)
  const second = await owed()
  await tryFor(second.id, 5)
  const row = await db.selectFrom('payout').select('held_reason').where('id', '=', second.id).executeTakeFirstOrThrow()
  expect({ paid: received(second.swap) > 0n, held: row.held_reason }).toEqual({ paid: true, held: null })
})

test('a slot without a signature whose own payment is short for now does not hold up all others of the wallet', async () => {
  const first = await owed()
  Object.assign(adapter(), { sign: () => Promise.reject(new RetryLater('the signer is away')) })
  await pay(hand.services, first.id)
  // The signer is back. Of the first one's token the treasury holds too little now, of the others' enough.
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
    .select(['payout.id', 'payout.sent_at', 'slot.parts', 'payout.held_reason'])
    .where('payout.id', 'in', [first.id, second.id])
    .execute()
  const told = rows.map((row) => [
    row.id === first.id ? 'first' : 'second',
    row.parts,
    row.sent_at !== null,
    row.held_reason,
  ])
  expect(received(second.swap), `six minutes later: ${JSON.stringify(told)}`).toBeGreaterThan(0n)
})

test('a slot that is given back in front of one that is signed leaves no gap behind which that one waits', async () => {
  const first = await owed()
  Object.assign(adapter(), { sign: () => Promise.reject(new RetryLater('the signer is away')) })
  await pay(hand.services, first.id)
  const second = await owed()
  await pay(hand.services, second.id)
  // The signer is back. The first one's recipient was blocked by the token meanwhile.
  const isFirst = (order: Order) =>
    order.kind === 'transfers' && order.transfers[0]?.to === first.swap.view.swap.destinationAddress
  Object.assign(adapter(), {
    ...healthy,
    prepare: (...asked: Parameters<ChainAdapter['prepare']>) =>
      isFirst(asked[0]) ? Promise.reject(new Unpayable('blocked by the token')) : healthy.prepare(...asked),
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
    .select(['payout.id', 'payout.state', 'payout.sent_at', 'slot.parts', 'slot_payout.live', 'payout.held_reason'])
    .where('payout.id', 'in', [first.id, second.id])
    .execute()
  const told = rows.map(({ id, ...row }) => [id === first.id ? 'first' : 'second', row])
  expect(received(second.swap), `a day later: ${JSON.stringify(told)}`).toBeGreaterThan(0n)
})

test('of payouts that are begun together the signer refuses one: those behind it are paid all the same', async () => {
  const all = [await owed(), await owed(), await owed()]
  const refused = all[1]?.swap.view.swap.destinationAddress
  // An hour's ceiling, say: each of them alone was let pass, together they are too much.
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
