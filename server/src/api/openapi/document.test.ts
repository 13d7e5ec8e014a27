/** The document describes every call. `npm run openapi` writes `sdk/openapi.json` through this test. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { callsOf, type OpenApi } from '../../../../tests/support/service/openapi.ts'
import { OPERATIONS } from './operations.ts'

/** Responses without an envelope, for machines and pages rather than clients. */
const UNDESCRIBED = [
  '/api/v2/health',
  '/logos/{kind}/{file}',
  '/openapi.json',
  '/api/v2/openapi.json',
  '/swagger/v2/swagger.json',
  '/docs',
  '/docs/lifecycle',
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

test('every route is documented, and nothing else', async () => {
  const { paths, openapi } = await read()
  expect(openapi).toBe('3.1.0')
  const described = callsOf({ paths }).map(({ key }) => key)
  expect(described.sort()).toEqual(Object.keys(OPERATIONS).sort())
  const table = api.server.printRoutes({ commonPrefix: false, includeHooks: false })
  const routes = routesIn(table).filter((route) => !UNDESCRIBED.includes(route.split(' ')[1] ?? ''))
  expect(routes.sort()).toEqual(described.sort())
})

test('operation ids are unique, and references resolve', async () => {
  const document = await read()
  const ids = callsOf(document).map(({ operationId }) => operationId)
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
