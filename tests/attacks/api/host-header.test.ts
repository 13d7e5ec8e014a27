/**
 * Attack B9: made-up Host headers make the service compress its documentation again and again, and a web page points its
 * own name at the internal port (DNS rebinding). The lock file pins what is installed.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createInternal } from '../../../server/src/api/internal.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
let named: TestApi
beforeAll(async () => {
  api = await startApi({ INTERNAL_NAMES: 'Metrics.example', TRUST_PROXY: '1' })
  named = await startApi({ PUBLIC_URL: 'https://swap.example', TRUST_PROXY: '1' })
})
afterAll(async () => {
  await named.stop()
  await api.stop()
})

test('a page that names the host of its caller is kept by no shared cache, which would show it to others', async () => {
  const ask = async ({ server }: TestApi) => {
    const headers = { host: 'swap.example', 'x-forwarded-host': 'evil.example' }
    const { body, headers: told } = await server.inject({ url: '/docs/reference', headers })
    return { namesCaller: body.includes('evil.example'), isShared: /public/.test(String(told['cache-control'])) }
  }
  expect(await ask(api)).toEqual({ namesCaller: true, isShared: false })
  expect(await ask(named)).toEqual({ namesCaller: false, isShared: true })
})

test('made-up host names get one page, which is compressed once', async () => {
  const bodies = new Set<string>()
  const ask = async (host: string) => {
    const headers = { host, 'accept-encoding': 'br' }
    const { rawPayload } = await api.server.inject({ url: '/docs/reference', headers })
    return zlib.brotliDecompressSync(rawPayload).toString()
  }
  for (let n = 0; n < 40; n++) bodies.add(await ask(`h${n}.example`))
  // Those that were first are kept; all others get the same page.
  const late = await ask('another.example')
  expect(late).not.toContain('another.example')
  expect(bodies.has(late)).toBe(true)
  const compress = vi.spyOn(zlib, 'brotliCompressSync')
  for (let n = 0; n < 5; n++) expect(await ask(`late${n}.example`)).toBe(late)
  expect(compress).not.toHaveBeenCalled()
  compress.mockRestore()
})

test('the internal port answers addresses, names without a dot and listed names only', async () => {
  const internal = createInternal(api.services)
  try {
    const ask = async (host: string) => (await internal.inject({ url: '/health', headers: { host } })).statusCode
    for (const host of ['127.0.0.1:8081', '[::1]:8081', 'localhost:8081', 'causeway', '10.1.2.3', 'metrics.example:1'])
      expect(await ask(host), host).toBe(200)
    for (const host of ['rebound.example', 'rebound.example:8081', '127.0.0.1.nip.example', 'localhost.'])
      expect(await ask(host), host).toBe(421)
  } finally {
    await internal.close()
  }
})

test('every package that production installs has an integrity in the lock file', () => {
  const file = path.join(import.meta.dirname, '../../../package-lock.json')
  const lock: { packages: Record<string, { integrity?: string; link?: boolean; dev?: boolean; optional?: boolean }> } =
    JSON.parse(readFileSync(file, 'utf8'))
  const without = Object.entries(lock.packages).filter(
    ([place, { integrity, link }]) => place.includes('node_modules/') && !link && !integrity,
  )
  // Variants of development tools for other platforms, which the registry mirror does not hold.
  expect(without.filter(([, { dev, optional }]) => !(dev && optional)).map(([place]) => place)).toEqual([])
})
