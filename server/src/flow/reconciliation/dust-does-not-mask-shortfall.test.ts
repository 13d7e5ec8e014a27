/**
 * Third-party deposits do not disturb reconciliation: a round previews the scan once for all addresses, and missing
 * coins are reported whatever arrives meanwhile.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { listHalts } from '../../store/limits/halts.ts'
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

/** Reconciles at a final block. Returns how often that scanned the chain. */
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

test('one preview serves all addresses with a difference in a round', async () => {
  await compared()
  for (let count = 0; count < DUSTED; count++) {
    const { view } = await hand.swap(FROM, TO, { useDepositAddress: true })
    hand.chain(FROM).mint(view.receiver, null, 7n)
  }
  await pass(1)
  expect(await compared()).toBe(1)
  expect(await findings()).toBe(DUSTED)
})

/** Sends one unit to the treasury, in a block of its own. */
function dust(): void {
  const chain = hand.chain(FROM)
  const thief = accountFrom('thief')
  const { treasury } = chainOf(hand.services.chains, FROM)
  chain.mint(thief.address, null, chain.feePerMove + 1n)
  const moves = [{ from: thief.address, to: treasury, contract: null, units: 1n }]
  const words = { network: FROM, account: thief.address, nonce: chain.nonce(thief.address), fee: chain.feePerMove }
  chain.submit(signedBy({ ...words, memo: null, moves }, thief))
  chain.mine(1)
}

/** The scan never reaches the head that the node reports. */
function isAlwaysBehind(): void {
  const chain = chainOf(hand.services.chains, FROM)
  const { scan } = chain
  chain.scan = async (...asked) => {
    const found = await scan(...asked)
    return { ...found, head: { number: found.head.number + 1n, hash: `after ${found.head.hash}` } }
  }
}

test.each([
  ['dust comes before every look', dust],
  ['the network is always a block ahead', isAlwaysBehind],
])('coins that are missing halt the wallet, though %s', async (_, disturb) => {
  await compared()
  const { treasury, network } = chainOf(hand.services.chains, FROM)
  const usdc = network.tokens.find(({ symbol }) => symbol === 'USDC')
  hand.chain(FROM).mint(treasury, usdc?.contract ?? null, -1_000_000_000n)
  disturb()
  for (let look = 0; look < 2; look++) {
    await pass(1)
    if (disturb === dust) dust()
    await reconcile(hand.services)
  }
  expect(await listHalts(hand.services.database)).toHaveLength(1)
})
