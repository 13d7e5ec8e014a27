/**
 * After a database rollback, even an unnoticed one, no new swap gets the reference or the deposit address of a lost
 * one.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Restorable, startRestorable } from '../../../tests/support/service/restorable.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

test.each([
  ['reference', false],
  ['deposit address', true],
])('a deposit for a lost swap is never paid to the swap that is created next: %s', async (_, atAddress) => {
  const backup = await world.backup()
  // A swap of the last minutes before the crash; nothing was paid in these minutes.
  const lost = await world.coinSwap('Alice', atAddress)
  await world.goBackTo(backup)
  // The operator does not run `restore`: the service starts, finds nothing unusual, and is open.
  expect(await world.run('switch', 'list')).not.toContain('service')
  const next = await world.coinSwap('Bob', atAddress)
  expect(next.view.reference).not.toBe(lost.view.reference)
  if (atAddress) expect(next.view.receiver).not.toBe(lost.view.receiver)
  // Alice pays to the address that she was given.
  world.sendCoins(lost, 10n ** 18n, atAddress ? null : `${lost.view.reference}`)
  await world.settle()
  await world.settle()
  expect(world.received(next)).toBe(0n)
})
