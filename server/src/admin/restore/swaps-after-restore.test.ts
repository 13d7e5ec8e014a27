/** New swaps after a restore: what belongs to lost swaps neither delays them nor is given to them. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

test('a swap made after a restore is not delayed by an old number in a transfer to its address', async () => {
  const forgotten = await world.coinSwap('who was paid')
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  world.sendCoins(forgotten, 10n ** 18n)
  await world.settle()
  const [txHash = ''] = await world.sentSince(TO, base)
  await world.goBackTo(backup)
  await world.sayRestored()
  await world.run('restored', 'accept', '--transaction', txHash)
  await world.settle()
  await world.resume()
  await world.settle()
  const [alone, disturbed] = [await world.coinSwap('a new one', true), await world.coinSwap('another new one', true)]
  for (const swap of [alone, disturbed]) {
    world.sendCoins(swap, 10n ** 18n, null)
    world.hand().chain(FROM).mine(1)
  }
  // Foreign dust, with a number from before the restore.
  world.sendCoins(disturbed, 10n ** 12n, `${forgotten.view.reference}`)
  await world.settle()
  await world.askAgain()
  await world.settle()
  const rows = world.hand().services.database.selectFrom('payout').select(['kind', 'state', 'held_by'])
  const of = ({ view }: CreatedSwap) => rows.where('swap_id', '=', view.swap.id).where('kind', '=', 'output').execute()
  expect(await of(alone)).toMatchObject([{ state: 'confirmed', held_by: null }])
  expect(await of(disturbed)).toMatchObject([{ state: 'confirmed', held_by: null }])
})
