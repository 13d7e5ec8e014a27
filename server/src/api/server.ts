/** The HTTP server: what every request passes through, and the list of resources, one file per resource. */
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import { LazyLogger } from '../observe/lazy-logger.ts'
import type { Services } from '../services.ts'
import { createAccess } from './access/access.ts'
import { createClientQueue } from './access/client-queue.ts'
import { createChangeFeed } from './cache/change-feed.ts'
import { createResponseCache } from './cache/response-cache.ts'
import { createHealth } from './cache/route-health.ts'
import { registerCompression } from './http/compress.ts'
import { CORRELATION_HEADER, correlationOf } from './http/correlation.ts'
import { registerCors } from './http/cors.ts'
import { answerBadBytes, answerErrors, sendError } from './http/errors.ts'
import { createPages } from './http/pages.ts'
import { createQuickAnswers } from './http/quick-answers.ts'
import { useWireSchemas } from './http/schema.ts'
import { describeRoutes } from './openapi/document.ts'
import { appsRoutes } from './resources/account/apps.ts'
import { campaignsRoutes } from './resources/account/campaigns.ts'
import { webhookRoutes } from './resources/account/webhooks.ts'
import { addressesRoutes } from './resources/catalogue/addresses.ts'
import { exchangesRoutes } from './resources/catalogue/exchanges.ts'
import { logosRoutes } from './resources/catalogue/logos.ts'
import { networksRoutes } from './resources/catalogue/networks.ts'
import { routesRoutes } from './resources/catalogue/routes.ts'
import { docsRoutes } from './resources/service/docs.ts'
import { healthRoutes } from './resources/service/health.ts'
import { siteRoutes } from './resources/service/site-info.ts'
import { statusRoutes } from './resources/service/status.ts'
import { wellKnownRoutes } from './resources/service/well-known.ts'
import { authorizeRoutes } from './resources/swaps/authorize.ts'
import { detailedQuoteRoutes } from './resources/swaps/detailed-quote.ts'
import { eventRoutes } from './resources/swaps/events.ts'
import { explorerRoutes } from './resources/swaps/explorer.ts'
import { limitsRoutes } from './resources/swaps/limits.ts'
import { progressRoutes } from './resources/swaps/progress.ts'
import { quoteRoutes } from './resources/swaps/quote.ts'
import { refundAddressRoutes } from './resources/swaps/refund-address.ts'
import { swapListRoutes } from './resources/swaps/swap-list.ts'
import { createSwapRows } from './resources/swaps/swap-rows.ts'
import { swapsRoutes } from './resources/swaps/swaps.ts'
import { transactionStatusRoutes } from './resources/swaps/transaction-status.ts'
import { unmatchedRoutes } from './resources/swaps/unmatched.ts'

const PREFIX = '/api/v2'
const MAX_BODY_BYTES = 1024 * 1024
/** Our requests are short; a slow client must not hold a connection for ever. */
const REQUEST_TIMEOUT_MS = 30_000
/** Transaction hashes and addresses are path parameters. */
const MAX_PARAM_LENGTH = 256
const READABLE = [CORRELATION_HEADER, 'retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

/** Grace period for running requests when the service stops. */
const CLOSING_MS = 2_000

export async function createApi(services: Services): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = services.log
  const quick = createQuickAnswers(services)
  const server = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'correlationId' }),
    childLoggerFactory: (_logger, bindings) => new LazyLogger(services.log, bindings),
    trustProxy: believed(services.config),
    serverFactory: quick.serve,
    requestIdHeader: false,
    genReqId: correlationOf,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    rewriteUrl: ({ url = '/' }) => withoutStraySlashes(url),
    // Requests on open connections are answered until the end.
    return503OnClosing: false,
    clientErrorHandler: answerBadBytes,
    frameworkErrors: (error, request, reply) =>
      sendError(
        error,
        request,
        reply.headers({ 'access-control-allow-origin': '*', [CORRELATION_HEADER]: request.id }),
      ),
  })
  server.removeContentTypeParser('text/plain')
  const openapi = describeRoutes(server)
  observe(server, services)
  registerCors(server, READABLE)
  registerCompression(server)
  // Browsers open idle connections ahead of need; these would keep a closing server waiting.
  server.addHook('preClose', async () => {
    quick.close()
    setTimeout(() => server.server.closeAllConnections(), CLOSING_MS).unref()
  })
  const news = createChangeFeed(services)
  const health = createHealth(services)
  const answers = createResponseCache(services, news)
  const turns = createClientQueue()
  const rows = createSwapRows(services, answers)
  server.addHook('preClose', news.stop)
  answerErrors(server, createPages(services))
  const access = createAccess(server, services)
  const api = useWireSchemas(server)
  healthRoutes(api, PREFIX)
  // Pages and images count against the rate limit too.
  await api.register(async (pages) => {
    access.protect(pages)
    wellKnownRoutes(pages, services, PREFIX)
    logosRoutes(pages, services)
    docsRoutes(pages, services, openapi, PREFIX)
  })
  await api.register(
    async (resources) => {
      access.protect(resources)
      networksRoutes(resources, services)
      routesRoutes(resources, services)
      quick.open(`${PREFIX}/quote`, quoteRoutes(resources, services), access.admitAtOnce)
      limitsRoutes(resources, services)
      detailedQuoteRoutes(resources, services)
      transactionStatusRoutes(resources, services)
      exchangesRoutes(resources, services)
      swapsRoutes(resources, services, answers)
      eventRoutes(server, resources, services, news)
      webhookRoutes(resources, services)
      swapListRoutes(resources, services, { turns, rows })
      authorizeRoutes(resources, services)
      refundAddressRoutes(resources, services)
      explorerRoutes(resources, services, { turns, rows })
      unmatchedRoutes(resources, services, turns)
      campaignsRoutes(resources, services, turns)
      appsRoutes(resources, services)
      addressesRoutes(resources, services)
      siteRoutes(resources, services, health)
      statusRoutes(resources, services)
      progressRoutes(resources, services, health)
    },
    { prefix: PREFIX },
  )
  return server
}

/**
 * Removes stray slashes: clients join a base URL that ends in a slash with a path that starts with one, and put a slash
 * before the query.
 */
function withoutStraySlashes(given: string): string {
  const url = given.startsWith('//') ? given.replace(/^\/{2,}/, '/') : given
  if (!url.startsWith(`${PREFIX}/`)) return url
  const query = url.indexOf('?')
  const pathEnd = query === -1 ? url.length : query
  let end = pathEnd
  while (end > PREFIX.length + 1 && url[end - 1] === '/') end -= 1
  return end === pathEnd ? url : url.slice(0, end) + url.slice(pathEnd)
}

/**
 * Which proxies may report the caller's address, counted from our side: the first hop is the peer of the connection.
 */
function believed({ trustProxy: trusted }: Services['config']) {
  return typeof trusted === 'number' ? (_address: string, hop: number) => hop < trusted : trusted
}

function observe(server: FastifyInstance, { metrics }: Services): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header(CORRELATION_HEADER, request.id)
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const route = request.routeOptions.url ?? 'unknown'
    metrics.requests.observe(method, route, reply.statusCode, reply.elapsedTime / 1000)
    // Polling would fill the logs, so successful reads are logged at debug.
    const level = reply.statusCode >= 400 || method === 'POST' ? 'info' : 'debug'
    request.log[level](
      { method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'request answered',
    )
    done()
  })
}
