/** A balance that nodes print as a double is compared within its noise. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { listHalts } from '../../store/limits/halts.ts'
import { reconcile } from './reconcile.ts'

const TO = 'BETA'
const FINAL = 6
const LOOKS = 3

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(await database.createDatabase())
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

/** A check, and enough blocks to make it final. */
async function lookFinally(network: string): Promise<void> {
  await reconcile(hand.services)
  hand.chain(network).mine(FINAL)
  await hand.watch(network)
  await reconcile(hand.services)
}

test('a balance that nodes print as a double may be off by its noise, and by no more', async () => {
  for (const network of ['ALPHA', TO]) await lookFinally(network)
  const chain = chainOf(hand.services.chains, TO)
  const { treasury } = chain
  const usdc = chain.network.tokens.find(({ symbol }) => symbol === 'USDC')
  const { balances } = chain
  let off = -5n
  chain.balanceNoise = () => 10n
  chain.balances = async (wanted) => {
    const read = await balances(wanted)
    const isIt = ({ owner, token }: (typeof wanted)[number]) => owner === treasury && token.contract === usdc?.contract
    return {
      ...read,
      units: read.units.map((units, at) => (wanted.some((one, i) => i === at && isIt(one)) ? units + off : units)),
    }
  }
  for (let time = 0; time < LOOKS; time++) await lookFinally(TO)
  expect(await listHalts(hand.services.database)).toEqual([])
  off = -11n
  for (let time = 0; time < LOOKS; time++) await lookFinally(TO)
  expect(await listHalts(hand.services.database)).toMatchObject([{ network: TO, account: treasury }])
})
