/** A public key is readable in a page: it gives no access to the app's own data. */
import { CreatedSwap, ExplorerRow, ListedSwap, SwapDetails } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { admin, found } from '../../support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'

const API = '/api/v2'
const SECRET_KEY = /causeway_testnet_[\w-]{43}/
const PUBLIC_KEY = /causeway_testnet_public_[\w-]{43}/

let api: TestApi
let recipient: string
let visitor: Record<string, string>
let shop: Record<string, string>
let rival: Record<string, string>
beforeAll(async () => {
  api = await startApi()
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
  await admin(api.services, 'app', 'create', 'shop')
  await admin(api.services, 'app', 'create', 'rival')
  const make = async (app: string, kind: string, form: RegExp) => {
    const words = ['key', 'create', '--app', app, '--environment', 'testnet', '--kind', kind]
    return { 'x-ls-apikey': found(form, await admin(api.services, ...words)) }
  }
  visitor = await make('shop', 'public', PUBLIC_KEY)
  shop = await make('shop', 'secret', SECRET_KEY)
  rival = await make('rival', 'secret', SECRET_KEY)
})
afterAll(() => api.stop())

async function create(headers: Record<string, string>, fields: Record<string, unknown> = {}) {
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
    destination_address: recipient,
    amount: 100,
  }
  return api.ask(CreatedSwap, { ...post(`${API}/swaps`, { ...route, ...fields }), headers })
}
const status = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, headers: object, payload?: object) =>
  (await api.server.inject({ method, url: `${API}${url}`, headers: { ...headers }, ...(payload ? { payload } : {}) }))
    .statusCode

test('a public key quotes, creates and reads; it does not see, add, remove or replay webhooks', async () => {
  const { swap } = await create(visitor)
  expect(await status('GET', `/swaps/${swap.id}`, visitor)).toBe(200)
  expect(await status('GET', `/swaps?address=${recipient}`, visitor)).toBe(200)
  const url = 'https://thief.example/hook'
  const id = crypto.randomUUID()
  for (const headers of [visitor, {}]) {
    expect(await status('GET', '/webhooks', headers)).toBe(403)
    expect(await status('POST', '/webhooks', headers, { url })).toBe(403)
    expect(await status('PATCH', `/webhooks/${id}`, headers, { event_types: null })).toBe(403)
    expect(await status('POST', `/webhooks/${id}/test`, headers)).toBe(403)
    expect(await status('DELETE', `/webhooks/${id}`, headers)).toBe(403)
    expect(await status('POST', '/webhooks/replay', headers, { swap_id: swap.id })).toBe(403)
  }
  expect(await status('GET', '/webhooks', shop)).toBe(200)
})

test('an app’s swaps are listed only for its secret key', async () => {
  const mine = (await create(shop)).swap.id
  const ids = async (headers: Record<string, string>) =>
    (await api.ask(z.array(ListedSwap), { url: `${API}/swaps`, headers })).map(({ swap }) => swap.id)
  expect(await ids(shop)).toContain(mine)
  expect(await ids(visitor)).toEqual([])
  expect(await ids(rival)).toEqual([])
  expect((await api.server.inject(`${API}/swaps`)).statusCode).toBe(400)
})

test('a reference is readable by its own app, or by all if no key was used', async () => {
  const reference_id = 'order 4711, Mrs Smith'
  const mine = (await create(shop, { reference_id })).swap
  const pages = (await create(visitor, { reference_id })).swap
  const nobodys = (await create({}, { reference_id })).swap
  expect([mine, pages, nobodys].map(({ metadata }) => metadata.reference_id)).toEqual(Array(3).fill(reference_id))
  const readers = { shop, visitor, rival, nobody: {} }
  const read = async (id: string, headers: Record<string, string>) =>
    (await api.ask(SwapDetails, { url: `${API}/swaps/${id}`, headers })).swap.metadata.reference_id
  const search = async (headers: Record<string, string>) => {
    const url = `${API}/swaps?reference_id=${encodeURIComponent(reference_id)}`
    return (await api.ask(z.array(ListedSwap), { url, headers })).map(({ swap }) => swap.id)
  }
  for (const [name, headers] of Object.entries(readers)) {
    const isShop = name === 'shop'
    expect(await read(mine.id, headers), name).toBe(isShop ? reference_id : null)
    expect(await read(pages.id, headers), name).toBe(isShop ? reference_id : null)
    expect(await read(nobodys.id, headers), name).toBe(reference_id)
    const found = isShop ? [pages.id, mine.id] : name === 'rival' ? [] : [nobodys.id]
    expect(await search(headers), name).toEqual(found)
  }
})

test('the explorer and lists by address neither show nor search references', async () => {
  const reference_id = 'invoice 9'
  const { swap } = await create(shop, { reference_id })
  for (const url of [`${API}/swaps?address=${recipient}`, `${API}/explorer`, `${API}/explorer/${swap.id}`]) {
    const rows = await api.ask(z.array(z.union([ListedSwap, ExplorerRow])), { url, headers: shop })
    const row = rows.find((entry) => entry.swap.id === swap.id)
    expect(row?.swap.metadata.reference_id, url).toBeNull()
  }
  expect(
    await api.ask(z.array(ExplorerRow), `${API}/explorer?reference_id=${encodeURIComponent(reference_id)}`),
  ).toEqual([])
})

test('a public key gets a new deposit address each time, never the one that the app has', async () => {
  const open = { use_deposit_address: true }
  const made = [
    await create(shop, open),
    await create(shop, open),
    await create(visitor, open),
    await create(visitor, open),
  ]
  const addresses = made.map(({ deposit_actions: [action] }) => action?.to_address)
  expect(addresses[1]).toBe(addresses[0])
  expect(new Set(addresses).size).toBe(3)
})

test('a visitor can neither take nor read another visitor’s idempotency key', async () => {
  const from = (remoteAddress: string, headers: Record<string, string>) => ({
    ...post(`${API}/swaps`, {
      source_network: 'ALPHA',
      source_token: 'USDC',
      destination_network: 'BETA',
      destination_token: 'USDC',
      destination_address: recipient,
      amount: 100,
    }),
    remoteAddress,
    headers: { ...headers, 'idempotency-key': 'order-1' },
  })
  const swapOf = async (request: ReturnType<typeof from>) => (await api.ask(CreatedSwap, request)).swap.id
  const first = await swapOf(from('10.0.0.1', visitor))
  expect(await swapOf(from('10.0.0.1', visitor))).toBe(first)
  expect(await swapOf(from('10.0.0.2', visitor))).not.toBe(first)
  const shops = await swapOf(from('10.0.0.1', shop))
  expect(shops).not.toBe(first)
  expect(await swapOf(from('10.0.0.2', shop))).toBe(shops)
})

test('a public key gives no refund address for the swaps of its app', async () => {
  const { swap } = await create(visitor)
  const answer = await api.refuse({
    ...post(`${API}/swaps/${swap.id}/refund_address`, { refund_address: recipient }),
    headers: visitor,
  })
  expect(answer).toMatchObject({ status: 403, code: 'API_KEY_FORBIDDEN' })
})

test('an app has at most ten webhook endpoints', async () => {
  const add = (n: number) => status('POST', '/webhooks', shop, { url: `https://shop.example/hooks/${n}` })
  const answers: number[] = []
  for (let n = 0; n < 11; n++) answers.push(await add(n))
  expect(answers).toEqual([...Array(10).fill(200), 400])
  // One that is there already is no further one.
  expect(await add(3)).toBe(200)
})
