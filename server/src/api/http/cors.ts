/** Pages of every origin may call the API, without credentials: there are none. Every OPTIONS is answered before anything else. */
import type { FastifyInstance, FastifyRequest } from 'fastify'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
/** Browsers ask again after a day at the latest. */
const PREFLIGHT_SECONDS = '86400'

/** However it is written: looked up only where it may be, because every request comes by here. */
const mayBeConsole = (url: string) => url.includes('operator') || url.includes('%')

function isConsole({ routeOptions, url }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/operator/') || /^\/operator(\/|\?|$)/.test(url)
}

/** `readable`: the headers that pages may read. */
export function registerCors(server: FastifyInstance, readable: readonly string[]): void {
  const exposed = readable.join(', ')
  server.addHook('onRequest', (request, reply, done) => {
    // The console has credentials, and is for pages of its own origin alone.
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
    // Some browsers wait for a body unless they are told that there is none.
    reply.headers({
      'access-control-allow-methods': METHODS,
      'access-control-max-age': PREFLIGHT_SECONDS,
      vary: 'Access-Control-Request-Headers',
      'content-length': '0',
    })
    reply.code(204).send()
  })
  // The hook has answered: the route only keeps OPTIONS of any place from being unknown.
  server.options('*', (_request, reply) => reply.send())
}
