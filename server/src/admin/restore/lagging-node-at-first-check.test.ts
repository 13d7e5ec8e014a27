/** After a restore without the `restored` command, a node that lagged at the first check causes no second payment. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

async function goOn(swap: Awaited<ReturnType<ReturnType<Restorable['hand']>['swap']>>, hours: number) {
  const { services } = world.hand()
  world.hand().passTime(hours * 3_600_000)
  await services.market.refreshPrices()
  for (const name of [FROM, TO]) await services.market.refresh(services.catalogue.network(name))
  const refunded = () =>
    world
      .hand()
      .chain(FROM)
      .balance(swap.view.swap.refundAddress ?? '', swap.view.swap.source.contract)
  for (let round = 0; round < 3; round++) {
    await world.mineAndWatch(FROM, 13)
    await world.askAgain()
  }
  const rows = await services.database
    .selectFrom('payout')
    .select(['kind', 'network', 'state', 'held_by'])
    .where('swap_id', '=', swap.view.swap.id)
    .execute()
  return { rows, refunded: refunded(), received: world.received(swap) }
}

test('the node of the destination lagged at the first look: what it delivered is not sent back later', async () => {
  await world.settle()
  const swap = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  const then = world.hand().chain(TO).height
  world.hand().deposit(swap)
  await world.settle()
  const paid = world.received(swap)
  expect(paid, 'it was paid after the backup').toBeGreaterThan(0n)
  const { faults } = world.hand().node(TO)
  Object.assign(faults, { behind: world.hand().chain(TO).height - then })
  await world.goBackTo(backup)
  // A moment later it has caught up.
  Object.assign(faults, { behind: 0 })
  await world.mineAndWatch(TO, 13)
  const end = await goOn(swap, 24)
  expect(end, JSON.stringify(end.rows)).toMatchObject({ refunded: 0n, received: paid })
})

test('a payout in flight at a restore lands on one network and is not refunded on the other that day', async () => {
  await world.settle()
  const swap = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  world.hand().deposit(swap)
  await world.mineAndWatch(FROM, 13)
  await world.hand().runJobs()
  expect(world.hand().chain(TO).mempool.length, 'it is on its way').toBe(1)
  await world.goBackTo(backup)
  // The operator does as docs/operate/restore.md says.
  const said = await world.run('restored', '--watch', '20')
  await world.run('switch', 'resume', '--scope', 'service').catch(() => undefined)
  // It lands, and is final.
  await world.mineAndWatch(TO, 13)
  const paid = world.received(swap)
  expect(paid).toBeGreaterThan(0n)
  const end = await goOn(swap, 12)
  expect(end, `${said} ${JSON.stringify(end.rows)}`).toMatchObject({ refunded: 0n, received: paid })
})

test('the node lagged at the first look: within the minute after it an output is not made again', async () => {
  await world.settle()
  const swap = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  const then = world.hand().chain(TO).height
  world.hand().deposit(swap)
  await world.settle()
  const paid = world.received(swap)
  const { faults } = world.hand().node(TO)
  Object.assign(faults, { behind: world.hand().chain(TO).height - then })
  await world.goBackTo(backup)
  Object.assign(faults, { behind: 0 })
  await world.hand().services.refresh()
  await world.mineAndWatch(FROM, 13)
  await world.askAgain()
  await world.mineAndWatch(TO, 13)
  expect({ received: world.received(swap) }).toEqual({ received: paid })
})
