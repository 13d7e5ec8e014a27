/** Words about what counts already: the last one counts, and none from before a restore. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { takeBackPaid } from '../../flow/checks/recognise.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

/** A swap that was paid in the restore gap, and that an operator marked as paid: it is confirmed. */
async function recognised(): Promise<{ swap: CreatedSwap; id: string; txHash: string; had: bigint }> {
  const swap = await world.coinSwap('who was paid')
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  world.sendCoins(swap, 10n ** 18n)
  await world.settle()
  const [txHash = ''] = await world.sentSince(TO, base)
  await world.goBackTo(backup)
  await world.sayRestored()
  await world.settle()
  await world.resume()
  await world.settle()
  const { id } = await world.payoutOf(swap)
  await world.run('restored', 'paid', '--payout', id, '--transaction', txHash)
  await world.hand().runJobs()
  expect(await world.statusOf(swap)).toBe('completed')
  return { swap, id, txHash, had: world.received(swap) }
}

test('"restored paid" right after a mistaken "unpaid --despite" counts: nothing is paid again', async () => {
  const { swap, id, txHash, had } = await recognised()
  await world.run('restored', 'unpaid', '--payout', id, '--despite', txHash)
  // The wrong id: it is noticed at once, and said so, before the service has come to it.
  const said = await world.run('restored', 'paid', '--payout', id, '--transaction', txHash)
  expect(said).toContain(`counts as made by ${txHash}`)
  await world.settle()
  await world.askAgain()
  await world.settle()
  expect(world.received(swap), said).toBe(had)
})

test('an "unpaid" that is pending at the backup must be decided again after another restore', async () => {
  const { swap, id, txHash, had } = await recognised()
  // Suppose that it was none of this payout's: the word is right, and it is paid after this backup.
  await world.run('restored', 'unpaid', '--payout', id, '--despite', txHash)
  const backup = await world.backup()
  await world.settle()
  await world.settle()
  const paidOnce = world.received(swap)
  expect(paidOnce).toBeGreaterThan(had)
  await world.goBackTo(backup)
  await world.sayRestored()
  await world.settle()
  await world.resume()
  await world.settle()
  await world.askAgain()
  await world.settle()
  expect(world.received(swap)).toBe(paidOnce)
})

test('a job that was carried out and runs again after a crash does not revert a later decision', async () => {
  const { swap, id, txHash, had } = await recognised()
  await world.run('switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'nothing is sent meanwhile')
  await world.run('restored', 'unpaid', '--payout', id, '--despite', txHash)
  await world.hand().runJobs()
  expect(await world.payoutOf(swap)).toMatchObject({ state: 'open', made_in: null })
  // It was right the first time.
  await world.run('restored', 'paid', '--payout', id, '--transaction', txHash)
  await world.hand().runJobs()
  expect(await world.payoutOf(swap)).toMatchObject({ state: 'confirmed', made_in: txHash })
  // The process died before it could tick its errand off: the worker runs it once more.
  await takeBackPaid(world.hand().services, id, txHash)
  await world.resume()
  await world.settle()
  await world.askAgain()
  await world.settle()
  expect(world.received(swap)).toBe(had)
})
