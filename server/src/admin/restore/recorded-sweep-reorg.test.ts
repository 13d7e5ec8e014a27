/** A sweep that a restore replays is booked when it is final: a reorg may mine it again with other amounts. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FINAL, FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { sweepAddresses } from '../../flow/kinds/sweep.ts'
import { reconcile } from '../../flow/reconciliation/reconcile.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'

let world: Restorable
beforeAll(async () => {
  world = await startRestorable()
})
afterAll(() => world.stop())

const LEFT = 1_000n

test('a replayed sweep that a reorg mines again is booked with what it moved then', async () => {
  const swap = await world.hand().swap(FROM, TO, { useDepositAddress: true })
  world.hand().deposit(swap)
  await world.settle()
  await reconcile(world.hand().services)
  await world.settle()
  const backup = await world.backup()
  await world.hand().services.refresh()
  await sweepAddresses(world.hand().services)
  await world.hand().runJobs()
  await world.rollBackTo(backup)
  await world.restore()
  // Confirmed, and not final.
  await world.mineAndWatch(FROM, FINAL - 1)

  const simulated = world.hand().chain(FROM)
  const { treasury } = chainOf(world.hand().services.chains, FROM)
  simulated.reorg(FINAL - 1, 'returned')
  const sweep = simulated.mempool.find(({ account }) => account === treasury)
  if (!sweep) throw new Error('no sweep waits')
  simulated.alter(
    sweep.hash,
    sweep.moves.map((move) => ({ ...move, units: move.units - LEFT })),
  )
  await world.mineAndWatch(FROM, FINAL)
  await world.mineAndWatch(FROM, FINAL)
  const token = swap.view.swap.source
  expect(simulated.balance(swap.view.receiver, token.contract)).toBe(LEFT)
  expect(await ledgerUnits(world.hand().services.database, swap.view.receiver, token)).toBe(LEFT)
  await world.expectBooksEqualChains()
})
