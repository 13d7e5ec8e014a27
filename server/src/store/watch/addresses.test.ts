/** Which deposit addresses are polled if blocks are not scanned: expected ones, and all others in turn. */
import { CreatedSwap } from '@causeway/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { post, startApi } from '../../../../tests/support/service/api.ts'
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
  expect((await at(0)).recent.flat()).toEqual(expect.arrayContaining([view.receiver, 'address 101', 'address 160']))
  const later = await at(3 * DAY_MS)
  expect(later.recent).toEqual([[view.receiver]])
  const turns = new Set<string>()
  for (let minute = 0; minute < 7; minute++) {
    const { others } = await at(3 * DAY_MS + minute * 60_000)
    expect(others.length).toBeLessThanOrEqual(25)
    for (const address of others) turns.add(address)
  }
  expect(turns.size).toBe(61)
  expect(await expectedAddresses(database, TO, new Date())).toEqual({ recent: [], others: [] })
})

test('addresses are listed by groups of clients, the oldest first, and none twice', async () => {
  const { database } = hand.services
  const { view } = await hand.swap(FROM, TO, { useDepositAddress: true })
  const add = (index: number, clientGroup: number | null) =>
    insertDepositAddress(database, {
      ...PLACE,
      network: FROM,
      index,
      address: `of ${clientGroup}: ${index}`,
      purpose: `${index}`,
      clientGroup,
    })
  for (const [index, group] of [
    [1001, 7],
    [1002, 8],
    [1003, 7],
    [1004, null],
  ] as const)
    await add(index, group)
  await database.updateTable('swap').set({ client_group: 8 }).where('id', '=', view.swap.id).execute()
  const { recent } = await expectedAddresses(database, FROM, new Date())
  expect(recent).toContainEqual(['of 7: 1001', 'of 7: 1003'])
  expect(recent).toContainEqual([view.receiver, 'of 8: 1002'])
  expect(recent.find((addresses) => addresses.includes('of null: 1004'))).toContain('address 101')
  expect(new Set(recent.flat()).size).toBe(recent.flat().length)
})

test('however many addresses one group of clients has, those of others are listed', async () => {
  const { database } = hand.services
  const { view } = await hand.swap(TO, FROM, { useDepositAddress: true })
  const victim = view.receiver
  await database.updateTable('swap').set({ client_group: 1 }).where('id', '=', view.swap.id).execute()
  await database.updateTable('deposit_address').set({ client_group: 1 }).where('address', '=', victim).execute()
  const strangers = 12_000
  await sql`
    insert into swap overriding system value select made.* from swap, generate_series(1, ${strangers}::int) n,
      jsonb_populate_record(swap, jsonb_build_object('id', gen_random_uuid(), 'ordinal', 2000000 + n, 'reference', 1000000000 + n,
        'receiver', 'open ' || n, 'client_group', 2)) made where swap.id = ${view.swap.id}`.execute(database)
  await sql`
    insert into deposit_address (network, account, branch, index, ordinal, address, purpose, client_group, created_at)
    select ${TO}, 'treasury', 0, n, n, 'new ' || n, 'new ' || n, 2, now() + n * interval '1 millisecond'
    from generate_series(1, ${strangers}::int) n`.execute(database)
  const recentAt = async (ms: number) => (await expectedAddresses(database, TO, new Date(Date.now() + ms))).recent
  const [first, second] = [await recentAt(0), await recentAt(60_000)]
  for (const recent of [first, second]) {
    expect(recent.filter((addresses) => addresses.includes(victim))).toEqual([[victim]])
    expect(recent.flat().length).toBeLessThanOrEqual(14_010)
  }
  // Each minute another selection of the open ones.
  expect(new Set([...first, ...second].flat()).size).toBeGreaterThan(first.flat().length + 500)
})

test('late payments: of each group the newest addresses are listed, whatever happened to their swaps', async () => {
  const { database } = hand.services
  await sql`
    insert into deposit_address (network, account, branch, index, ordinal, address, purpose, client_group, created_at)
    select 'DELTA', 'treasury', 0, n, n, 'of ' || grp || ' ' || n, 'of ' || grp || ' ' || n, grp, now() - (case when grp = 1 then 2 else 1 end) * interval '1 hour'
    from generate_series(1, 7000) n, lateral (select case when n <= 3 then 1 else 2 end as grp) g`.execute(database)
  const { recent } = await expectedAddresses(database, 'DELTA', new Date())
  const [own] = recent.filter((addresses) => addresses.includes('of 1 1'))
  expect(own?.toSorted()).toEqual(['of 1 1', 'of 1 2', 'of 1 3'])
})

test('a new swap stores the group with its deposit address', async () => {
  const api = await startApi({})
  try {
    const { services, ask } = api
    const body = {
      ...{ source_network: FROM, source_token: 'USDC', destination_network: TO, destination_token: 'USDC' },
      ...{ destination_address: accountFrom('recipient').address, use_deposit_address: true, amount: 100 },
    }
    const { swap } = await ask(CreatedSwap, { ...post('/api/v2/swaps', body), remoteAddress: '198.51.100.1' })
    const rows = await services.database
      .selectFrom('swap')
      .innerJoin('deposit_address', 'deposit_address.address', 'swap.receiver')
      .select(['swap.client_group as ofSwap', 'deposit_address.client_group as ofAddress'])
      .where('swap.id', '=', swap.id)
      .execute()
    expect(rows).toEqual([{ ofSwap: expect.any(Number), ofAddress: rows[0]?.ofSwap }])
  } finally {
    await api.stop()
  }
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
