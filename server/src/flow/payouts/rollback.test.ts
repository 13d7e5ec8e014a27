/** The journal's fences and the process counters, over a database that is rolled back without notice. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { holdOf } from '../../../../tests/support/service/holds.ts'
import { type Restorable, startRestorable } from '../../../../tests/support/service/restorable.ts'
import { insertJournalRow, setJournalState } from '../../store/journal/journal-row.ts'
import { beat } from '../run/counters.ts'

const ONE = 10n ** 18n
let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

/** As after an unnoticed rollback: the same journal, and no check of the chain's history. */
async function rollBackUnnoticed(backup: string): Promise<void> {
  const { journal } = world.hand().services
  await world.goBackTo(backup, { journal, isAudited: false })
  for (const chain of world.hand().services.chains.values()) delete chain.audit
}

test('a deposit paid for before the rollback is not paid for again, although its swap is known', async () => {
  const swap = await world.coinSwap('Alice')
  const backup = await world.backup()
  world.sendCoins(swap, ONE)
  await world.settle()
  const paid = world.received(swap)
  expect(paid).toBeGreaterThan(0n)
  await rollBackUnnoticed(backup)
  await world.settle()
  await world.settle()
  expect(world.received(swap)).toBe(paid)
  const { services } = world.hand()
  expect(services.signing.stopped).toBe('rolled_back')
  expect(services.journal.state()).toBe('rolled_back')
  expect(await holdOf(services.database, (await world.payoutOf(swap)).id)).toMatchObject({ code: 'signing_stopped' })
  await expect(world.coinSwap('Bob')).rejects.toMatchObject({ code: 'SERVICE_STARTING' })
  // An operator replays the journal and resumes: the swap takes over the payout.
  await insertJournalRow(services.database, services.journal.id, randomUUID())
  await setJournalState(services.database, 'rolled_back')
  await world.restore()
  expect([services.signing.stopped, services.journal.state()]).toEqual([null, 'running'])
  const next = await world.coinSwap('Bob')
  world.sendCoins(next, ONE)
  await world.settle()
  await world.askAgain()
  await world.settle()
  expect(world.received(swap)).toBe(paid)
  expect(world.received(next)).toBeGreaterThan(0n)
  expect(await world.statusOf(swap)).toBe('completed')
})

test('a payout signed before the rollback gets no other slot', async () => {
  const swap = await world.coinSwap('Alice')
  world.sendCoins(swap, ONE)
  for (const network of ['ALPHA', 'BETA']) await world.mineAndWatch(network, 7)
  const backup = await world.backup()
  await world.settle()
  const paid = world.received(swap)
  await rollBackUnnoticed(backup)
  await world.settle()
  expect(world.received(swap)).toBe(paid)
})

test('a process whose counter went back stops before it allocates a slot', async () => {
  const { services } = world.hand()
  const swap = await world.coinSwap('Alice')
  services.signing.seen = 1_000n
  world.sendCoins(swap, ONE)
  await world.settle()
  expect(world.received(swap)).toBe(0n)
  expect(services.signing.stopped).toBe('rolled_back')
})

test('a heartbeat notices a counter that went back, here or in another process', async () => {
  const { services } = world.hand()
  await beat(services, () => undefined)
  expect(services.signing.stopped).toBeNull()
  await services.journal.saveMark({ ...services.journal.mark(), '00000000-0000-4000-8000-000000000000': [5, 0] })
  await beat(services, () => undefined)
  expect(services.signing.stopped).toBe('rolled_back')
})
