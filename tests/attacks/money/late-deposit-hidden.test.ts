/**
 * Attack B2, varied: the quota counts only swaps that wait, and of expired ones the newest 4,000 addresses are watched. Thousands of free swaps
 * that expire after a victim's must not hide a deposit that the victim sends late.
 */
import { CreatedSwap } from '@causeway/sdk'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import { watchlistOf } from '../../../server/src/flow/deposits/receivers.ts'
import { addressesInTurn, expectingAddresses } from '../../../server/src/store/watch/addresses.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { post, startApi } from '../../support/service/api.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'

const MINUTE_MS = 60_000
/** More than are read in a day at the slowest pace. */
const OLD = 40_000

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

/** Makes swaps of strangers, each with its own address, that expired an hour after the victim's. Returns the victim's address. */
async function hide({ strangers, groups }: { strangers: number; groups: number }): Promise<string> {
  const victim = await hand.swap('ALPHA', 'BETA', { useDepositAddress: true })
  const client = new pg.Client({ connectionString: own.url })
  await client.connect()
  const id = victim.view.swap.id
  await client.query(
    `update swap set status = 'expired', closed_at = now() - interval '2 hours', client_group = 0 where id = $1`,
    [id],
  )
  await client.query(
    `insert into swap overriding system value select made.* from swap, generate_series(1, $2::int) n, jsonb_populate_record(swap, jsonb_build_object(
       'id', gen_random_uuid(), 'ordinal', $2::int * 10000 + n, 'reference', 1000000000 + $2::int * 10000 + n,
       'receiver', 'stranger-' || $2::int || '-' || n, 'closed_at', now() - interval '1 hour', 'client_group', 1 + n % $3::int)) made
     where swap.id = $1`,
    [id, strangers, groups],
  )
  await client.query(
    `insert into deposit_address (network, account, branch, index, ordinal, address, purpose, created_at)
     select network, account, branch, $2::int * 10000 + n, (select max(ordinal) from deposit_address) + n, 'stranger-' || $2::int || '-' || n,
       'swap ' || $2::int || '-' || n, now() + n * interval '1 millisecond'
     from deposit_address, generate_series(1, $2::int) n where address = $1`,
    [victim.view.receiver, strangers],
  )
  await client.end()
  return victim.view.receiver
}

test('the address of a swap that expired before 4,100 others, of 300 groups of clients, is listed', async () => {
  const address = await hide({ strangers: 4_100, groups: 300 })
  const watchlist = watchlistOf(hand.services, chainOf(hand.services.chains, 'ALPHA'))
  expect(await watchlist.activeAddresses?.()).toContain(address)
})

test('however many there are, the list has a bound, and each address has its turn within a day', async () => {
  const { database, now } = hand.services
  expect((await expectingAddresses(database, 'ALPHA', now())).length).toBeLessThanOrEqual(12_000)
  const client = new pg.Client({ connectionString: own.url })
  await client.connect()
  await client.query(
    `insert into deposit_address (network, account, branch, index, ordinal, address, purpose)
     select 'GAMMA', 'treasury', 0, n, n, 'old-' || n, 'old ' || n from generate_series(1, $1::int) n`,
    [OLD],
  )
  await client.end()
  const turns: string[][] = []
  for (let minute = 0; minute < 24 * 60; minute++)
    turns.push(await addressesInTurn(database, 'GAMMA', new Date(1_800_000_000_000 + minute * MINUTE_MS)))
  expect(Math.max(...turns.map(({ length }) => length))).toBeLessThanOrEqual(400)
  expect(new Set(turns.flat()).size).toBe(OLD)
})

test('swaps of one client, and of all addresses of its network, are in one group', async () => {
  const api = await startApi({})
  try {
    const recipient = accountFrom('recipient').address
    const route = {
      source_network: 'ALPHA',
      source_token: 'USDC',
      destination_network: 'BETA',
      destination_token: 'USDC',
    }
    const body = { ...route, destination_address: recipient, use_deposit_address: true, amount: 100 }
    const groupOf = async (remoteAddress: string) => {
      const { swap } = await api.ask(CreatedSwap, { ...post('/api/v2/swaps', body), remoteAddress })
      const row = api.services.database.selectFrom('swap').select('client_group').where('id', '=', swap.id)
      return (await row.executeTakeFirstOrThrow()).client_group
    }
    const first = await groupOf('198.51.100.1')
    expect(first).not.toBeNull()
    expect(await groupOf('198.51.100.1')).toBe(first)
    expect(await groupOf('198.51.100.2')).not.toBe(first)
    expect(await groupOf('2001:db8:1:2::1')).toBe(await groupOf('2001:db8:1:ff00::1'))
  } finally {
    await api.stop()
  }
})
