/** Clickjacking: no page but the embed may be framed by another site. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInternal } from '../../../server/src/api/internal.ts'
import { consoleRoutes } from '../../../server/src/console/routes.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
beforeAll(async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-pages-'))
  for (const name of ['index', 'embed', 'operator'])
    writeFileSync(path.join(folder, `${name}.html`), `<!doctype html><html><head><title>${name}</title></head></html>`)
  api = await startApi({ PAGES: folder })
  consoleRoutes(api.server, { ...api.services, isSandbox: false })
})
afterAll(() => api.stop())

const headersOf = async (url: string, server = api.server) => {
  const { headers, statusCode } = await server.inject({ url, headers: { accept: 'text/html', host: 'localhost' } })
  const [, ancestors = null] = /frame-ancestors ([^;]+)/.exec(String(headers['content-security-policy'] ?? '')) ?? []
  return { statusCode, ancestors, legacy: headers['x-frame-options'] ?? null }
}

test.each(['/', '/history', '/status', '/explorer', '/swap/x', '/developers', '/operator', '/no-such-page'])(
  '%s is not framed by anyone',
  async (url) => {
    expect(await headersOf(url)).toMatchObject({ ancestors: "'none'", legacy: 'DENY' })
  },
)

test.each(['/docs', '/docs/reference'])('%s is framed by this site only', async (url) => {
  expect(await headersOf(url)).toMatchObject({ statusCode: 200, ancestors: "'self'", legacy: 'SAMEORIGIN' })
})

test('the embed is made to be framed', async () => {
  expect(await headersOf('/embed')).toMatchObject({ statusCode: 200, ancestors: '*', legacy: null })
})

test('the console on the internal port is not framed', async () => {
  const internal = createInternal(api.services)
  try {
    consoleRoutes(internal, { ...api.services, isSandbox: false })
    expect(await headersOf('/operator', internal)).toMatchObject({
      statusCode: 200,
      ancestors: "'none'",
      legacy: 'DENY',
    })
  } finally {
    await internal.close()
  }
})
