/**
 * GET /openapi.json (and its older paths): the OpenAPI document. /docs and below: the guides and the reference,
 * rendered here. They are readable without JavaScript and load nothing from other hosts.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../../services.ts'
import { HERE } from '../../docs/call.ts'
import { drawGuide, GUIDES, readGuide } from '../../docs/guide.ts'
import { drawPage, PLACES } from '../../docs/page.ts'
import { drawReference } from '../../docs/reference.ts'
import { searchIndex } from '../../docs/search.ts'
import { substituteHostFor } from '../../docs/substitute-host.ts'
import { textOf } from '../../http/html.ts'
import type { Api } from '../../http/schema.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'

const FILES = path.join(import.meta.dirname, '../../docs')
/** The web pages' colours and sizes. */
const TOKENS = path.join(import.meta.dirname, '../../../../../web/src/app/tokens.css')
/** The pages change only with a release. */
const CACHE = 'public, max-age=300'
/** Without `PUBLIC_URL` a page names the host of its caller, who may have made it up: a shared cache would show it to others. */
const OWN_CACHE = 'private, max-age=300'
/** The pages load from and connect to this host only. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
/** Limit of cached pages by host name: a service has few. For further names the page shows the usual address. */
const MOST_PLACES = 32

interface Text {
  text: string
  compressed: Buffer
}

/** The text of the OpenAPI document, in the version that it is written in and for older tools. */
interface Documents {
  openapi31: () => string
  openapi30: () => string
}

export function docsRoutes(
  api: Api,
  services: Services,
  { openapi31: openapi, openapi30 }: Documents,
  prefix: string,
): void {
  const json = 'application/json; charset=utf-8'
  api.get('/openapi-3.0.json', async (_request, reply) => send(reply, json, openapi30()))
  for (const url of ['/openapi.json', `${prefix}/openapi.json`, '/swagger/v2/swagger.json'])
    api.get(url, async (_request, reply) => send(reply, json, openapi()))

  const parts = [
    { url: '/docs/page.css', type: 'text/css; charset=utf-8', text: `${readTokens()}${readPart('page.css')}` },
    { url: '/docs/page.js', type: 'text/javascript; charset=utf-8', text: readPart('page.js') },
  ]
  for (const { url, type, text } of parts) api.get(url, async (_request, reply) => send(reply, type, text))

  let index: string | null = null
  api.get('/docs/search.json', async (_request, reply) => {
    index ??= JSON.stringify(searchIndex(guideTexts(), JSON.parse(openapi())))
    return send(reply, json, index)
  })

  const retell = substituteHostFor(services.catalogue.networks.map(({ name }) => name))
  const drawn = new Map<string, Text>()
  const { branding, siteName, pagesFolder } = services.config
  const site = { name: branding.name ?? siteName, hasPages: existsSync(path.join(pagesFolder, 'index.html')) }
  const guides = Object.keys(GUIDES).map((url) => ({ url, draw: () => drawPage(drawGuide(url, retell), url, site) }))
  const reference = {
    url: '/docs/reference',
    draw: () => drawPage(drawReference(JSON.parse(openapi()), retell), '/docs/reference', site),
  }
  for (const { url, draw } of [...guides, reference]) {
    let plain: string | null = null
    let usual: Text | null = null
    api.get(url, async (request, reply) => {
      const here = addressOf(services, request)
      plain ??= textOf(draw())
      // Made-up host names must not cost a compression each.
      const isKept = drawn.has(`${url} ${here}`) || drawn.size < MOST_PLACES
      const shown = isKept ? here : HERE
      const page = (isKept ? drawn.get(`${url} ${here}`) : usual) ?? compressedOf(plain.replaceAll(HERE, shown))
      if (isKept) drawn.set(`${url} ${here}`, page)
      else usual = page
      return sendPage(request, reply, page, services.config.publicUrl ? CACHE : OWN_CACHE)
    })
  }
}

function guideTexts(): { url: string; name: string; text: string }[] {
  return PLACES.flatMap(({ url, name }) => {
    const text = GUIDES[url] ? readGuide(url) : null
    return text === null ? [] : [{ url, name, text }]
  })
}

/** The service's address in commands that people copy into a shell, so only URL characters are allowed. */
function addressOf(services: Services, request: FastifyRequest): string {
  const here = services.config.publicUrl ?? presentationContextOf(services, request).baseUrl
  return /^https?:\/\/[\w.-]+(?::\d+)?$|^https?:\/\/\[[\da-f:]+\](?::\d+)?$/i.test(here) ? here : HERE
}

function readPart(file: string): string {
  return readFileSync(path.join(FILES, file), 'utf8')
}

/** The colours of the pages; empty without the web sources: the pages are then unstyled but work. */
function readTokens(): string {
  return existsSync(TOKENS) ? readFileSync(TOKENS, 'utf8') : ''
}

function compressedOf(text: string): Text {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
  return { text, compressed: brotliCompressSync(text, { params }) }
}

function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, compressed }: Text,
  cache: string,
): FastifyReply {
  reply.header('vary', 'accept-encoding')
  const type = 'text/html; charset=utf-8'
  if (!/\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))) return send(reply, type, text, cache)
  // Bytes bypass the JSON serializer.
  return guarded(reply.header('content-encoding', 'br'), cache).type(type).send(compressed)
}

function send(reply: FastifyReply, type: string, text: string, cache = CACHE): FastifyReply {
  return guarded(reply, cache)
    .type(type)
    .serializer((given: string) => given)
    .send(text)
}

function guarded(reply: FastifyReply, cache: string): FastifyReply {
  return reply.headers({
    'content-security-policy': POLICY,
    'x-frame-options': 'SAMEORIGIN',
    'cache-control': cache,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
}
