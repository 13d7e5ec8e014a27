/**
 * Attack B2: ten thousand unpaid swaps of strangers must not hide a deposit. Every open deposit address is looked at, and
 * one client opens only as many as its quota.
 */
import { CreatedSwap } from '@causeway/sdk'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { expireSwaps } from '../../../server/src/flow/swap/expire.ts'
import { expectingAddresses } from '../../../server/src/store/watch/addresses.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'

const UNPAID = 10_000
const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }
const recipient = accountFrom('recipient').address

let own: TestDatabase
let hand: Hand
beforeAll(async () => {
  own = await startDatabase()
  hand = await startHand(own.url)
})
afterAll(async () => {
  await hand.stop()
  await own.stop()
})

/** Copies a swap of a stranger, each with a deposit address of its own. */
async function flood(swapId: string, count: number, from: number): Promise<void> {
  const client = new pg.Client({ connectionString: own.url })
  await client.connect()
  await client.query(
    `insert into swap overriding system value select (jsonb_populate_record(swap, jsonb_build_object(
       'id', gen_random_uuid(), 'ordinal', 5000000 + n, 'reference', 1000000000 + n, 'receiver', 'stranger-' || n))).*
     from swap, generate_series($2::int, $3::int) n where id = $1`,
    [swapId, from, from + count - 1],
  )
  await client.end()
}

test('a deposit among ten thousand unpaid swaps is credited after the next blocks', async () => {
  const stranger = await hand.swap('ALPHA', 'BETA', { useDepositAddress: true })
  await flood(stranger.view.swap.id, UNPAID / 2, 1)
  const victim = await hand.swap('ALPHA', 'BETA', { useDepositAddress: true })
  await flood(stranger.view.swap.id, UNPAID / 2, UNPAID / 2 + 1)
  await hand.watch('ALPHA')
  const started = performance.now()
  hand.deposit(victim)
  hand.chain('ALPHA').mine(3)
  await hand.watch('ALPHA')
  const found = await hand.services.database
    .selectFrom('deposit')
    .select('state')
    .where('swap_id', '=', victim.view.swap.id)
    .execute()
  expect(found).toEqual([{ state: 'confirmed' }])
  console.log(
    `simulated, ${UNPAID} unpaid swaps: a deposit is credited ${Math.round(performance.now() - started)} ms after it is mined`,
  )
})

test('all open deposit addresses are in the list that is looked at', async () => {
  const { database, now } = hand.services
  const listed = new Set(await expectingAddresses(database, 'ALPHA', now()))
  const open = await database
    .selectFrom('swap')
    .select('receiver')
    .where('source_network', '=', 'ALPHA')
    .where('uses_deposit_address', '=', true)
    .where('closed_at', 'is', null)
    .execute()
  expect(open.filter(({ receiver }) => !listed.has(receiver))).toEqual([])
})

test('a client has a quota of unpaid deposit addresses; expiry gives it back', async () => {
  let clock = new Date('2026-03-01T12:00:00Z')
  const api: TestApi = await startApi({ MAX_OPEN_ADDRESSES: '3' }, () => clock)
  try {
    const body = { ...ROUTE, destination_address: recipient, use_deposit_address: true, amount: 100 }
    const make = async (remoteAddress: string) =>
      (await api.server.inject({ ...post('/api/v2/swaps', body), remoteAddress })).statusCode
    const made: number[] = []
    for (let n = 0; n < 5; n++) made.push(await make('198.51.100.1'))
    expect(made).toEqual([200, 200, 200, 429, 429])
    expect(await make('198.51.100.2')).toBe(200)
    // Swaps without a deposit address are not counted.
    const plain = { ...body, use_deposit_address: false }
    await api.ask(CreatedSwap, { ...post('/api/v2/swaps', plain), remoteAddress: '198.51.100.1' })
    clock = new Date(clock.getTime() + 7 * 3_600_000)
    await api.services.refresh()
    await expireSwaps(api.services)
    expect(await make('198.51.100.1')).toBe(200)
  } finally {
    await api.stop()
  }
})

test('requests at the same moment do not exceed the quota', async () => {
  const api: TestApi = await startApi({ MAX_OPEN_ADDRESSES: '3' })
  try {
    const body = { ...ROUTE, destination_address: recipient, use_deposit_address: true, amount: 100 }
    const requests = Array.from({ length: 8 }, () => api.server.inject(post('/api/v2/swaps', body)))
    const statuses = (await Promise.all(requests)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  } finally {
    await api.stop()
  }
})

test('the many IPv6 networks of one machine share a quota, and others have their own', async () => {
  const api: TestApi = await startApi({ MAX_OPEN_ADDRESSES: '1' })
  try {
    const body = { ...ROUTE, destination_address: recipient, use_deposit_address: true, amount: 100 }
    const made = async (site: string, network: number) => {
      const remoteAddress = `2001:db8:${site}:${network.toString(16)}::1`
      return (await api.server.inject({ ...post('/api/v2/swaps', body), remoteAddress })).statusCode === 200
    }
    const count = async (site: string, step: number) => {
      const all: boolean[] = []
      for (let n = 1; n <= 20; n++) all.push(await made(site, n * step))
      return all.filter((isMade) => isMade).length
    }
    expect(await count('bad', 256)).toBe(16)
    expect(await made('fine', 256)).toBe(true)
    // One connection has a /56, and its neighbours have the rest of the /48.
    expect(await count('a1', 1)).toBe(4)
    expect(await made('a1', 256)).toBe(true)
  } finally {
    await api.stop()
  }
})
