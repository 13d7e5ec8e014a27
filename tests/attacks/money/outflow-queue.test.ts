/**
 * An attacker keeps the outflow limit busy with small swaps, so that a larger payout never fits under it. Payouts that wait
 * for a limit are paid in the order in which they were ordered.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { requeueMissingJobs } from '../../../server/src/flow/run/requeue.ts'
import { setLimit } from '../../../server/src/store/limits/safeguards.ts'
import type { PayoutRow } from '../../../server/src/store/swaps/swaps.ts'
import type { CreatedSwap } from '../../../server/src/swaps/create-swap.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { holdOf } from '../../support/service/holds.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const DEEP = 7
const ONE = 10n ** 18n
const LIMITED = { code: 'outflow_limit' }

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
  await limitTo(80n)
})
afterEach(() => hand.stop())

const limitTo = (usd: bigint) =>
  setLimit(hand.services.database, 'hourly_outflow', `network:${TO}`, usd * ONE).then(() => hand.services.refresh())

/** A swap of this many dollars whose deposit is credited and whose payout was tried. */
async function funded(amount: string): Promise<CreatedSwap> {
  hand.passTime(1_000)
  const swap = await hand.swap(FROM, TO, { amount })
  hand.deposit(swap)
  hand.chain(FROM).mine(DEEP)
  await hand.watch(FROM)
  await hand.runJobs()
  return swap
}

async function payoutOf({ view }: CreatedSwap): Promise<PayoutRow> {
  const rows = hand.services.database.selectFrom('payout').selectAll().where('swap_id', '=', view.swap.id)
  return rows.executeTakeFirstOrThrow()
}

const heldFor = async (swap: CreatedSwap) => holdOf(hand.services.database, (await payoutOf(swap)).id)
const isBegun = async (swap: CreatedSwap) => (await payoutOf(swap)).started

/** Everything that was sent is final, and its hour is over. Limits use the database's clock. */
async function passHour(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    hand.chain(TO).mine(DEEP)
    await hand.watch(TO)
  }
  const before = new Date(Date.now() - 2 * 3_600_000)
  const { database: db } = hand.services
  await db.updateTable('payout').set({ started_at: before }).where('started', '=', true).execute()
  await db.updateTable('slot').set({ created_at: before }).execute()
  hand.passTime(2 * 3_600_000)
  await hand.services.refresh()
  await requeueMissingJobs(hand.services)
  await hand.runJobs()
}

test('small payouts do not overtake a larger one that waits for the limit', async () => {
  await funded('30')
  await limitTo(90n)
  const large = await funded('70')
  expect(await heldFor(large)).toEqual(LIMITED)
  const small = await funded('25')
  expect(await heldFor(small)).toEqual(LIMITED)
  await passHour()
  expect([await isBegun(large), await isBegun(small)]).toEqual([true, false])
  await passHour()
  expect(await isBegun(small)).toBe(true)
})

/** A thousand older payouts that wait for an outflow limit: returns, which have a limit of their own. */
async function backlogOn(network: string, units: bigint): Promise<void> {
  const { database: db, catalogue, chains, now } = hand.services
  const token = catalogue.network(network).tokens.find(({ symbol }) => symbol === 'USDC')?.contract ?? ''
  const { id } = await db.selectFrom('deposit').select('id').orderBy('id').limit(1).executeTakeFirstOrThrow()
  const held = { state: 'open', held_by: 'rule', held_since: now() } as const
  const created_at = new Date(now().getTime() - 3_600_000)
  const account = chains.get(network)?.treasury ?? ''
  const paid = { network, account, token, units, to_address: 'nobody', created_at, ...held }
  const made = await db
    .insertInto('payout')
    .values(
      Array.from({ length: 1_000 }, (_, n) => ({
        ...{ number: 0, kind: 'return' as const, deposit_id: id, sequence: n + 1 },
        ...paid,
      })),
    )
    .returning('id')
    .execute()
  const hold = { code: 'outflow_limit', params: '{}', needs_person: false, opened_at: now() } as const
  await db
    .insertInto('hold')
    .values(made.map((payout) => ({ payout_id: payout.id, ...hold })))
    .execute()
}

test.each(['GAMMA', TO])(
  'a thousand payouts that wait for another limit, on %s, hide none that waits',
  async (network) => {
    await funded('30')
    await limitTo(90n)
    const large = await funded('70')
    await backlogOn(network, 1_000_000n)
    const small = await funded('25')
    expect([await heldFor(large), await heldFor(small)]).toEqual([LIMITED, LIMITED])
  },
)

test('a payout that is above the whole limit blocks no other', async () => {
  const large = await funded('90')
  const small = await funded('20')
  expect([await heldFor(large), await isBegun(small)]).toEqual([LIMITED, true])
})

test('a payout that waits for another reason blocks no other', async () => {
  await funded('30')
  await limitTo(90n)
  const large = await funded('70')
  await hand.services.database.updateTable('hold').set({ code: 'no_price' }).execute()
  expect(await isBegun(large)).toBe(false)
  expect(await isBegun(await funded('20'))).toBe(true)
})

test('payouts that wait for the limit of their own token leave the rest of the network limit to others', async () => {
  const { database: db, catalogue } = hand.services
  const usdc = catalogue.network(TO).tokens.find(({ symbol }) => symbol === 'USDC')
  await setLimit(db, 'daily_outflow', `token:${TO}/${usdc?.contract}`, 60n * ONE)
  await hand.services.refresh()
  const made = [await hand.swap(FROM, TO), await hand.swap(FROM, TO), await hand.swap(FROM, TO)]
  const other = await hand.swap(FROM, TO, { amount: '20', destinationToken: 'SIM' })
  for (const swap of [...made, other]) {
    hand.deposit(swap)
    hand.chain(FROM).mine(DEEP)
    await hand.watch(FROM)
    await hand.runJobs()
    hand.passTime(1_000)
  }
  expect(await Promise.all([...made, other].map(isBegun))).toEqual([true, false, false, true])
})
