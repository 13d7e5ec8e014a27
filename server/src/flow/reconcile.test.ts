/** The reconciler acts on what is true of the chain, not on what a node or the scan does not know yet. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { unsettledUnits } from '../store/ledger.ts'
import { listHalts } from '../store/safeguards.ts'
import { reconcile } from './reconcile.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const TIER = 2
const FINAL = 6
/** More than it needs to be sure of a difference. */
const LOOKS = 3

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  await look()
})
afterEach(() => {
  hand.node(FROM).faults.behind = 0
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

async function look(): Promise<void> {
  for (let time = 0; time < LOOKS; time++) await reconcile(hand.services)
}

async function pass(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

async function booked(reason: string): Promise<bigint[]> {
  const rows = await hand.services.database
    .selectFrom('ledger_entry')
    .select('units')
    .where('account', '=', 'wallet')
    .where('reason', '=', reason)
    .execute()
  return rows.map(({ units }) => units)
}

test('a deposit that the scan has not come to yet is not booked as coins of nobody', async () => {
  hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  await look()
  await hand.watch(FROM)
  await look()
  expect(await booked('deposit')).toHaveLength(1)
  expect(await booked('unannounced')).toEqual([])
  expect(await listHalts(hand.services.database)).toEqual([])
})

test('a node that has not heard of a deposit yet does not halt the wallet', async () => {
  hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  hand.node(FROM).faults.behind = TIER
  await look()
  expect(await listHalts(hand.services.database)).toEqual([])
})

test('coins that came by a way that no scan shows are booked once', async () => {
  const { treasury } = hand.services.chains.get(FROM) ?? { treasury: '' }
  hand.chain(FROM).mint(treasury, null, 77n)
  await look()
  expect(await booked('unannounced')).toEqual([])
  await pass(2 * FINAL)
  await look()
  await look()
  expect(await booked('unannounced')).toEqual([77n])
})

test('a balance that is ahead of a scan through another node is no surplus', async () => {
  hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  const { faults } = hand.node(FROM)
  // Balances come from a node that is up to date, blocks from one that is not.
  hand.node(FROM).hooks = {
    beforeCall: (call) => {
      faults.behind = call === 'balance' ? 0 : TIER
    },
  }
  await look()
  hand.node(FROM).hooks = {}
  faults.behind = 0
  await hand.watch(FROM)
  await look()
  expect(await booked('unannounced')).toEqual([77n])
  expect(await listHalts(hand.services.database)).toEqual([])
})

test('a balance that is behind a scan through another node is no loss', async () => {
  hand.deposit(await hand.swap(FROM, TO))
  await pass(TIER)
  const { faults } = hand.node(FROM)
  hand.node(FROM).hooks = {
    beforeCall: (call) => {
      faults.behind = call === 'balance' ? TIER : 0
    },
  }
  await look()
  hand.node(FROM).hooks = {}
  faults.behind = 0
  expect(await listHalts(hand.services.database)).toEqual([])
})

test('coins that leave a wallet at work halt it, and its own payouts do not', async () => {
  const chain = hand.services.chains.get(TO)
  const usdc = chain?.network.tokens.find(({ symbol }) => symbol === 'USDC')
  if (!chain || !usdc) throw new Error('no such token')
  hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  await hand.runJobs()
  await look()
  // Landed and not counted yet, then counted and not final yet.
  hand.chain(TO).mine()
  await look()
  hand.chain(TO).mine(TIER - 1)
  await hand.watch(TO)
  await look()
  expect(await listHalts(hand.services.database)).toEqual([])
  // It has landed and counts; until it is final a dearer attempt may take its place.
  const unsettled = (feeForEach: bigint) =>
    unsettledUnits(hand.services.database, chain.network.nativeToken, chain.treasury, feeForEach)
  expect(await unsettled(10n)).toBeGreaterThan(await unsettled(0n))
  hand.chain(TO).mint(chain.treasury, usdc.contract, -1n)
  await reconcile(hand.services)
  expect(await listHalts(hand.services.database)).toEqual([])
  await reconcile(hand.services)
  expect(await listHalts(hand.services.database)).toMatchObject([{ network: TO, account: chain.treasury }])
})

test('coins that are missing halt the wallet', async () => {
  const { treasury } = hand.services.chains.get(FROM) ?? { treasury: '' }
  hand.chain(FROM).mint(treasury, null, -5n)
  await look()
  expect(await listHalts(hand.services.database)).toContainEqual(
    expect.objectContaining({ network: FROM, account: treasury }),
  )
})
