/** A node that lags answers "unknown" about a transaction that the scan has read in a block that no reorg replaced. */
import type { ChainAdapter } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 6

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

const alerts = async () => Number((await hand.services.metrics.alerts.get()).values[0]?.value ?? 0)

test.each([FINAL + 2, 2 * FINAL + 2, 4 * FINAL])(
  'a deposit that a lagging node does not know for %i heads is credited, or a person is told',
  async (heads) => {
    const swap = await hand.swap(FROM, TO)
    hand.deposit(swap)
    hand.chain(FROM).mine(1)
    await hand.watch(FROM)
    const adapter: ChainAdapter = chainOf(hand.services.chains, FROM)
    const { inspect } = adapter
    Object.assign(adapter, { inspect: async () => ({ state: 'unknown' }) })
    for (let head = 0; head < heads; head++) {
      hand.chain(FROM).mine(1)
      await hand.watch(FROM)
    }
    Object.assign(adapter, { inspect })
    for (let head = 0; head < 4 * FINAL; head++) {
      hand.chain(FROM).mine(1)
      await hand.watch(FROM)
    }
    const [deposit] = await hand.services.database.selectFrom('deposit').select(['state', 'final']).execute()
    expect([deposit?.state === 'confirmed', (await alerts()) > 0]).toContain(true)
  },
)
