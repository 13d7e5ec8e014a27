/**
 * A refund address that is named again after the chain rejected it is kept: the refund goes there, and may be rejected
 * again.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { rejectPayout } from '../../store/payouts/payouts.ts'
import { pay } from '../payouts/pay.ts'
import { applyEvent } from './advance.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 6

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

test('three refusals bar an address until it is given again, and then three more do', async () => {
  const { services } = hand
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  const { id } = swap.view.swap
  const rows = () =>
    services.database.selectFrom('payout').selectAll().where('swap_id', '=', id).orderBy('number').execute()
  const [output] = await rows()
  await rejectPayout(services.database, output?.id ?? '', services.now())
  await pay(services, output?.id ?? '')
  const refuse = async () => {
    const { deposit_id: depositId = null, to_address: address = '' } = (await rows()).at(-1) ?? {}
    await applyEvent(services, id, { type: 'payout_abandoned', kind: 'refund', depositId, refused: true })
    await applyEvent(services, id, { type: 'tick' })
    return { depositIds: depositId === null ? [] : [depositId], address }
  }
  const states = async () =>
    (await rows()).slice(1).map((row) => `${row.state}${row.refusal_cleared_at ? ', cleared' : ''}`)
  for (let refusals = 0; refusals < 2; refusals++) await refuse()
  const said = await refuse()
  expect(await states()).toEqual(['abandoned', 'abandoned', 'abandoned'])
  await applyEvent(services, id, { type: 'refund_address_given', ...said, by: 'sender' })
  const cleared = ['abandoned, cleared', 'abandoned, cleared', 'abandoned, cleared']
  expect(await states()).toEqual([...cleared, 'open'])
  for (let refusals = 0; refusals < 3; refusals++) await refuse()
  await applyEvent(services, id, { type: 'tick' })
  expect(await states()).toEqual([...cleared, 'abandoned', 'abandoned', 'abandoned'])
})
