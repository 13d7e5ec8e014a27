/** What every call of the API passes first: its key is checked, and it is counted against the limits of whoever asks. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'
import { forbidden, KEY_HEADER, keyFinder } from './auth.ts'
import { clientOf, createRateLimiter } from './ratelimit.ts'

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

export function guard(server: FastifyInstance, services: Services): (resources: FastifyInstance) => void {
  const limiter = createRateLimiter(services.config)
  const findCaller = keyFinder(services)
  const factor = services.config.RATE_LIMIT_KEY_FACTOR
  server.decorateRequest('caller', null)

  const admit = (request: FastifyRequest, reply: FastifyReply): void =>
    limiter.take(
      clientOf(request),
      request.caller ? factor : 1,
      READING.has(request.method) ? 'reads' : 'creations',
      reply,
    )

  /** Keys that do not exist cost the address that tries them, and when it has tried enough no more are looked up. */
  const identify = async (key: string, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const guesser = `keys tried by ${clientOf(request)}`
    request.caller = await findCaller(key, () => {
      if (limiter.isSpent(guesser, 1, 'creations')) limiter.take(guesser, 1, 'creations', reply)
    })
    if (request.caller) return
    limiter.take(guesser, 1, 'creations', reply)
    throw forbidden()
  }

  return (resources) => {
    resources.addHook('onRequest', (request, reply, done) => {
      const key = request.headers[KEY_HEADER]
      if (key === undefined || key === '') {
        try {
          admit(request, reply)
          done()
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)))
        }
        return
      }
      identify(String(key), request, reply)
        .then(() => admit(request, reply))
        .then(() => done(), done)
    })
  }
}
