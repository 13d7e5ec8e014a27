/** Deposit addresses that strangers have sent something to: however many, a round looks at the chain once for all of them. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { reconcile } from './reconcile.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 6
const DUSTED = 12

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
})
afterEach(() => hand.stop())
afterAll(() => database.stop())

async function pass(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

/** A look that is final, and how often the chain was scanned for comparing it. */
async function compared(): Promise<number> {
  await reconcile(hand.services)
  await pass(FINAL)
  const chain = chainOf(hand.services.chains, FROM)
  const { scan } = chain
  let scans = 0
  chain.scan = (...asked) => {
    scans += 1
    return scan(...asked)
  }
  await reconcile(hand.services)
  chain.scan = scan
  return scans
}

async function findings(): Promise<number> {
  const rows = await hand.services.database
    .selectFrom('reconciliation')
    .select('account')
    .where('network', '=', FROM)
    .where('surplus_units', '=', 7n)
    .execute()
  return rows.length
}

test('one look serves all addresses of a round on which something is different', async () => {
  await compared()
  for (let count = 0; count < DUSTED; count++) {
    const { view } = await hand.swap(FROM, TO, { useDepositAddress: true })
    hand.chain(FROM).mint(view.receiver, null, 7n)
  }
  await pass(1)
  expect(await compared()).toBe(1)
  expect(await findings()).toBe(DUSTED)
})
