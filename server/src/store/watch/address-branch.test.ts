/** Each process start has its own branch, also after a rollback, and counts its indexes from 1. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { keylessBranches, newestBranches, openAddressBranch } from './address-branch.ts'
import { insertDepositAddress, lastAddressIndex } from './addresses.ts'

const STARTED = new Date('2030-01-01T00:00:00Z')
const BRANCH = 315_619_200

let own: TestDatabase
let database: Database
beforeAll(async () => {
  own = await startDatabase()
  database = openDatabase(own.url)
})
afterAll(async () => {
  await database.destroy()
  await own.stop()
})
beforeEach(async () => {
  await database.deleteFrom('address_branch').execute()
  await database.deleteFrom('deposit_address').execute()
})

const open = (secondsLater: number, hasKeys = true) =>
  openAddressBranch(database, { startedAt: new Date(STARTED.getTime() + secondsLater * 1000), hasKeys })

test('a branch is the second of the start, or the next free one', async () => {
  const opened = await Promise.all([open(0), open(0), open(0.9), open(2)])
  expect(opened.map(({ branch }) => branch - BRANCH).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3])
})

test('a branch that a rollback has lost is not given out again', async () => {
  const lost = await open(0)
  await database.deleteFrom('address_branch').execute()
  expect((await open(1)).branch).not.toBe(lost.branch)
})

test('a clock that was far ahead does not block the branches of later starts', async () => {
  await open(1_000_000)
  expect((await open(5)).branch).toBe(BRANCH + 5)
})

test('indexes are counted per network, and a released one is taken again', async () => {
  const branch = await open(0)
  expect([branch.take('ALPHA'), branch.take('ALPHA'), branch.take('BETA'), branch.take('ALPHA')]).toEqual([1, 2, 1, 3])
  branch.release('ALPHA', 2)
  expect([branch.take('ALPHA'), branch.take('ALPHA'), branch.take('BETA')]).toEqual([2, 4, 2])
  branch.release('ALPHA', 3)
  branch.skipTo('ALPHA', 20)
  expect(branch.take('ALPHA')).toBe(21)
  branch.skipTo('ALPHA', 5)
  expect(branch.take('ALPHA')).toBe(22)
})

test('an index of a branch is stored once, and each branch has its own', async () => {
  const place = { network: 'ALPHA', account: 'treasury', branch: 7 }
  const store = (branch: number, address: string) =>
    insertDepositAddress(database, { ...place, branch, index: 3, address, purpose: address })
  expect([await store(7, 'one'), await store(7, 'two'), await store(8, 'three')]).toEqual([true, false, true])
  expect(await lastAddressIndex(database, place)).toBe(3)
  expect(await lastAddressIndex(database, { ...place, branch: 9 })).toBe(0)
})

test('spare keys are made for processes without keys that are new or give out addresses', async () => {
  const [withKeys, old, used, fresh] = [
    await open(0),
    await open(1, false),
    await open(2, false),
    await open(100, false),
  ]
  const place = { network: 'ALPHA', account: 'treasury', index: 1 }
  await insertDepositAddress(database, { ...place, branch: used.branch, address: 'used', purpose: 'used' })
  // The row's own time is the database's.
  await database
    .updateTable('deposit_address')
    .set({ created_at: new Date(STARTED.getTime() + 99_000) })
    .execute()
  const since = new Date(STARTED.getTime() + 50_000)
  expect(await keylessBranches(database, 'ALPHA', since)).toEqual([used.branch, fresh.branch])
  expect(await keylessBranches(database, 'BETA', since)).toEqual([fresh.branch])
  expect(await newestBranches(database, 3)).toEqual([fresh.branch, used.branch, old.branch])
  expect(withKeys.branch).toBeLessThan(old.branch)
})
