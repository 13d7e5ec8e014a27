/** docs/operate/restore.md, "If you forget step 4": a restored database pays nothing twice, refunds included. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

test("a payout that may have been made is not refunded because its wallet's history is unreadable", async () => {
  await world.settle()
  await world.run('switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'backup')
  const swap = await world.hand().swap(FROM, TO)
  world.hand().deposit(swap)
  await world.settle()
  await world.run('switch', 'resume', '--scope', 'service')
  const backup = await world.backup()
  await world.askAgain()
  await world.settle()
  const paid = world.received(swap)
  expect(paid, 'it was paid after the backup').toBeGreaterThan(0n)
  expect(await world.statusOf(swap)).toBe('completed')

  // Its node is up, and cannot tell the past (pruned, or a limit of the provider): `movements` answers RetryLater.
  const { faults } = world.hand().node(TO)
  Object.assign(faults, { on: ['blocks'], timeouts: 1_000_000 })
  await world.goBackTo(backup)
  const { services } = world.hand()
  const refunded = () =>
    world
      .hand()
      .chain(FROM)
      .balance(swap.view.swap.refundAddress ?? '', swap.view.swap.source.contract)
  const before = refunded()
  await world.askAgain()
  expect(await world.payoutOf(swap)).toMatchObject({ state: 'open', started: false })
  world.hand().passTime(services.config.payoutGiveUpMs + 1_000)
  await services.refresh()
  await world.askAgain()
  await world.mineAndWatch(FROM, 13)
  await world.askAgain()
  await world.mineAndWatch(FROM, 13)
  const rows = await services.database
    .selectFrom('payout')
    .select(['kind', 'state', 'held_by'])
    .where('swap_id', '=', swap.view.swap.id)
    .orderBy('number')
    .execute()
  Object.assign(faults, { on: null, timeouts: 0 })
  expect({ rows, refunded: refunded() - before, received: world.received(swap) }).toMatchObject({
    refunded: 0n,
    received: paid,
    rows: [{ kind: 'output', state: 'open' }],
  })
})

test('no refund is made on one network until it is known whether the other paid the swap', async () => {
  await world.settle()
  await world.run('switch', 'resume', '--scope', 'service').catch(() => undefined)
  const swap = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  world.hand().deposit(swap)
  await world.settle()
  const paid = world.received(swap)
  expect(paid, 'it was paid after the backup').toBeGreaterThan(0n)

  // The service comes back after the window of the swap; the nodes of the destination are down for a while.
  const { faults } = world.hand().node(TO)
  const { faults: healthy } = world.hand().node(FROM)
  for (const each of [faults, healthy]) Object.assign(each, { on: ['blocks'], timeouts: 1_000_000 })
  await world.goBackTo(backup)
  const { services } = world.hand()
  Object.assign(healthy, { on: null, timeouts: 0 })
  Object.assign(faults, { on: null })
  world.hand().passTime(24 * 3_600_000)
  await services.market.refreshPrices()
  await services.market.refresh(services.catalogue.network(FROM))
  const refunded = () =>
    world
      .hand()
      .chain(FROM)
      .balance(swap.view.swap.refundAddress ?? '', swap.view.swap.source.contract)
  for (let round = 0; round < 3; round++) {
    await world.mineAndWatch(FROM, 13)
    await world.askAgain()
  }
  const { status, fail_reason } = await services.database
    .selectFrom('swap')
    .select(['status', 'fail_reason'])
    .where('id', '=', swap.view.swap.id)
    .executeTakeFirstOrThrow()
  Object.assign(faults, { on: null, timeouts: 0 })
  expect({ status, fail_reason, refunded: refunded(), received: world.received(swap) }).toMatchObject({
    refunded: 0n,
    received: paid,
  })
})
