/**
 * Answers quotes before the framework sees the request, because it spends more time on one than a quote takes. Whatever
 * is unusual goes the framework's way: errors, browsers, a client over its limit, a key that must be looked up.
 * A caller sees no difference; `quick-answers.test.ts` compares both ways.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { FastifyServerFactory } from 'fastify'
import type { Services } from '../../services.ts'
import { CORRELATION_HEADER, correlationOf } from './correlation.ts'

/** The JSON text for this URL, or null if the framework has to answer. An error also leaves it to the framework. */
export type QuickAnswer = (url: string, baseUrl: string) => string | null

/** Counts the request against the caller's limit. Null, and not counted, if the framework has to decide. */
export type Admit = (request: IncomingMessage, ip: string) => { limit: number; left: number; reset: number } | null

interface Route {
  path: string
  answer: QuickAnswer
  admit: Admit
}

/** Requests with one of these are left to the framework: browsers, bodies, and hosts that a proxy names. */
const UNUSUAL = ['origin', 'sec-fetch-mode', 'content-length', 'transfer-encoding', 'x-forwarded-host'] as const

export function createQuickAnswers({ config, metrics, log }: Pick<Services, 'config' | 'metrics' | 'log'>) {
  let route: Route | null = null

  /** False if the framework has to answer: then nothing was sent or counted. */
  function answered(request: IncomingMessage, response: ServerResponse): boolean {
    const started = performance.now()
    const { url = '', headers } = request
    if (!route || request.method !== 'GET' || !url.startsWith(route.path)) return false
    if (UNUSUAL.some((name) => headers[name] !== undefined)) return false
    const baseUrl = baseUrlOf(request)
    const ip = callerAddress(request, config.trustProxy)
    if (baseUrl === null || ip === null) return false
    const text = textOf(route.answer, url, baseUrl)
    const allowance = text === null ? null : route.admit(request, ip)
    if (text === null || !allowance) return false
    const correlationId = correlationOf(request)
    response.writeHead(200, [
      ...[CORRELATION_HEADER, correlationId, 'access-control-allow-origin', '*'],
      ...['ratelimit-limit', `${allowance.limit}`, 'ratelimit-remaining', `${allowance.left}`],
      ...['ratelimit-reset', `${allowance.reset}`, 'content-type', 'application/json; charset=utf-8'],
      ...['content-length', `${Buffer.byteLength(text)}`],
    ])
    response.end(text)
    const ms = performance.now() - started
    metrics.requests.observe('GET', route.path, 200, ms / 1000)
    if (log.isLevelEnabled('debug')) {
      const fields = { correlationId, method: 'GET', route: route.path, status: 200, ms: Math.round(ms) }
      log.debug(fields, 'request answered')
    }
    return true
  }

  const serve: FastifyServerFactory = (handle, { keepAliveTimeout, requestTimeout }) => {
    const server = http.createServer((request, response) => {
      if (!answered(request, response)) handle(request, response)
    })
    return Object.assign(server, { keepAliveTimeout, requestTimeout })
  }

  return {
    /** Creates the HTTP server; for fastify's `serverFactory`. */
    serve,
    open: (path: string, answer: QuickAnswer, admit: Admit): void => {
      route = { path, answer, admit }
    },
    /** A closing server tells its clients to close their connections: the framework does that. */
    close: (): void => {
      route = null
    },
  }
}

/** The framework repeats a request that fails, and answers with the error. */
function textOf(answer: QuickAnswer, url: string, baseUrl: string): string | null {
  try {
    return answer(url, baseUrl)
  } catch {
    return null
  }
}

/** As `baseUrlOf` of a response's context computes it; null if a proxy says more than that it terminates TLS. */
function baseUrlOf({ headers }: IncomingMessage): string | null {
  const scheme = headers['x-forwarded-proto'] ?? 'http'
  if (scheme !== 'http' && scheme !== 'https') return null
  return headers.host ? `${scheme}://${headers.host}` : null
}

/** The address that a number of trusted proxies report; null if trust depends on the proxies' own addresses. */
function callerAddress({ socket, headers }: IncomingMessage, trusted: Services['config']['trustProxy']): string | null {
  const peer = socket.remoteAddress ?? null
  const told = headers['x-forwarded-for']
  if (told === undefined || trusted === false) return peer
  if (typeof trusted !== 'number' || typeof told !== 'string') return null
  // The nearest proxy appends the address that it sees, so the last one is the first hop beyond our peer.
  const hops = [
    peer,
    ...told
      .split(',')
      .map((address) => address.trim())
      .reverse(),
  ]
  return hops.includes('') ? null : (hops[Math.min(trusted, hops.length - 1)] ?? null)
}
