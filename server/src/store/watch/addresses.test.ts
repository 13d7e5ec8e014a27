/** Which deposit addresses are polled if blocks are not scanned: expected ones, and all others in turn. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { addressesInTurn, expectedAddresses, insertDepositAddress } from './addresses.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const DAY_MS = 24 * 3_600_000
const PLACE = { account: 'treasury', branch: 0 }

let own: TestDatabase
let hand: Hand
beforeAll(async () => {
  own = await startDatabase()
  hand = await startHand(own.url)
}, 60_000)
afterAll(async () => {
  await hand.stop()
  await own.stop()
})

test('an address is expected while its swap waits, and for two days; others are polled in turn', async () => {
  const { database } = hand.services
  const { view } = await hand.swap(FROM, TO, { useDepositAddress: true })
  const indices = Array.from({ length: 60 }, (_, position) => 101 + position)
  for (const index of indices) {
    await insertDepositAddress(database, {
      ...PLACE,
      network: FROM,
      index,
      address: `address ${index}`,
      purpose: `${index}`,
    })
  }
  const at = (ms: number) => expectedAddresses(database, FROM, new Date(Date.now() + ms))
  expect((await at(0)).recent).toEqual(expect.arrayContaining([view.receiver, 'address 101', 'address 160']))
  const later = await at(3 * DAY_MS)
  expect(later.recent).toEqual([view.receiver])
  const turns = new Set<string>()
  for (let minute = 0; minute < 7; minute++) {
    const { others } = await at(3 * DAY_MS + minute * 60_000)
    expect(others.length).toBeLessThanOrEqual(25)
    for (const address of others) turns.add(address)
  }
  expect(turns.size).toBe(61)
  expect(await expectedAddresses(database, TO, new Date())).toEqual({ recent: [], others: [] })
})

test('all addresses have their turn within the hour, even if their indexes have a large gap', async () => {
  const { database } = hand.services
  const add = (index: number) =>
    insertDepositAddress(database, {
      ...PLACE,
      network: 'GAMMA',
      index,
      address: `old ${index}`,
      purpose: `old ${index}`,
    })
  const seenWithin = async (minutes: number) => {
    const seen = new Set<string>()
    for (let minute = 0; minute < minutes; minute++) {
      const turn = await addressesInTurn(database, 'GAMMA', new Date(1_800_000_000_000 + minute * 60_000))
      expect(turn.length).toBeLessThanOrEqual(25)
      for (const address of turn) seen.add(address)
    }
    return seen.size
  }
  for (let index = 1; index <= 100; index++) await add(index)
  expect(await seenWithin(5)).toBe(100)
  // An index far beyond, after which new ones begin.
  await add(100_100)
  expect(await seenWithin(5)).toBe(101)
})
