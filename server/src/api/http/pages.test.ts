/** Pages and API on one server: which path serves which, with which security policy and cache time. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../../tests/support/service/api.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const JSON_ = { accept: 'application/json' }

let api: TestApi
beforeAll(async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-pages-'))
  mkdirSync(path.join(folder, 'assets'))
  mkdirSync(path.join(folder, '.vite'))
  writeFileSync(path.join(folder, 'index.html'), '<h1>pages</h1>')
  writeFileSync(path.join(folder, 'embed.html'), '<h1>embed</h1>')
  writeFileSync(path.join(folder, '.vite/manifest.json'), '{}')
  writeFileSync(path.join(folder, 'assets/a-1.js'), 'let a')
  writeFileSync(path.join(folder, 'assets/a-1.js.br'), brotliCompressSync('let a'))
  api = await startApi({ PAGES: folder })
})
afterAll(() => api.stop())

const get = (url: string, headers: Record<string, string>) => api.server.inject({ url, headers })

test('the root sends a person to the page and a program to the OpenAPI document', async () => {
  const page = await get('/', HTML)
  expect([page.statusCode, page.body]).toEqual([200, '<h1>pages</h1>'])
  for (const headers of [JSON_, {}]) {
    const answer = await get('/', headers)
    expect([answer.statusCode, answer.headers.location]).toEqual([302, '/openapi.json'])
  }
})

test('a page runs and calls only our own origin, and only the embed page may be framed', async () => {
  const { headers } = await get('/swap/x', HTML)
  const policy = String(headers['content-security-policy'])
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ])
    expect(policy.split('; ')).toContain(rule)
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  const embed = await get('/embed', HTML)
  expect(embed.body).toBe('<h1>embed</h1>')
  expect(embed.headers['content-security-policy']).toContain('frame-ancestors *')
})

test('assets are cached for ever and compressed if accepted; pages are revalidated', async () => {
  const part = await get('/assets/a-1.js', { 'accept-encoding': 'gzip, br' })
  expect(part.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    'content-type': 'text/javascript; charset=utf-8',
  })
  const plain = await get('/assets/a-1.js', {})
  expect([plain.body, plain.headers['content-encoding']]).toEqual(['let a', undefined])
  const page = await get('/', HTML)
  expect(page.headers['cache-control']).toBe('no-cache')
  expect((await get('/', { ...HTML, 'if-none-match': String(page.headers.etag) })).statusCode).toBe(304)
})

test('an unknown path is a page for browsers and an error for programs; API paths are never pages', async () => {
  expect([(await get('/nowhere', HTML)).statusCode, (await get('/nowhere', HTML)).body]).toEqual([
    404,
    '<h1>pages</h1>',
  ])
  expect((await get('/nowhere', JSON_)).json().error.code).toBe('NOT_FOUND')
  for (const url of [
    '/api/v2/nothing',
    '/logos/nothing',
    '/.vite/manifest.json',
    '/index.html',
    '/assets/../index.html.br',
  ])
    expect((await get(url, JSON_)).json().error.code).toBe('NOT_FOUND')
  expect((await get('/api/v2/nothing', HTML)).json().error.code).toBe('NOT_FOUND')
  expect((await api.server.inject({ method: 'POST', url: '/history', headers: HTML })).statusCode).toBe(404)
})

test('without pages the API is served, and a person is sent to its reference', async () => {
  const bare = await startApi({ PAGES: '/nowhere/at/all' })
  const door = await bare.server.inject({ url: '/', headers: HTML })
  expect([door.statusCode, door.headers.location]).toEqual([302, '/docs'])
  expect((await bare.server.inject('/api/v2/health')).statusCode).toBe(200)
  expect((await bare.server.inject({ url: '/history', headers: HTML })).statusCode).toBe(404)
  await bare.stop()
})
