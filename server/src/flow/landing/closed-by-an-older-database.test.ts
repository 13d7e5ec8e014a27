/** A database that went back in time lacks the newest attempt of a slot: what it proves about the older ones must not lift the fence. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Restorable, STUCK_MS, startRestorable } from '../../../../tests/support/service/restorable.ts'
import { insertJournalRow, readJournalRow } from '../../store/journal/journal-row.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { stopSigning } from '../journal/stop-signing.ts'
import { pay } from '../payouts/pay.ts'
import { beat } from '../run/counters.ts'

const ONE = 10n ** 18n
let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

/** The first attempt is in the backup. The fee bump that was mined is not. */
async function rolledBackBeforeBump(): Promise<{ swap: CreatedSwap; paid: bigint }> {
  const swap = await world.coinSwap('Alice')
  world.sendCoins(swap, ONE)
  await world.mineAndWatch('ALPHA', 7)
  await world.hand().runJobs()
  const { id } = await world.payoutOf(swap)
  const attempts = () => world.hand().services.database.selectFrom('attempt').select('number').execute()
  expect(await attempts()).toHaveLength(1)
  const backup = await world.backup()
  world.hand().passTime(STUCK_MS + 1_000)
  await pay(world.hand().services, id)
  expect(await attempts()).toHaveLength(2)
  world.hand().chain('BETA').mine(13)
  const paid = world.received(swap)
  expect(paid).toBeGreaterThan(0n)
  const { journal } = world.hand().services
  await world.goBackTo(backup, { journal, isAudited: false })
  for (const chain of world.hand().services.chains.values()) delete chain.audit
  return { swap, paid }
}

test('a payout whose mined fee bump the database has lost is not paid again', async () => {
  const { swap, paid } = await rolledBackBeforeBump()
  await world.settle()
  await world.askAgain()
  await world.settle()
  expect(world.received(swap)).toBe(paid)
})

test('while signing is stopped nothing in the journal is closed as unpaid', async () => {
  const { swap, paid } = await rolledBackBeforeBump()
  const { services } = world.hand()
  if (!(await readJournalRow(services.database)))
    await insertJournalRow(services.database, services.journal.id, randomUUID())
  await stopSigning(services, 'rolled_back').catch(() => undefined)
  await world.settle()
  for (const word of ['--apply', '--resume']) await world.run('restore', word)
  await beat(services, () => undefined)
  expect(services.signing.stopped).toBeNull()
  await world.askAgain()
  await world.settle()
  expect(world.received(swap)).toBe(paid)
})
