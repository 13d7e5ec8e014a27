/** What a restore leaves out of numbers still leaves numbers that every network can carry, and holds up nobody who comes after it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { depositAction } from '../../../../chains/starkex/src/depositing/deposit.ts'
import { referenceIn } from '../../../../chains/zksynclite/src/depositing/deposit.ts'
import { MAX_TIMESTAMP } from '../../../../chains/zksynclite/src/transaction.ts'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

test('a restore two days after the newest swap leaves numbers that a transfer on StarkEx can carry', async () => {
  await world.coinSwap('the last one before')
  const backup = await world.backup()
  await world.goBackTo(backup)
  world.hand().passTime(2 * 24 * 3_600_000)
  await world.sayRestored()
  await world.resume()
  const { view } = await world.coinSwap('the first one after')
  const request = { token: view.swap.source, units: 1n, receiver: view.receiver, reference: view.sequence }
  expect(() => depositAction(request as Parameters<typeof depositAction>[0])).not.toThrow()
})

test('a restore half a day after the newest swap leaves numbers that published wallets of zkSync Lite can carry', async () => {
  await world.coinSwap('the last one before')
  const backup = await world.backup()
  await world.goBackTo(backup)
  world.hand().passTime(12 * 3_600_000)
  await world.sayRestored()
  await world.resume()
  const { sequence } = (await world.coinSwap('the first one after')).view
  // They count down from the last moment: what is not read as a number is unmatched.
  expect(referenceIn(MAX_TIMESTAMP - Number(sequence))).toBe(sequence)
})

test('a swap made after a restore is held up by nobody who writes an old number beside what they send to its address', async () => {
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
  // A stranger's dust, with a number from before the restore.
  world.sendCoins(disturbed, 10n ** 12n, `${forgotten.view.sequence}`)
  await world.settle()
  await world.askAgain()
  await world.settle()
  const rows = world.hand().services.database.selectFrom('payout').select(['kind', 'state', 'held_by'])
  const of = ({ view }: CreatedSwap) => rows.where('swap_id', '=', view.swap.id).where('kind', '=', 'output').execute()
  expect(await of(alone)).toMatchObject([{ state: 'confirmed', held_by: null }])
  expect(await of(disturbed)).toMatchObject([{ state: 'confirmed', held_by: null }])
})

test('no address is given out on a network that was not read after a restore: the next one may be somebody’s', async () => {
  const backup = await world.backup()
  await world.goBackTo(backup)
  // Said in vain for that network, and resumed all the same.
  const unread = world.run('restored', '--watch', '20', '--addresses', '1000', '--from', `${FROM}=1`)
  await expect(unread).rejects.toThrow(FROM)
  await world.resume()
  await world.hand().services.safeguards.refresh()
  await expect(world.coinSwap('too early', true)).rejects.toThrow(`No address of ${FROM} is given out now.`)
  await expect(world.coinSwap('by its number')).resolves.toBeDefined()
  await world.sayRestored()
  await world.resume()
  await world.hand().services.safeguards.refresh()
  await expect(world.coinSwap('in time', true)).resolves.toBeDefined()
})
