/** A payout that may have been paid before a restore is not given up because a node is down. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdOf } from '../../../../tests/support/service/holds.ts'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { pay } from '../payouts/pay.ts'
import { applyEvent } from '../swap/advance.ts'

let world: Restorable
beforeAll(async () => {
  world = await startRestorable({ SERVICE_FEE_BPS: '100' })
})
afterAll(() => world.stop())

test('a doubt after a restore outlasts an outage of the node', async () => {
  const swap = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  world.hand().deposit(swap)
  await world.settle()
  expect(world.received(swap)).toBeGreaterThan(0n)
  await world.goBackTo(backup)
  await world.sayRestored()
  await world.resume()
  await world.hand().services.safeguards.refresh()
  for (let rounds = 0; rounds < 2; rounds++) await world.settle()
  await world.askAgain()
  const { services } = world.hand()
  const { id } = await world.payoutOf(swap)
  expect(await holdOf(services.database, id)).toEqual({ code: 'restore_doubt' })
  const chain = chainOf(services.chains, TO)
  const { balances } = chain
  Object.assign(chain, { balances: () => Promise.reject(new RetryLater('no node answers')) })
  world.hand().passTime(61_000)
  await pay(services, id)
  const during = await holdOf(services.database, id)
  world.hand().passTime(services.config.payoutGiveUpMs + 1_000)
  await pay(services, id)
  Object.assign(chain, { balances })
  await world.settle()
  for (let rounds = 0; rounds < 3; rounds++) {
    await services.refresh()
    await applyEvent(services, swap.view.swap.id, { type: 'tick' })
    await world.hand().runJobs()
    await world.settle()
    await world.askAgain()
    world.hand().passTime(61_000)
  }
  const rows = await services.database
    .selectFrom('payout')
    .selectAll()
    .where('swap_id', '=', swap.view.swap.id)
    .execute()
  const all = await Promise.all(
    rows.map(async ({ kind, state, started, id: one }) => ({
      kind,
      state,
      started,
      hold: (await holdOf(services.database, one))?.code,
    })),
  )
  expect({ during, all }).toEqual({
    during: { code: 'restore_doubt' },
    all: [{ kind: 'output', state: 'open', started: false, hold: 'restore_doubt' }],
  })
})
