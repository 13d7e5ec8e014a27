/** Every failure in the envelope's `error`: the caller's mistakes with a reason, ours with only a correlation id. */
import type { Socket } from 'node:net'
import { API_ERRORS, ApiError, RetryLater } from '@causeway/core'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isPassing } from '../../store/db/database.ts'
import { toJson } from './json.ts'
import type { Pages } from './pages.ts'

/** After a start, missing data arrives within seconds. */
const RETRY_AFTER_SECONDS = 2
/** Longer paths are truncated in messages. */
const SHOWN_PATH = 200

/** `pages`: an unknown path may be one of the web pages. */
export function answerErrors(api: FastifyInstance, pages?: Pages): void {
  api.setErrorHandler<FastifyError | Error>((error, request, reply) => sendError(error, request, reply))
  const methodsOf = routeTable(api)
  api.setNotFoundHandler(async (request, reply) => {
    if (pages?.answer(request, reply)) return reply
    const allowed = methodsOf(request.url)
    if (allowed.length > 0) {
      reply.header('allow', [...allowed, 'OPTIONS'].join(', '))
      throw new ApiError('METHOD_NOT_ALLOWED', `${request.url.slice(0, SHOWN_PATH)} takes ${allowed.join(', ')}.`)
    }
    throw new ApiError('NOT_FOUND', `There is no ${request.method} ${request.url.slice(0, SHOWN_PATH)}.`)
  })
}

/** The methods of a path, from the routes that are added after this call. */
function routeTable(api: FastifyInstance): (url: string) => string[] {
  const routes: { method: string; pattern: RegExp }[] = []
  api.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
    for (const one of [method].flat()) routes.push({ method: one, pattern })
  })
  return (url) => {
    const [path = ''] = url.split('?')
    return [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
  }
}

export function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = error instanceof ApiError ? error : (fromFramework(error) ?? fromBelow(error, request))
  if (!known) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
  const { code, message, metadata } = known ?? unexpected(request)
  if (API_ERRORS[code] === 503) reply.header('retry-after', RETRY_AFTER_SECONDS)
  return reply.status(API_ERRORS[code]).send({ error: { code, message, metadata } })
}

/** Input that never becomes a request: bytes that are not HTTP, endless headers. */
export function answerBadBytes(_error: Error, socket: Socket): void {
  if (!socket.writable) return void socket.destroy()
  const body = toJson({
    error: { code: 'VALIDATION_ERROR', message: 'This is not a valid HTTP request.', metadata: {} },
  })
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    'Access-Control-Allow-Origin: *',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Fastify's own request errors: a body that is not JSON, too large or of another type, a malformed URL. */
function fromFramework(error: Error & { statusCode?: number; code?: string }): ApiError | null {
  const { statusCode = 500, code = '' } = error
  if (statusCode < 400 || statusCode >= 500) return null
  const part = code.startsWith('FST_ERR_CTP') || error instanceof SyntaxError ? 'body' : 'request'
  return new ApiError(
    'VALIDATION_ERROR',
    `Invalid ${part === 'body' ? 'request body' : 'request'}: ${error.message}.`,
    { [part]: error.message },
  )
}

/**
 * The error for a database or node that does not respond: it says nothing about the request, so the client may retry.
 */
function fromBelow(error: Error, request: FastifyRequest): ApiError | null {
  if (!(error instanceof RetryLater || isPassing(error))) return null
  request.log.warn({ err: error, route: request.routeOptions.url }, 'request could not be answered in time')
  return new ApiError('SERVICE_BUSY', 'This could not be answered in time. Try again in a moment.', {
    correlation_id: request.id,
  })
}

function unexpected(request: FastifyRequest): ApiError {
  return new ApiError('UNEXPECTED_ERROR', 'Something went wrong on our side. Nothing you sent is known to be wrong.', {
    correlation_id: request.id,
  })
}
