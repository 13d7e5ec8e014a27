import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { claimPhase, PHASES } from './gasless.ts'

const TOKEN = { symbol: 'DAI', network: 'N', contract: '0xdai', decimals: 18 } as never
const NOW = new Date('2026-01-01T00:00:00Z')
const LATER = new Date('2026-01-01T07:00:00Z')
let server: TestDatabase
let database: Database

beforeAll(async () => {
  server = await startDatabase()
  database = openDatabase(server.url)
})
afterAll(async () => {
  await database.destroy()
  await server.stop()
})

const swapId = (number: number) => `00000000-0000-4000-8000-${`${number}`.padStart(12, '0')}`
const claim = (number: number, from: number, now = NOW, owner = 'owner', clientGroup: number | null = null) =>
  claimPhase(database, {
    swapId: swapId(number),
    token: TOKEN,
    owner,
    clientGroup,
    from,
    now,
    until: new Date(+now + 6 * 3_600_000),
  })

it('swaps of one owner created in the same second get different deadlines, and keep them', async () => {
  const claimed = await Promise.all([1, 2, 3, 4].map((number) => claim(number, 899)))
  expect(claimed.toSorted()).toEqual([0, 1, 2, 899])
  expect(await Promise.all([1, 2, 3, 4].map((number) => claim(number, 5)))).toEqual(claimed)
  expect(await claim(5, 899, NOW, 'somebody else')).toBe(899)
})

it('refuses when all are taken, until they are over', async () => {
  for (let number = 0; number < PHASES; number++) await claim(1_000 + number, 0, NOW, 'busy')
  expect(await claim(2_000, 0, NOW, 'busy')).toBeNull()
  expect(await claim(2_000, 7, LATER, 'busy')).toBe(7)
})

it('swaps of strangers that name an owner leave deadlines for the swaps of others', async () => {
  const taken: (number | null)[] = []
  for (let number = 0; number < 40; number++) taken.push(await claim(3_000 + number, 0, NOW, 'victim', 7))
  expect(taken.filter((phase) => phase !== null)).toHaveLength(20)
  // A deadline that was claimed is kept.
  expect(await claim(3_000, 0, NOW, 'victim', 7)).toBe(taken[0])
  expect(await claim(5_000, 0, NOW, 'victim', 8)).not.toBeNull()
  expect(await claim(5_001, 0, NOW, 'another owner', 7)).toBe(0)
  expect(await claim(5_002, 0, LATER, 'victim', 7)).toBe(0)
})
