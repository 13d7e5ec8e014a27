/** Large responses are compressed for browsers only. */
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../../tests/support/service/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const ask = (url: string, headers: Record<string, string>) => api.server.inject({ url, headers })
const BROWSER = { 'accept-encoding': 'gzip, br', 'sec-fetch-mode': 'cors' }

test('a browser gets a large answer compressed, with the same content', async () => {
  const plain = await ask('/api/v2/networks', { 'accept-encoding': 'gzip, br' })
  expect(plain.headers['content-encoding']).toBeUndefined()
  const small = await ask('/api/v2/networks', BROWSER)
  expect(small.headers['content-encoding']).toBe('br')
  expect(small.headers.vary).toBe('accept-encoding')
  expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
  expect(JSON.parse(brotliDecompressSync(small.rawPayload).toString())).toEqual(plain.json())
})

test('small responses, and browsers without brotli, get no compression', async () => {
  const old = await ask('/api/v2/networks', { ...BROWSER, 'accept-encoding': 'gzip' })
  expect(old.headers['content-encoding']).toBeUndefined()
  const short = await ask('/api/v2/site', BROWSER)
  expect(short.headers['content-encoding']).toBeUndefined()
})
