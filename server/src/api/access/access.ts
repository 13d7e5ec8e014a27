/** Who may call: checks the key and counts the request against the caller's rate limit, before every API call. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../services.ts'
import { forgetWindows, settleWindows } from '../../store/limits/rate-limits.ts'
import { isSandbox } from '../http/sandbox.ts'
import { type Caller, forbidden, KEY_HEADER, keyFinder } from './auth.ts'
import { type Allowance, clientOf, createRateLimiter, type RateLimiter, tooMany, WINDOW_MS } from './rate-limit.ts'

/** How often a process exchanges its counts with the others. */
const SETTLE_MS = 1_000

/** How long an address is locked out after it tried too many unknown keys. */
const SPENT_SECONDS = 60

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

export interface Access {
  /** Adds the check to these routes. */
  protect(resources: FastifyInstance): void
  /** Counts a read by the same rules; null if that needs a query or fails: then it is not counted. */
  admitAtOnce(request: IncomingMessage, ip: string): Allowance | null
}

export function createAccess(server: FastifyInstance, services: Services): Access {
  const limiter = sharedLimiter(server, services)
  const callers = keyFinder(services)
  const factor = services.config.rateLimitKeyFactor
  server.decorateRequest('caller', null)

  const factorOf = (caller: Caller | null) => (caller?.isSecret ? factor : 1)
  const admit = (request: FastifyRequest, reply: FastifyReply) =>
    limiter.take(
      clientOf(request),
      factorOf(request.caller),
      READING.has(request.method) ? 'reads' : 'creations',
      reply,
    )

  /**
   * An unknown key counts against the address that sent it, and the IPv6 networks above. Over the limit of one of them, no more keys
   * are looked up.
   */
  const identify = async (key: string, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const guesser = `keys tried by ${clientOf(request)}`
    request.caller = await callers.find(key, () => {
      if (limiter.isSpent(guesser, 1, 'creations')) throw tooMany(reply, SPENT_SECONDS, 'keys that do not exist')
    })
    if (request.caller) return
    await limiter.take(guesser, 1, 'creations', reply)
    throw forbidden(isSandbox(server))
  }

  return {
    admitAtOnce({ headers }, ip) {
      const key = String(headers[KEY_HEADER] ?? '')
      const caller = key === '' ? null : callers.known(key)
      if (key !== '' && !caller) return null
      return limiter.takeAtOnce(clientOf({ caller, ip }), factorOf(caller), 'reads')
    },
    protect(resources) {
      resources.addHook('onRequest', (request, reply, done) => {
        const key = request.headers[KEY_HEADER]
        if (key === undefined || key === '') {
          try {
            const admitted = admit(request, reply)
            // Nearly always synchronous, so that no request waits for a promise needlessly.
            if (admitted) admitted.then(() => done(), done)
            else done()
          } catch (error) {
            done(error instanceof Error ? error : new Error(String(error)))
          }
          return
        }
        identify(String(key), request, reply)
          .then(() => admit(request, reply))
          .then(() => done(), done)
      })
    },
  }
}

/** Creates the rate limiter, which shares its counts with all other processes while the server runs. */
function sharedLimiter(server: FastifyInstance, { config, database, log }: Services): RateLimiter {
  const processId = randomUUID()
  const limiter = createRateLimiter(config, (counted) =>
    settleWindows(database, processId, counted, WINDOW_MS).catch((error) => {
      log.warn({ err: error }, 'requests are counted by each process for itself')
      throw error
    }),
  )
  const settling = setInterval(() => void limiter.settle(), SETTLE_MS)
  const forgetting = setInterval(() => void forgetWindows(database).catch(() => undefined), WINDOW_MS)
  settling.unref()
  forgetting.unref()
  server.addHook('preClose', async () => {
    clearInterval(settling)
    clearInterval(forgetting)
    await limiter.settle()
  })
  return limiter
}
