/**
 * A transaction that every node permanently rejects is not waited for: its slot is cancelled at once, and the wallet
 * continues.
 */
import { type ChainAdapter, PermanentlyRejected } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from './pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
const FINAL = 6

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
const alerts = async () => Number((await hand.services.metrics.alerts.get()).values[0]?.value ?? 0)

async function owed(): Promise<CreatedSwap> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  return swap
}

const received = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)

async function payNow({ view }: CreatedSwap): Promise<void> {
  const payouts = hand.services.database.selectFrom('payout').select('id').where('swap_id', '=', view.swap.id)
  await pay(hand.services, (await payouts.where('state', '=', 'open').executeTakeFirstOrThrow()).id)
  await hand.runJobs()
}

const attempts = () =>
  hand.services.database
    .selectFrom('attempt')
    .innerJoin('slot', 'slot.id', 'slot_id')
    .select(['slot.parts', 'slot.state', 'number', 'cancels'])
    .orderBy('slot_id')
    .orderBy('number')
    .execute()

/** Every node rejects the first bytes that pay this swap's recipient; later bytes are accepted. */
function refuseFirst({ view: { swap } }: CreatedSwap): void {
  const { broadcast } = adapter()
  let first: string | null = null
  Object.assign(adapter(), {
    broadcast: async (signed: Parameters<ChainAdapter['broadcast']>[0]) => {
      if (signed.bytes.includes(swap.destinationAddress)) first ??= signed.hash
      if (signed.hash === first) throw new PermanentlyRejected('transaction gas limit too high')
      await broadcast(signed)
    },
  })
}

test('its slot is cancelled without waiting, an operator is alerted, and it is paid once in another slot', async () => {
  const swap = await owed()
  refuseFirst(swap)
  const before = await alerts()
  await hand.runJobs()
  await payNow(swap)
  expect(await attempts()).toMatchObject([
    { number: 0, cancels: false, state: 'open' },
    { number: 1, cancels: true, state: 'open' },
  ])
  expect(await alerts()).toBe(before + 1)
  // Later payouts are paid while the cancellation is still pending.
  const behind = await owed()
  await hand.runJobs()
  hand.chain(TO).mine(FINAL)
  await hand.watch(TO)
  await hand.runJobs()
  expect(received(behind)).toBe(behind.view.swap.quote?.receiveUnits)
  hand.chain(TO).mine(FINAL)
  await hand.watch(TO)
  await hand.runJobs()
  expect(received(swap)).toBe(swap.view.swap.quote?.receiveUnits)
  expect((await attempts()).filter(({ cancels }) => !cancels)).toHaveLength(3)
})
