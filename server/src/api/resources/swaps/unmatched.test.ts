/** The sender of an unmatched deposit sees that it arrived and what happens with it, but not who owns it. */
import { UnmatchedDeposit } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { resolveUnmatched } from '../../../store/deposits/unmatched.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const HASH = '0xABCDEF0123456789'

async function arrive(fields: {
  tx_hash: string
  index: number
  state: 'seen' | 'confirmed' | 'gone'
  alias?: string
}) {
  const { id } = await api.services.database
    .insertInto('deposit')
    .values({
      ...{ network: 'ALPHA', block_number: 1n, block_hash: 'x', from_address: 'sim1x', to_address: 'sim1y' },
      ...{ token: 'native', units: 5n, reference: null, swap_id: null, confirmations_wanted: 1 },
      ...fields,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
const look = (hash: string) => api.ask(z.array(UnmatchedDeposit), `/api/v2/unmatched/${hash}`)
const states = async (hash: string) => (await look(hash)).map(({ state }) => state)

test('a deposit is found by hash in any case or alias, from first sight to the decision', async () => {
  const id = await arrive({ tx_hash: HASH, index: 0, state: 'seen', alias: '0xA11A50002' })
  expect(await look(HASH)).toEqual([
    { network: 'ALPHA', transaction_hash: HASH, seen_at: expect.any(String), state: 'confirming' },
  ])
  const { database } = api.services
  await database.updateTable('deposit').set({ state: 'confirmed' }).where('id', '=', id).execute()
  for (const name of [HASH, HASH.toLowerCase(), '0xa11a50002']) expect(await states(name)).toEqual(['waiting'])
  await resolveUnmatched(database, id, 'refunded', 5n)
  expect(await states(HASH)).toEqual(['returned'])
  await resolveUnmatched(database, id, 'ignored', 0n)
  expect(await states(HASH)).toEqual(['kept'])
})

test('orphaned deposits, swaps’ deposits, and a case-sensitive hash in the wrong case are not found', async () => {
  await arrive({ tx_hash: 'Base58Hash', index: 0, state: 'confirmed' })
  await arrive({ tx_hash: 'GoneAgain', index: 0, state: 'gone' })
  expect(await states('Base58Hash')).toEqual(['waiting'])
  expect(await states('base58hash')).toEqual([])
  expect(await states('GoneAgain')).toEqual([])
  expect(await states('0x01234567')).toEqual([])
})
