/** After a rollback of the database the ledger lacks what was paid since: no balance is judged until the operator has restored it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { listHalts } from '../../store/limits/halts.ts'
import { reconcile } from './reconcile.ts'

const NETWORK = 'BETA'
const FINAL = 6

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(await database.createDatabase())
})
afterAll(async () => {
  await hand?.stop()
  await database?.stop()
})

/** Two comparisons at different final blocks, and each of the faster checks twice. */
async function compareTwice(): Promise<void> {
  for (let time = 0; time < 2; time++) {
    await reconcile(hand.services)
    hand.chain(NETWORK).mine(FINAL)
    await hand.watch(NETWORK)
    await reconcile(hand.services)
  }
}

test('a missing coin halts no wallet until signing goes on', async () => {
  await compareTwice()
  const { treasury, network } = chainOf(hand.services.chains, NETWORK)
  const { signing } = hand.services
  const usdc = network.tokens.find(({ symbol }) => symbol === 'USDC')
  hand.chain(NETWORK).mint(treasury, usdc?.contract ?? null, -1n)
  // Rolled back, and not noticed yet: the counter of this process is lower than before.
  signing.seen += 1_000n
  await compareTwice()
  expect(await listHalts(hand.services.database)).toEqual([])
  signing.seen -= 1_000n
  signing.stopped = 'rolled_back'
  await compareTwice()
  expect(await listHalts(hand.services.database)).toEqual([])
  signing.stopped = null
  await compareTwice()
  expect(await listHalts(hand.services.database)).toMatchObject([{ network: NETWORK, account: treasury }])
})
