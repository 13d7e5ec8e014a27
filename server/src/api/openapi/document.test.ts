/** The document describes every call. `npm run openapi` writes `sdk/openapi.json` through this test. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { callsOf, type OpenApi } from '../../../../tests/support/service/openapi.ts'
import { OPERATIONS } from './operations.ts'

/** Responses without an envelope, for machines and pages rather than clients. */
const UNDESCRIBED = [
  '/api/v2/swaps/internal',
  '/api/v2/internal/swaps',
  '/logos/sprite.svg',
  '/logos/{kind}/{file}',
  '/openapi.json',
  '/api/v2/openapi.json',
  '/swagger/v2/swagger.json',
  '/openapi-3.0.json',
  '/docs',
  '/docs/lifecycle',
  '/docs/errors',
  '/docs/changes',
  '/docs/search.json',
  '/docs/sdk',
  '/docs/reference',
  '/docs/page.css',
  '/docs/page.js',
]

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const read = async () => (await api.server.inject('/openapi.json')).json<OpenApi>()

test('sdk/openapi.json equals what the service serves', async () => {
  const answer = await api.server.inject('/api/v2/openapi.json')
  expect(answer.headers['content-type']).toContain('application/json')
  for (const place of ['/openapi.json', '/swagger/v2/swagger.json'])
    expect((await api.server.inject(place)).body).toBe(answer.body)
  await expect(answer.body).toMatchFileSnapshot('../../../../sdk/openapi.json')
})

test('sdk/openapi-3.0.json is the same document for tools that know only 3.0', async () => {
  const { body } = await api.server.inject('/openapi-3.0.json')
  await expect(body).toMatchFileSnapshot('../../../../sdk/openapi-3.0.json')
  const [old, now]: [OpenApi, OpenApi] = [JSON.parse(body), await read()]
  expect(old.openapi).toBe('3.0.3')
  expect(callsOf(old).map(({ key, operationId }) => [key, operationId])).toEqual(
    callsOf(now).map(({ key, operationId }) => [key, operationId]),
  )
  const names = new Set(Object.keys(old.components.schemas ?? {}).map((name) => name.replace(/^Nullable/, '')))
  expect([...names].sort()).toEqual(Object.keys(now.components.schemas ?? {}).sort())
})

test('the aliases of old clients answer, and are not in the document', async () => {
  const query = '?address=0x000000000000000000000000000000000000dEaD'
  for (const alias of ['/api/v2/swaps/internal', '/api/v2/internal/swaps']) {
    expect((await api.server.inject(`${alias}${query}`)).body).toBe('{"data":[]}')
    expect((await read()).paths).not.toHaveProperty([alias])
  }
})

test('every pattern compiles in Python and Go too', async () => {
  const patterns: string[] = []
  JSON.stringify(await read(), (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.push(value)
    return value
  })
  expect(patterns.length).toBeGreaterThan(50)
  for (const pattern of patterns) {
    // No Unicode classes for Python; no lookaround, \u escapes and repeats above 1000 for Go.
    for (const foreign of ['\\p{', '\\P{', '(?=', '(?!', '(?<', '\\u']) expect(pattern).not.toContain(foreign)
    for (const [, most] of pattern.matchAll(/\{\d*,?(\d+)\}/g)) expect(Number(most)).toBeLessThanOrEqual(1000)
  }
})

test('every route is documented, and nothing else', async () => {
  const { paths, openapi } = await read()
  expect(openapi).toBe('3.1.0')
  const described = callsOf({ paths }).map(({ key }) => key)
  expect(described.sort()).toEqual(Object.keys(OPERATIONS).sort())
  const table = api.server.printRoutes({ commonPrefix: false, includeHooks: false })
  const routes = routesIn(table).filter((route) => !UNDESCRIBED.includes(route.split(' ')[1] ?? ''))
  expect(routes.sort()).toEqual(described.sort())
})

test('operation ids are unique and read as code, and references resolve', async () => {
  const document = await read()
  const ids = callsOf(document).map(({ operationId }) => operationId)
  expect(ids).toEqual(expect.arrayContaining(['getSwap', 'createSwap', 'listSwaps', 'getQuote', 'getHealth']))
  for (const id of ids)
    expect(id).toMatch(
      /^(get|list|create|delete|set|check|search|stream|speedUp|authorize|replay|update|test)[A-Z][A-Za-z]+$/,
    )
  expect(new Set(ids).size).toBe(ids.length)
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)]
  expect(references.length).toBeGreaterThan(50)
  for (const [, kind = '', name = ''] of references) expect(document.components[kind]).toHaveProperty(name)
})

/** The routes that fastify prints, without those it adds for HEAD and OPTIONS. */
function routesIn(tree: string): string[] {
  const found: string[] = []
  const stems: string[] = []
  for (const line of tree.split('\n')) {
    const match = /^([\s│]*)[├└]── (\S*?)(?: \(([^)]+)\))?$/.exec(line)
    if (!match) continue
    const depth = (match[1] ?? '').length / 4
    stems.length = depth
    stems[depth] = match[2] ?? ''
    for (const method of (match[3] ?? '').split(', ')) {
      if (!method || method === 'HEAD' || method === 'OPTIONS') continue
      found.push(`${method} ${stems.join('').replace(/:(\w+)/g, '{$1}')}`)
    }
  }
  return found
}
