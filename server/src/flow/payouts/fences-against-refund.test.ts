/** Only the journal's fences protect: the database was rolled back and nothing has noticed it. */
import { RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Restorable, startRestorable } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { applyEvent } from '../swap/advance.ts'

const ONE = 10n ** 18n
let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

test('a payout signed before an unnoticed rollback is not refunded because nodes were down for a while', async () => {
  const swap = await world.coinSwap('Alice')
  world.sendCoins(swap, ONE)
  for (const network of ['ALPHA', 'BETA']) await world.mineAndWatch(network, 7)
  const backup = await world.backup()
  await world.settle()
  const paid = world.received(swap)
  expect(paid).toBeGreaterThan(0n)
  const { journal } = world.hand().services
  await world.goBackTo(backup, { journal, isAudited: false })
  const { services } = world.hand()
  for (const chain of services.chains.values()) delete chain.audit
  // No node of the destination answers for longer than payouts are retried.
  const adapter = chainOf(services.chains, 'BETA')
  const { prepare } = adapter
  Object.assign(adapter, { prepare: () => Promise.reject(new RetryLater('no node answers')) })
  await world.askAgain()
  world.hand().passTime(services.config.payoutGiveUpMs + 60_000)
  await world.askAgain()
  Object.assign(adapter, { prepare })
  await services.refresh()
  await applyEvent(services, swap.view.swap.id, { type: 'tick' })
  await world.settle()
  await world.askAgain()
  await world.settle()
  const back = world
    .hand()
    .chain('ALPHA')
    .balance(swap.view.swap.refundAddress ?? '', null)
  expect([world.received(swap), back]).toEqual([paid, 0n])
})
