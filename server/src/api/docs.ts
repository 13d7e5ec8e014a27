/** GET /openapi.json (and where older tools look for it) and /docs: the document that describes the API, and a page to read and try it. No outside assets. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyReply } from 'fastify'
import type { Api } from './schema.ts'

const FILES = path.join(import.meta.dirname, 'docs')
const PAGES = [
  { url: '/docs', file: 'page.html', type: 'text/html; charset=utf-8' },
  { url: '/docs/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { url: '/docs/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
]
/** The page changes with a release only. */
const CACHE = 'public, max-age=300'
/** The page loads from here and talks to here, nowhere else. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

export function docsRoutes(api: Api, openapi: () => string, prefix: string): void {
  for (const url of ['/openapi.json', `${prefix}/openapi.json`, '/swagger/v2/swagger.json'])
    api.get(url, async (_request, reply) => send(reply, 'application/json; charset=utf-8', openapi()))
  for (const { url, file, type } of PAGES) {
    const text = readFileSync(path.join(FILES, file), 'utf8')
    api.get(url, async (_request, reply) => send(reply.header('content-security-policy', POLICY), type, text))
  }
}

function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply
    .headers({ 'cache-control': CACHE, 'x-content-type-options': 'nosniff' })
    .type(type)
    .serializer((given: string) => given)
    .send(text)
}
