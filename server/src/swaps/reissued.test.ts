/** After a rollback of the database, also an unnoticed one, no new swap has the reference of a swap that was lost. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Restorable, startRestorable } from '../../../tests/support/service/restorable.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

test('a deposit for a lost swap is never paid to the next swap', async () => {
  const backup = await world.backup()
  // A swap of the last minutes before the crash; nothing was paid in these minutes.
  const lost = await world.coinSwap('Alice')
  await world.goBackTo(backup)
  // The operator does not run "restored": the service starts, finds nothing unusual, and is open.
  expect(await world.run('switch', 'list')).not.toContain('service')
  const next = await world.coinSwap('Bob')
  expect(next.view.reference).not.toBe(lost.view.reference)
  // Alice pays as she was told.
  world.sendCoins(lost, 10n ** 18n, `${lost.view.reference}`)
  await world.settle()
  await world.settle()
  expect(world.received(next)).toBe(0n)
})
