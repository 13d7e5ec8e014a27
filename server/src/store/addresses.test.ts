/** Which deposit addresses are looked at where blocks are not read: those that are waited for, and all others in turn. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { expectedAddresses, insertDepositAddress } from './addresses.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const DAY_MS = 24 * 3_600_000

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

test('an address is expected while its swap waits, and for two days; every other one has its minute', async () => {
  const { database } = hand.services
  const { view } = await hand.swap(FROM, TO, { useDepositAddress: true })
  const indices = Array.from({ length: 60 }, (_, position) => 101 + position)
  for (const index of indices) {
    await insertDepositAddress(database, { network: FROM, index, address: `address ${index}`, purpose: `${index}` })
  }
  const at = (ms: number) => expectedAddresses(database, FROM, new Date(Date.now() + ms))
  expect((await at(0)).lately).toEqual(expect.arrayContaining([view.receiver, 'address 101', 'address 160']))
  const later = await at(3 * DAY_MS)
  expect(later.lately).toEqual([view.receiver])
  const turns = new Set<string>()
  for (let minute = 0; minute < 7; minute++) {
    const { others } = await at(3 * DAY_MS + minute * 60_000)
    expect(others.length).toBeLessThanOrEqual(25)
    for (const address of others) turns.add(address)
  }
  expect(turns.size).toBe(61)
  expect(await expectedAddresses(database, TO, new Date())).toEqual({ lately: [], others: [] })
})
