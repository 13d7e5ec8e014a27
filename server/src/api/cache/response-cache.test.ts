/**
 * The response cache: polling costs no query, a change is visible at once, and nothing is cached that cannot be
 * invalidated.
 */
import { brotliDecompressSync } from 'node:zlib'
import { CreatedSwap, ExplorerRow, ListedSwap, type Swap, SwapDetails } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { post, startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { confirmDeposit, landPayouts, seeDeposit } from '../../../../tests/support/service/progress.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ ANSWER_CACHE_MS: '5000' })
})
afterAll(() => api.stop())

async function create(): Promise<string> {
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  const recipient = await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_001)
  const body = { ...route, destination_address: recipient, amount: 100 }
  const { swap } = await api.ask(CreatedSwap, post('/api/v2/swaps', body))
  return swap.id
}
const read = async (id: string) => (await api.ask(SwapDetails, `/api/v2/swaps/${id}`)).swap
/** Changes the database without a notification. */
const whisper = (id: string, reference_id: string) =>
  api.services.database.updateTable('swap').set({ reference_id }).where('id', '=', id).execute()
/** Once the change feed is live, responses are cached: an unannounced change stays invisible. */
async function kept(id: string): Promise<void> {
  let n = 0
  await eventually(async () => {
    await whisper(id, `${n++}`)
    const before = (await read(id)).metadata.reference_id
    await whisper(id, `${n++}`)
    return (await read(id)).metadata.reference_id === before || undefined
  }, 'answers to be kept')
}

test('a response is cached, and every announced change is visible at once', async () => {
  const id = await create()
  await kept(id)
  const sees = (status: string) => eventually(async () => (await read(id)).status === status || undefined, status)
  await confirmDeposit(api.services, id, await seeDeposit(api.services, id))
  await sees('ls_transfer_pending')
  await landPayouts(api.services, id)
  await sees('completed')
})

test('a response with deposit actions is not served to a caller who excludes them', async () => {
  const id = await create()
  await kept(id)
  expect((await api.ask(SwapDetails, `/api/v2/swaps/${id}`)).deposit_actions).toHaveLength(1)
  expect((await api.ask(SwapDetails, `/api/v2/swaps/${id}?exclude_deposit_actions=1`)).deposit_actions).toEqual([])
  const [one, two] = await Promise.all(
    ['one.example', 'two.example'].map((host) => api.server.inject({ url: `/api/v2/swaps/${id}`, headers: { host } })),
  )
  expect(one?.body).toContain('http://one.example/logos')
  expect(two?.body).not.toContain('one.example')
})

test('a missing swap is not cached', async () => {
  const id = crypto.randomUUID()
  for (let n = 0; n < 3; n++) expect(await api.refuse(`/api/v2/swaps/${id}`)).toMatchObject({ code: 'NOT_FOUND' })
})

test('the rows of a list are cached like the swap itself, and show every announced change at once', async () => {
  const id = await create()
  await kept(id)
  const { destination_address: recipient } = await read(id)
  const ours = <Row extends { swap: Swap }>(rows: Row[]) => rows.find(({ swap }) => swap.id === id)?.swap
  const listed = async () => ours(await api.ask(z.array(ListedSwap), `/api/v2/swaps?address=${recipient}`))
  const explored = async () => ours(await api.ask(z.array(ExplorerRow), '/api/v2/explorer'))
  expect(await listed()).toMatchObject({ status: 'user_transfer_pending' })
  expect(await explored()).toMatchObject({ status: 'user_transfer_pending' })
  const rename = api.services.database.updateTable('swap').set({ destination_address: 'nobody-told-us' })
  await rename.where('id', '=', id).execute()
  expect(await explored()).toMatchObject({ destination_address: recipient })
  await confirmDeposit(api.services, id, await seeDeposit(api.services, id))
  await eventually(async () => (await explored())?.status === 'ls_transfer_pending' || undefined, 'the change')
  expect(await explored()).toMatchObject({ destination_address: 'nobody-told-us' })
})

test('a cached list is compressed for browsers', async () => {
  await kept(await create())
  const headers = { 'accept-encoding': 'br', 'sec-fetch-mode': 'cors' }
  const list = await api.server.inject({ url: '/api/v2/explorer', headers })
  expect(list.headers['content-encoding']).toBe('br')
  expect(JSON.parse(brotliDecompressSync(list.rawPayload).toString())).toHaveProperty('data.0.swap.id')
})
