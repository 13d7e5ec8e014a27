/** The event stream of a swap: its events, its end, and its limits. */
import { CreatedSwap, createClient, SwapDetails } from '@causeway/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../tests/support/runner/eventually.ts'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { movesOf } from '../../../../../tests/support/service/moves.ts'

let api: TestApi
let url: string
beforeAll(async () => {
  api = await startApi()
  url = await api.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => api.stop())

async function create(): Promise<string> {
  const route = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
  const destination = await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)
  const request = post('/api/v2/swaps', { ...route, destination_address: destination, amount: 100 })
  return (await api.ask(CreatedSwap, request)).swap.id
}

/** Opens a stream and collects its events. */
async function open(swapId: string, headers: Record<string, string> = {}, base = url) {
  const stop = new AbortController()
  const response = await fetch(`${base}/api/v2/swaps/${swapId}/events`, { headers, signal: stop.signal })
  const told = { response, text: '', ended: false, close: () => stop.abort() }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const read = async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) told.text += part.value
    told.ended = true
  }
  read().catch(() => undefined)
  return told
}
const statusesIn = (text: string) => [...text.matchAll(/^id: (\w+)$/gm)].map(([, status]) => status)

test('sends the state at once, an event on each change, and ends after a terminal one', async () => {
  const id = await create()
  const story = movesOf(api.services, id)
  const stream = await open(id, { origin: 'https://app.example' })
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(stream.response.headers.get('access-control-allow-origin')).toBe('*')
  expect(stream.response.headers.get('cache-control')).toContain('no-cache')
  await eventually(async () => stream.text.includes('\n\n'))
  expect(statusesIn(stream.text)).toEqual(['user_transfer_pending'])
  await story.deposit()
  await eventually(async () => statusesIn(stream.text).includes('ls_transfer_pending'))
  expect(stream.ended).toBe(false)
  await story.complete()
  await eventually(async () => stream.ended)
  expect(statusesIn(stream.text).at(-1)).toBe('completed')
  for (const [, event, data] of stream.text.matchAll(/^event: (\w+)\nid: \w+\ndata: (.*)$/gm)) {
    expect(event).toBe('swap')
    SwapDetails.parse(JSON.parse(data ?? '').data)
  }
})

test('a finished swap is sent once; a browser that reconnects gets a 204', async () => {
  const id = await create()
  const story = movesOf(api.services, id)
  await story.deposit()
  await story.complete()
  const stream = await open(id)
  await eventually(async () => stream.ended)
  expect(statusesIn(stream.text)).toEqual(['completed'])
  expect((await open(id, { 'last-event-id': 'completed' })).response.status).toBe(204)
})

test('an unknown swap is NOT_FOUND', async () => {
  const answer = await open(crypto.randomUUID())
  expect(answer.response.status).toBe(404)
})

test('an address has a limited number of streams, and closed ones do not count', async () => {
  const id = await create()
  const streams = await Promise.all(Array.from({ length: 20 }, () => open(id)))
  const refused = await open(id)
  expect(refused.response.status).toBe(429)
  expect(refused.response.headers.get('retry-after')).toBe('10')
  for (const stream of streams) stream.close()
  const again = await eventually(async () => {
    const stream = await open(id)
    return stream.response.status === 200 && stream
  })
  again.close()
})

test('after the LISTEN connection drops, streams catch up with what they missed', async () => {
  const id = await create()
  const story = movesOf(api.services, id)
  const stream = await open(id)
  await eventually(async () => stream.text.includes('user_transfer_pending'))
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where query like 'listen %' and datname = current_database()`.execute(api.services.database)
  await story.deposit()
  await eventually(async () => statusesIn(stream.text).includes('ls_transfer_pending'))
  await story.complete()
  await eventually(async () => stream.ended)
})

test('the client follows a swap by its events', async () => {
  const id = await create()
  const story = movesOf(api.services, id)
  const client = createClient({ baseUrl: url })
  const seen: string[] = []
  for await (const { swap } of client.watchSwap(id)) {
    if (swap.status !== seen.at(-1)) seen.push(swap.status)
    if (swap.status === 'user_transfer_pending') await story.deposit()
    if (swap.status === 'ls_transfer_pending') setTimeout(() => story.complete(), 100)
  }
  expect(seen).toEqual(['user_transfer_pending', 'ls_transfer_pending', 'completed'])
})

test('a closing server ends its streams', async () => {
  const other = await startApi()
  const base = await other.server.listen({ port: 0, host: '127.0.0.1' })
  const route = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
  const destination = await other.services.chains.get('BETA')?.depositAddresses?.derive(900_001)
  const request = post('/api/v2/swaps', { ...route, destination_address: destination, amount: 100 })
  const { swap } = await other.ask(CreatedSwap, request)
  const stream = await open(swap.id, {}, base)
  await eventually(async () => stream.text.includes('user_transfer_pending'))
  await other.stop()
  await eventually(async () => stream.ended)
})
