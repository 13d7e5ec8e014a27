/**
 * Attack A5 for all other input: every text and list of every documented call, as long, as deep and as often as fits
 * into a request. All of it is refused as the caller's mistake or answered, and nothing breaks.
 */
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../support/service/api.ts'
import { operations } from '../../support/service/fuzz.ts'

const PATHS = { swapId: '01890a5d-ac96-774b-bcce-b302099a8057', campaign: 'x', address: 'x', search: 'x' }
/** The service's body limit, and Node's limit for headers. */
const [BODY, HEAD] = [1_000_000, 14_000]

let api: TestApi
beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_READS: '100000', RATE_LIMIT_CREATIONS: '100000' })
})
afterAll(() => api.stop())

const pathOf = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => PATHS[name as keyof typeof PATHS] ?? PATHS.swapId)

async function statusOf(request: InjectOptions): Promise<number> {
  const { statusCode } = await api.server.inject(request)
  return statusCode
}

const json = { 'content-type': 'application/json' }

describe('a body', () => {
  const posts = operations.filter(({ body }) => body !== null)
  const fieldsOf = (body: object | null) => Object.keys((body as { properties?: object } | null)?.properties ?? {})
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

  it('that is nothing but depth is no crash, with or without a key that its text is kept under', async () => {
    const bodies = [deep('[', ']', 400_000), deep('{"a":', '}', 100_000).replace('}', '1}'), '['.repeat(BODY - 10)]
    for (const { method, path } of posts)
      for (const payload of bodies)
        for (const more of [{}, { 'idempotency-key': 'k' }]) {
          const request = { method: method as 'POST', url: pathOf(path), payload, headers: { ...json, ...more } }
          expect(await statusOf(request), path).toBeGreaterThanOrEqual(400)
          expect(await statusOf(request), path).toBeLessThan(500)
        }
  })

  it('whose fields are endless texts, lists or trees, or a hundred thousand unknown ones, is refused', async () => {
    const tree = JSON.parse(deep('[', ']', 2_000)) as unknown
    const endless: unknown[] = ['x'.repeat(BODY / 2), Array(200_000).fill('a'), tree, Object.fromEntries([['a', tree]])]
    for (const { method, path, body } of posts) {
      for (const field of fieldsOf(body))
        for (const value of endless) {
          const request = { method: method as 'POST', url: pathOf(path), payload: { [field]: value } }
          const status = await statusOf(request)
          expect([400, 401, 403, 404], `${path} ${field} ${status}`).toContain(status)
        }
      const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`field${n}`, n]))
      expect(await statusOf({ method: method as 'POST', url: pathOf(path), payload: many }), path).toBeLessThan(500)
    }
  })
})

describe('an address', () => {
  it('with an endless or a thousand times repeated parameter is refused or answered', async () => {
    for (const { method, path, parameters } of operations.filter(({ method }) => method === 'GET')) {
      for (const { name } of parameters.filter((parameter) => parameter.in === 'query')) {
        const endless = [
          `${name}=${'x'.repeat(HEAD)}`,
          `${name}=${','.repeat(HEAD)}`,
          Array(Math.floor(HEAD / (name.length + 3)))
            .fill(`${name}=1`)
            .join('&'),
          Array.from({ length: Math.floor(HEAD / (name.length + 7)) }, (_, n) => `${name}=${n}`).join('&'),
          Array(200).fill(`${name}[]=a`).join('&'),
          `${name}[a][b][c]=1`,
        ]
        for (const query of endless) {
          const status = await statusOf({ method: method as 'GET', url: `${pathOf(path)}?${query}` })
          expect([200, 400, 401, 403, 404], `${path} ${query.slice(0, 60)} ${status}`).toContain(status)
        }
      }
    }
  })

  it('with a part that is endless is not found', async () => {
    for (const { method, path } of operations.filter(({ path }) => path.includes('{'))) {
      const url = path.replace(/\{\w+\}/g, 'x'.repeat(5_000))
      const status = await statusOf({ method: method as 'GET', url, ...(method === 'POST' ? { payload: {} } : {}) })
      expect([400, 401, 403, 404, 414], `${path} ${status}`).toContain(status)
    }
  })

  it('whose head has an endless key, reference or language is refused or answered', async () => {
    for (const header of ['idempotency-key', 'x-ls-apikey', 'x-ls-correlation-id', 'accept-language', 'cookie']) {
      const headers = { [header]: 'x'.repeat(HEAD) }
      expect(await statusOf({ url: '/api/v2/networks', headers }), header).toBeLessThan(500)
      expect(await statusOf({ method: 'POST', url: '/api/v2/swaps', payload: {}, headers }), header).toBeLessThan(500)
    }
  })
})
