/** While signing is stopped it is unknown which payouts were made: none is given up, so nothing is refunded. */
import { randomUUID } from 'node:crypto'
import { PayoutImpossible, RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Restorable, startRestorable } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { insertJournalRow, setJournalState } from '../../store/journal/journal-row.ts'
import { beat } from '../run/counters.ts'
import { applyEvent } from '../swap/advance.ts'

const ONE = 10n ** 18n
let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

const refunds = () =>
  world.hand().services.database.selectFrom('payout').select(['kind', 'state']).where('kind', '=', 'refund').execute()

/** A payout was made in the time that the rollback removed; the fence noticed it and signing is stopped. */
async function stoppedAfterPayment() {
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
  await world.settle()
  expect(services.signing.stopped).toBe('rolled_back')
  expect((await world.payoutOf(swap)).state).toBe('open')
  return { swap, paid, services }
}

test.each([
  ['no node answers for longer than payouts are tried', new RetryLater('no node answers')],
  ['the recipient takes no coins now', new PayoutImpossible('the recipient refuses')],
])('a payout is not given up and refunded while signing is stopped: %s', async (_, error) => {
  const { swap, services } = await stoppedAfterPayment()
  const adapter = chainOf(services.chains, 'BETA')
  const { prepare } = adapter
  Object.assign(adapter, { prepare: () => Promise.reject(error) })
  await world.askAgain()
  world.hand().passTime(services.config.payoutGiveUpMs + 60_000)
  await world.askAgain()
  await world.askAgain()
  Object.assign(adapter, { prepare })
  expect((await world.payoutOf(swap)).state).toBe('open')
  expect(await refunds()).toEqual([])
})

test('a payout made before the rollback is not refunded as well, once an operator resumes', async () => {
  const { swap, paid, services } = await stoppedAfterPayment()
  const adapter = chainOf(services.chains, 'BETA')
  const { prepare } = adapter
  Object.assign(adapter, { prepare: () => Promise.reject(new RetryLater('no node answers')) })
  await world.askAgain()
  world.hand().passTime(services.config.payoutGiveUpMs + 60_000)
  await world.askAgain()
  Object.assign(adapter, { prepare })
  await insertJournalRow(services.database, services.journal.id, randomUUID())
  await setJournalState(services.database, 'rolled_back')
  for (const word of ['--apply', '--resume']) await world.run('restore', word)
  await beat(services, () => undefined)
  expect(services.signing.stopped).toBeNull()
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
