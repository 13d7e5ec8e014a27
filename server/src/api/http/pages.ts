/**
 * Serves the web pages that `npm run build` made: read once, sent as they are, precompressed. Every other path belongs
 * to the API. The policy allows only our own scripts and sends no referrer.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../services.ts'
import { brandParts, compressed, ICONS, isOurs } from './brand-parts.ts'

export interface Pages {
  /** Answers if a browser asked for a page or one of its parts; false if the path belongs to the API. */
  answer(request: FastifyRequest, reply: FastifyReply): boolean
}

interface Part {
  body: Buffer
  compressed: Buffer | null
  type: string
  etag: string
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.ico': 'image/x-icon',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
}
/** File names below /assets change with their content. */
const FOREVER = 'public, max-age=31536000, immutable'
const LOOK_AGAIN = 'no-cache'
/** Cache duration of files whose names do not change with their content, but whose content hardly ever changes. */
const A_WEEK = 'public, max-age=604800'
/** Paths with a page. Other paths show a page that says "not found". */
const SHOWN = /^\/(?:$|swap\/|history$|status$|explorer(?:$|\/)|developers(?:$|\/))/
const CONSOLE = /^\/operator(?:\/|$)/
/** Files that the console's page loads besides its own assets. */
const OF_CONSOLE = [
  '/icon.svg',
  '/favicon.ico',
  '/branding.css',
  '/start.js',
  '/site.webmanifest',
  '/fonts/inter.woff2',
  '/fonts/mono.woff2',
]
/** Paths of the API, which are never a page, even for a browser. */
const OF_THE_API = /^\/(?:api|sandbox|logos|docs|\.well-known)(?:\/|$)|^\/(?:metrics|ready|openapi\.json)$/

const policy = (ancestors: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** For browsers that do not know `frame-ancestors`. */
const UNFRAMED = { 'x-frame-options': 'DENY' }
const GUARDED = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy':
    'camera=(self), clipboard-read=(self), clipboard-write=(self), geolocation=(), microphone=(), payment=(), usb=()',
}

/** `shows`: the internal port serves only the console. */
export function createPages({ config, log }: Services, shows: 'all' | 'console' = 'all'): Pages {
  const folder = config.pagesFolder
  const areBuilt = existsSync(path.join(folder, 'index.html'))
  if (!areBuilt && shows === 'all')
    log.warn({ folder }, 'no pages are served: run "npm run build" to make them. The API is served anyway')
  const parts = areBuilt ? branded(readParts(folder), config) : new Map<string, Part>()
  /** Serves the console's page, if this server also serves the console's API. */
  const showConsole = (request: FastifyRequest, reply: FastifyReply, place: string): boolean => {
    const page = parts.get('/operator.html')
    const isHere = request.server.hasRoute({ method: 'GET', url: '/operator/api/session' })
    if (!isHere || !page || place.startsWith('/operator/api') || !wantsPage(request)) return false
    reply.headers({ 'content-security-policy': policy("'none'"), ...UNFRAMED, ...GUARDED, vary: 'accept' })
    return send(request, reply, page, LOOK_AGAIN)
  }
  return {
    answer(request, reply) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const place = placeOf(request.url)
      if (place === null) return false
      if (CONSOLE.test(place)) return showConsole(request, reply, place)
      if (shows === 'console' && !place.startsWith('/assets/') && !OF_CONSOLE.includes(place)) return false
      // The root: a program is redirected to the OpenAPI document, a person without pages to the reference.
      if (place === '/' && (!areBuilt || !wantsPage(request))) {
        reply.header('vary', 'accept').redirect(wantsPage(request) ? '/docs' : '/openapi.json')
        return true
      }
      const part = place.endsWith('.html') || place.startsWith('/.') ? undefined : parts.get(place)
      if (part) return send(request, reply, part, cachingOf(place))
      if (OF_THE_API.test(place) || !wantsPage(request)) return false
      const isEmbed = place === '/embed'
      const page = parts.get(isEmbed ? '/embed.html' : '/index.html')
      if (!page) return false
      const framing = isEmbed ? {} : UNFRAMED
      const allowed = policy(isEmbed ? '*' : "'none'")
      reply.headers({ 'content-security-policy': allowed, ...framing, ...GUARDED, vary: 'accept' })
      if (!isEmbed && !SHOWN.test(place)) reply.status(404)
      return send(request, reply, page, LOOK_AGAIN)
    },
  }
}

function cachingOf(place: string): string {
  if (place.startsWith('/assets/')) return FOREVER
  return /^\/(?:fonts\/|icon\.svg$|favicon\.ico$|apple-touch-icon\.png$|preview\.png$)/.test(place)
    ? A_WEEK
    : LOOK_AGAIN
}

/** The path of a URL; null if it is malformed. */
function placeOf(url: string): string | null {
  return URL.canParse(url, 'http://here') ? new URL(url, 'http://here').pathname : null
}

/** Browsers accept HTML explicitly; programs that accept anything get JSON. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html')
}

/** Replaces our name, colours and pictures by the operator's. */
function branded(parts: Map<string, Part>, config: Services['config']): Map<string, Part> {
  const documents = new Map(
    [...parts].filter(([place]) => place.endsWith('.html')).map(([place, { body }]) => [place, body.toString()]),
  )
  for (const place of ICONS) if (isOurs(place, config.branding)) parts.delete(place)
  for (const [place, { body, type }] of brandParts(documents, config)) {
    const isText = !/^image\/(?:png|x-icon)/.test(type)
    parts.set(place, { body, type, etag: etagOf(body), compressed: isText ? compressed(body) : null })
  }
  return parts
}

function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`
}

function readParts(folder: string): Map<string, Part> {
  const files = globSync('**/*', { cwd: folder }).filter(
    (file) => !file.endsWith('.br') && !file.startsWith('.') && statSync(path.join(folder, file)).isFile(),
  )
  return new Map(
    files.map((file) => {
      const body = readFileSync(path.join(folder, file))
      const squeezed = path.join(folder, `${file}.br`)
      const etag = etagOf(body)
      const compressed = existsSync(squeezed) ? readFileSync(squeezed) : null
      const type = TYPES[path.extname(file)] ?? 'application/octet-stream'
      return [`/${file.split(path.sep).join('/')}`, { body, compressed, type, etag }]
    }),
  )
}

function send(request: FastifyRequest, reply: FastifyReply, part: Part, cache: string): true {
  reply.headers({ 'cache-control': cache, etag: part.etag, 'x-content-type-options': 'nosniff' })
  // Other origins may load our embed script and images.
  reply.header('cross-origin-resource-policy', 'cross-origin')
  if (request.headers['if-none-match'] === part.etag) {
    reply.status(304).send()
    return true
  }
  const takesBrotli = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (part.compressed) reply.header('vary', 'accept-encoding, accept')
  if (part.compressed && takesBrotli) reply.header('content-encoding', 'br').type(part.type).send(part.compressed)
  else reply.type(part.type).send(part.body)
  return true
}
