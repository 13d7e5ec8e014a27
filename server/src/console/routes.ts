/**
 * `/operator/api`: the console's own calls. No other origin may use them: the cookie is same-site, and every change
 * must be JSON from a page of this origin with a token that only the page knows. Browsers must not cache anything.
 */
import { ApiError, STATUSES } from '@causeway/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { addressOf, createRateLimiter } from '../api/access/rate-limit.ts'
import { SANDBOX_OPERATOR } from '../store/operators/operators.ts'
import { createAlerts } from './alerts.ts'
import { charts } from './charts.ts'
import { act, look } from './commands.ts'
import { type Console, Refused } from './console.ts'
import { isEqual } from './credentials.ts'
import {
  acceptInvitation,
  logIn,
  logOut,
  openInvite,
  proveAgain,
  SANDBOX_PASSWORD,
  type Session,
  sessionOf,
} from './login.ts'
import { overview, scopes } from './overview.ts'
import { streams } from './streams.ts'
import { countSwaps, findSwaps, startOf } from './swaps.ts'

const PREFIX = '/operator/api'
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
const Word = z.string().max(200)
const Login = z.object({ name: Word, password: Word, code: Word.default('') })
const Proof = z.object({ password: Word, code: Word.default('') })
const Invitation = z.object({ invite: Word, password: Word, code: Word, signature: Word.default('') })
const Act = z.strictObject({
  noun: Word,
  verb: Word,
  names: z.array(Word).max(4).default([]),
  values: z.record(z.string().regex(/^[a-z][a-z-]{0,30}$/), z.string().max(4_000)).default({}),
  reason: z.string().max(1_000),
})
const Search = z.object({
  search: Word.trim().default(''),
  statuses: Word.default(''),
  network: Word.default(''),
  cursor: z.uuid().optional(),
  days: z.coerce.number().int().min(1).max(3650).optional(),
  waiting: z.enum(['true', 'false']).default('false'),
})
const Statuses = z.array(z.enum(STATUSES))
const Values = z.record(z.string().regex(/^[a-z][a-z-]{0,30}$/), z.string().max(200))

export function consoleRoutes(server: FastifyInstance, house: Console): void {
  void server.register(
    async (scope) => {
      // The login routes are open to everyone who reaches the port, and each costs a query.
      const limiter = createRateLimiter(house.config, null)
      scope.addHook('onRequest', async (request, reply) => {
        reply.header('cache-control', 'no-store')
        // Not counted: a page of another origin in an operator's browser must not use up that operator's limit.
        if (isForeign(request)) throw foreign()
        await limiter.take(clientOf(request), 1, request.method === 'GET' ? 'reads' : 'creations', reply)
      })
      scope.setErrorHandler<Error>((error, request, reply) => refuse(error, request, reply))
      sessions(scope, house)
      rooms(scope, house)
    },
    { prefix: PREFIX },
  )
}

function sessions(api: FastifyInstance, house: Console): void {
  api.get('/session', async (request) => {
    const session = await sessionOf(house, wordIn(request), { isSeen: false })
    const sandbox = house.isSandbox ? { name: SANDBOX_OPERATOR, password: SANDBOX_PASSWORD } : null
    return { data: { session: session && shown(session), sandbox, environment: house.config.environment } }
  })

  api.post('/login', async (request, reply) => {
    fromHere(request)
    const cookie = cookieFor(request)
    const given = parsed(Login, request.body)
    const word = await logIn(house, { ...given, address: addressOf(request) })
    reply.header('set-cookie', cookie(word))
    const session = await sessionOf(house, word)
    return { data: { session: session && shown(session) } }
  })

  api.post('/prove', async (request) => {
    const session = await changing(house, request)
    await proveAgain(house, session, { ...parsed(Proof, request.body), address: addressOf(request) })
    return { data: {} }
  })

  api.post('/logout', async (request, reply) => {
    await logOut(house, await changing(house, request))
    reply.header('set-cookie', cookieFor(request)(null))
    return { data: {} }
  })

  // POST, although it reads: an invitation must not appear in URLs that servers and browsers log.
  api.post('/invite', async (request) => {
    fromHere(request)
    cookieFor(request)
    return { data: await openInvite(house, parsed(Invitation.pick({ invite: true }), request.body).invite) }
  })

  api.post('/invite/accept', async (request) => {
    fromHere(request)
    cookieFor(request)
    const { invite, ...given } = parsed(Invitation, request.body)
    await acceptInvitation(house, { word: invite, ...given, address: addressOf(request) })
    return { data: {} }
  })
}

function rooms(api: FastifyInstance, house: Console): void {
  // The page polls it every few seconds.
  api.get('/overview', async (request) => {
    await required(house, request, { isSeen: false })
    return { data: await overview(house) }
  })

  const alerts = createAlerts(house)
  api.addHook('preClose', async () => alerts.stop())
  // The overview as a stream, sent as soon as something changes.
  api.get('/alerts', async (request, reply) => {
    const session = await required(house, request, { isSeen: false })
    const stream = alerts.open(session, wordIn(request) ?? '')
    return reply
      .headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        connection: 'close',
      })
      .send(stream)
  })

  api.get('/feeds', async (request) => {
    await required(house, request)
    return { data: await streams(house) }
  })

  api.get('/swaps', async (request) => {
    await required(house, request)
    const { statuses, cursor, days, waiting, ...asked } = parsed(Search, request.query)
    const wanted = statuses.split(',').filter((word) => word !== '')
    return {
      data: await findSwaps(house, request, {
        ...asked,
        statuses: parsed(Statuses, wanted),
        cursor: cursor ?? null,
        from: startOf(house, days),
        isWaiting: waiting === 'true',
      }),
    }
  })

  api.get('/swaps/counts', async (request) => {
    await required(house, request, { isSeen: false })
    const { network, days } = parsed(Search, request.query)
    return { data: await countSwaps(house, network, startOf(house, days)) }
  })

  api.get('/charts', async (request) => {
    await required(house, request, { isSeen: false })
    return { data: await charts(house) }
  })

  api.get('/scopes', async (request) => {
    await required(house, request)
    return { data: scopes(house) }
  })

  api.get<{ Params: { noun: string; verb: string } }>('/look/:noun/:verb', async (request) => {
    const session = await required(house, request)
    const values = parsed(Values, request.query)
    return { data: await look(house, session, { ...request.params, names: [], values }) }
  })

  api.post('/act', async (request) => {
    const session = await changing(house, request)
    const { reason, ...asked } = parsed(Act, request.body)
    return { data: await act(house, session, asked, reason) }
  })
}

function shown({ name, role, token, freshUntil }: Session) {
  return { name, role, token, fresh_until: freshUntil.toISOString() }
}

async function required(house: Console, request: FastifyRequest, how?: { isSeen: boolean }): Promise<Session> {
  const session = await sessionOf(house, wordIn(request), how)
  if (!session) throw new Refused(401, 'NO_SESSION', 'Log in to go on.')
  return session
}

/** A change must come from one of our pages, with the token that the page was given. */
async function changing(house: Console, request: FastifyRequest): Promise<Session> {
  fromHere(request)
  const session = await required(house, request)
  const token = request.headers['x-operator-token']
  if (typeof token !== 'string' || !isEqual(token, session.token)) throw foreign()
  return session
}

function fromHere({ headers }: FastifyRequest): void {
  const isJson = (headers['content-type'] ?? '').startsWith('application/json')
  if (headers['sec-fetch-site'] !== 'same-origin' || !isJson) throw foreign()
}

function foreign(): Refused {
  return new Refused(403, 'FOREIGN', 'This did not come from a page of this console.')
}

/**
 * Whether a page of another origin caused the request, as the browser says. It always says so, except to plain http on
 * another machine: then at least changes name their origin.
 */
function isForeign({ headers, host }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host.toLowerCase())
}

/**
 * Without https, names of others may point at this machine, and their pages are then of its origin (DNS rebinding). No login
 * is accepted there, so these requests are counted apart.
 */
function clientOf(request: FastifyRequest): string {
  const isApart = request.protocol !== 'https' && !LOOPBACK.test(request.hostname)
  return isApart ? `plain ${addressOf(request)}` : addressOf(request)
}

/** No login over an unencrypted connection: only https, or from this machine. */
function cookieFor({ protocol, hostname }: FastifyRequest): (word: string | null) => string {
  const isSecure = protocol === 'https'
  if (!isSecure && !LOOPBACK.test(hostname))
    throw new Refused(403, 'PLAIN_HTTP', 'Log in over https, or through a tunnel to the machine itself.')
  const rest = `HttpOnly; SameSite=Strict; ${isSecure ? 'Secure; Path=/' : 'Path=/operator'}`
  return (word) => `${nameOfCookie(isSecure)}=${word ?? ''}; ${word === null ? 'Max-Age=0; ' : ''}${rest}`
}

function nameOfCookie(isSecure: boolean): string {
  return isSecure ? '__Host-operator' : 'operator'
}

function wordIn({ headers, protocol }: FastifyRequest): string | undefined {
  const wanted = `${nameOfCookie(protocol === 'https')}=`
  const found = (headers.cookie ?? '').split(/;\s*/).find((part) => part.startsWith(wanted))
  return found?.slice(wanted.length)
}

function parsed<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const result = schema.safeParse(data ?? {})
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Refused(400, 'NOT_VALID', `Not valid: ${String(issue?.path[0] ?? 'the request')}.`)
}

function refuse(error: Error & { statusCode?: number }, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refused) {
    return reply.status(error.status).send({ error: { code: error.code, message: error.message } })
  }
  if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED')
    return reply.status(429).send({ error: { code: 'TOO_MANY', message: error.message } })
  const { statusCode = 500 } = error
  if (statusCode < 500) return reply.status(statusCode).send({ error: { code: 'NOT_VALID', message: error.message } })
  request.log.error({ err: error, route: request.routeOptions.url }, 'the console failed')
  const message = 'Something went wrong on our side. It is in the log.'
  return reply.status(500).send({ error: { code: 'FAILED', message } })
}
