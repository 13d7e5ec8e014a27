/**
 * Pages of every origin may call the API, without credentials: it uses none. Every OPTIONS request is answered before
 * anything else.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
/** Browsers repeat the preflight after a day at most. */
const PREFLIGHT_SECONDS = '86400'

/** A cheap check first, because every request passes here. */
const mayBeConsole = (url: string) => url.includes('operator') || url.includes('%')

function isConsole({ routeOptions, url }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/operator/') || /^\/operator(\/|\?|$)/.test(url)
}

/** `readable`: the response headers that pages may read. */
export function registerCors(server: FastifyInstance, readable: readonly string[]): void {
  const exposed = readable.join(', ')
  server.addHook('onRequest', (request, reply, done) => {
    // The console uses credentials and allows only its own origin.
    if (mayBeConsole(request.url) && isConsole(request)) {
      done()
      return
    }
    reply.header('access-control-allow-origin', '*')
    const { origin } = request.headers
    if (origin !== undefined) reply.header('access-control-expose-headers', exposed)
    if (request.method !== 'OPTIONS') {
      done()
      return
    }
    const wanted = request.headers['access-control-request-headers']
    if (wanted !== undefined) reply.header('access-control-allow-headers', wanted)
    // The length is set on purpose, though a 204 has no body: some browsers wait for one otherwise.
    reply.headers({
      'access-control-allow-methods': METHODS,
      'access-control-max-age': PREFLIGHT_SECONDS,
      vary: 'Access-Control-Request-Headers',
      'content-length': '0',
    })
    reply.code(204).send()
  })
  // The hook has answered already; the route only keeps OPTIONS from being a 404.
  server.options('*', (_request, reply) => reply.send())
}
