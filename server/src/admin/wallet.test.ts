/** Releasing a halted wallet accepts what is shown as missing, books it by its name, and leaves no gap in the watch. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../../tests/support/accounts.ts'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { reconcile } from '../flow/reconcile.ts'
import { ledgerUnits } from '../store/balances.ts'
import { listHalts } from '../store/safeguards.ts'

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
const native = () => chainOf(hand.services.chains, NETWORK).network.nativeToken

async function steal(units: bigint): Promise<void> {
  hand.chain(NETWORK).mint(wallet(), null, -units)
  for (let look = 0; look < 2; look++) await reconcile(hand.services)
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
    new RegExp(`native +${before - 5n} +${before} +\\d+ +\\S+Z +5 +5 base units`),
  )
  const said = await run('wallet', 'release', '--network', NETWORK, '--wallet', wallet())
  expect(said).toContain('accepted as missing: 5 base units of native')
  expect(await accepted()).toEqual([-5n])
  expect(await ledgerUnits(books, wallet(), native())).toBe(before - 5n)
  expect(await listHalts(books)).toEqual([])
  const { data } = await books
    .selectFrom('audit_log')
    .select('data')
    .where('action', '=', 'wallet released')
    .executeTakeFirstOrThrow()
  expect(data).toEqual({ network: NETWORK, wallet: wallet(), accepted: [{ token: 'native', units: '5' }] })
  // At once, without a quiet look before it.
  await steal(3n)
  expect((await listHalts(books)).map(({ reason }) => reason)).toEqual(['3 base units of SIM are missing'])
  expect(await accepted()).toEqual([-5n])
  await run('wallet', 'release', '--network', NETWORK, '--wallet', wallet())
})

test('a wallet that a person halted is released without a posting', async () => {
  const before = await accepted()
  await run('wallet', 'halt', '--network', NETWORK, '--wallet', wallet(), '--reason', 'a look')
  await run('wallet', 'release', '--network', NETWORK, '--wallet', wallet())
  expect(await accepted()).toEqual(before)
})

test('the list tells when a node was really asked, not when somebody tried to', async () => {
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
