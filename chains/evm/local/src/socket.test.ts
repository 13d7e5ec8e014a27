/** A node behind a WebSocket answers like one behind HTTP and reports new heads, also after a reconnect. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { headNews, startSocketBefore } from '../../../../tests/support/chains/websocket.ts'
import { accountOf, startChain, watching } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

test('deposits are scanned and proven over it', async () => {
  const socket = await startSocketBefore(chain.url)
  const adapter = await chain.open({ nodes: [socket.url] })
  const ours = watching(chain.treasury)
  const { next } = await adapter.scan(null, ours)
  const txHash = await chain.local.transfer(accountOf(chain.local, 0), chain.network.nativeToken, chain.treasury, 7n)
  const scan = await adapter.scan(next, ours)
  expect(scan.sightings).toMatchObject([{ txHash, amount: { units: 7n } }])
  expect(await adapter.inspect(txHash, ours)).toMatchObject({ state: 'included', confirmations: 1 })
  await socket.stop()
})

test('a subscriber gets every head, also after a reconnect', async () => {
  const socket = await startSocketBefore(chain.url)
  const adapter = await chain.open({ nodes: [socket.url] })
  let heard = 0
  const stop = adapter.headFeed?.subscribe(() => {
    heard += 1
  })
  await vi.waitFor(() => expect(socket.clients.size).toBe(1))
  await adapter.fees()
  socket.tell(headNews())
  await vi.waitFor(() => expect(heard).toBe(1))
  socket.drop()
  await vi.waitFor(() => expect(socket.clients.size).toBe(0))
  await vi.waitFor(() => expect(socket.clients.size).toBe(1), { timeout: 10_000 })
  await adapter.fees()
  socket.tell(headNews())
  await vi.waitFor(() => expect(heard).toBe(2))
  stop?.()
  await socket.stop()
})

test('calls on a connection that breaks are retried later, and the next call opens another one', async () => {
  const socket = await startSocketBefore(chain.url)
  const adapter = await chain.open({ nodes: [socket.url] })
  await adapter.fees()
  const asked = adapter.fees()
  socket.drop()
  await asked.catch((error) => expect(error).toBeInstanceOf(RetryLater))
  expect((await adapter.fees()).nativeTransfer).toBeGreaterThan(0n)
  await socket.stop()
})

test('a connection that has gone silent is dropped and replaced', async () => {
  const socket = await startSocketBefore(chain.url)
  const adapter = await chain.open({ nodes: [socket.url], settings: { request_timeout_ms: 1_500 } })
  const stop = adapter.headFeed?.subscribe(() => undefined)
  await adapter.fees()
  const [dead] = socket.clients
  socket.mute()
  await expect(adapter.fees()).rejects.toThrow(RetryLater)
  await vi.waitFor(() => expect(dead?.destroyed).toBe(true))
  socket.mute(false)
  await vi.waitFor(async () => expect((await adapter.fees()).nativeTransfer).toBeGreaterThan(0n), { timeout: 10_000 })
  stop?.()
  await socket.stop()
})

test('an HTTP-only node reports no heads', () => {
  expect(chain.adapter.headFeed).toBeUndefined()
})
