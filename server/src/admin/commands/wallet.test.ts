/**
 * Releasing a halted wallet accepts the shown shortfall and books it under its own reason. Checks continue without a
 * gap.
 */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { haltCauses, releaseWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { reconcile } from '../../flow/reconciliation/reconcile.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { listHalts } from '../../store/limits/halts.ts'

const NETWORK = 'ALPHA'
const FINAL = 6

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  await reconcile(hand.services)
  hand.chain(NETWORK).mine(FINAL)
  await hand.watch(NETWORK)
  await reconcile(hand.services)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

const run = (...words: string[]) => admin(hand.services, ...words)
const wallet = () => chainOf(hand.services.chains, NETWORK).treasury
const release = async (...more: string[]) =>
  run('wallet', 'release', ...(await releaseWords(hand.services.database, NETWORK, wallet())), ...more)
const causes = async () => (await haltCauses(hand.services.database)).flat()
const missing = (units: string) => ({ code: 'shortfall', token: 'native', symbol: 'SIM', units })
const native = () => chainOf(hand.services.chains, NETWORK).network.nativeToken

async function steal(units: bigint): Promise<void> {
  hand.chain(NETWORK).mint(wallet(), null, -units)
  for (let look = 0; look < 2; look++) await reconcile(hand.services)
}

/** Until the last action is final and was checked often enough. */
async function looks(): Promise<void> {
  for (let look = 0; look < 4; look++) {
    await reconcile(hand.services)
    hand.chain(NETWORK).mine(FINAL + 1)
    await hand.watch(NETWORK)
  }
}

async function accepted(): Promise<bigint[]> {
  const rows = await hand.services.database
    .selectFrom('ledger_entry')
    .select('units')
    .where('reason', '=', 'difference accepted')
    .where('account', '=', 'wallet')
    .orderBy('id')
    .execute()
  return rows.map(({ units }) => units)
}

test('a release books what was missing and nothing that goes missing after it', async () => {
  const { database: books } = hand.services
  const before = await ledgerUnits(books, wallet(), native())
  await steal(5n)
  expect(await listHalts(books)).toHaveLength(1)
  expect(await run('wallet', 'list')).toMatch(
    new RegExp(`native +${before - 5n} +${before} +\\d+ +\\S+Z +5 +\\S{36} +5 base units`),
  )
  const said = await release('--accept', '5')
  expect(said).toContain('accepted as missing: 5 base units of native')
  expect(await accepted()).toEqual([-5n])
  expect(await ledgerUnits(books, wallet(), native())).toBe(before - 5n)
  expect(await listHalts(books)).toEqual([])
  const { data } = await books
    .selectFrom('audit_log')
    .select('data')
    .where('action', '=', 'wallet released')
    .executeTakeFirstOrThrow()
  const holds = [expect.stringMatching(/^[0-9a-f-]{36}$/)]
  expect(data).toEqual({ network: NETWORK, wallet: wallet(), holds, accepted: [{ token: 'native', units: '5' }] })
  // At once, without a matching check before it.
  await steal(3n)
  expect(await causes()).toEqual([missing('3')])
  expect(await accepted()).toEqual([-5n])
  await release('--accept', 'native=3')
})

test('a second, larger theft from a halted wallet is alerted, and not accepted with the first', async () => {
  const { database: books, metrics } = hand.services
  const alerts = async () => Number((await metrics.alerts.get()).values[0]?.value ?? 0)
  await steal(1n)
  expect(await causes()).toEqual([missing('1')])
  const [told, booked] = [await alerts(), await accepted()]
  await steal(8_999n)
  expect(await alerts()).toBe(told + 1)
  expect(await causes()).toEqual([missing('9000')])
  await expect(release()).rejects.toThrow(
    'missing is 9000 base units of native; to give that up say --accept native=9000',
  )
  await expect(release('--accept', '1')).rejects.toThrow('9000 base units of native, not 1')
  expect(await listHalts(books)).toHaveLength(1)
  expect(await accepted()).toEqual(booked)
  // A check with the same result sends no second alert.
  await reconcile(hand.services)
  expect(await alerts()).toBe(told + 1)
  expect(await release('--accept', '9000')).toContain('signs again')
})

test('a wallet refilled before its release is checked to the unit after it', async () => {
  const { database: books } = hand.services
  const before = await ledgerUnits(books, wallet(), native())
  await steal(500n)
  await looks()
  expect(await listHalts(books)).toHaveLength(1)
  // The operator replaces the coins, waits until every check matches the ledger again, and releases the wallet.
  hand.chain(NETWORK).mint(wallet(), null, 500n)
  await looks()
  expect(await causes()).toEqual([{ code: 'shortfall_cleared', token: 'native', symbol: 'SIM' }])
  await expect(release('--accept', '500')).rejects.toThrow('missing is nothing, not 500')
  await release()
  expect(await ledgerUnits(books, wallet(), native())).toBe(before)
  // The thief takes as much again.
  await steal(500n)
  expect(await causes()).toEqual([missing('500')])
  await release('--accept', '500')
})

test('a partly returned shortfall is not booked as lost', async () => {
  const { database: books } = hand.services
  await steal(500n)
  await looks()
  hand.chain(NETWORK).mint(wallet(), null, 400n)
  await looks()
  expect(await causes()).toEqual([missing('100')])
  await release('--accept', '100')
  await looks()
  expect(await listHalts(books)).toEqual([])
})

test('a wallet that an operator halted is released without a posting', async () => {
  const before = await accepted()
  await run('wallet', 'halt', '--network', NETWORK, '--wallet', wallet(), '--reason', 'a look')
  await release()
  expect(await accepted()).toEqual(before)
})

test('the list shows when a node was really read, not when a read was tried', async () => {
  const seenAt = async () => /native +\d+ +\d+ +\d+ +(\S+Z)/.exec(await run('wallet', 'list'))?.[1]
  await reconcile(hand.services)
  const before = await seenAt()
  hand.passTime(60_000)
  hand.node(NETWORK).faults.on = ['holdings']
  hand.node(NETWORK).faults.timeouts = 1
  await reconcile(hand.services)
  expect(await seenAt()).toBe(before)
  hand.passTime(60_000)
  await reconcile(hand.services)
  expect(await seenAt()).toBe(hand.services.now().toISOString())
})
