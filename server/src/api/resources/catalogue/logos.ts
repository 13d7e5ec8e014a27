/** Logos of networks, tokens, exchanges and apps, drawn by us, so that no page loads images from third parties. */
import { createHash } from 'node:crypto'
import { ApiError } from '@causeway/core'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import type { Api } from '../../http/schema.ts'
import { drawMonogram, initialsOf, type Monogram } from './monogram.ts'

const CACHE = 'public, max-age=86400, stale-while-revalidate=604800'
/** Longer symbols are cut to stay legible. */
const MOST_LETTERS = 4

const LogoParams = z.object({
  kind: z.enum(['networks', 'tokens', 'exchanges', 'apps']),
  file: z
    .string()
    .max(256)
    .regex(/\.svg$/, 'must end in .svg'),
})

export function logosRoutes(api: Api, services: Services): void {
  api.get('/logos/:kind/:file', { schema: { params: LogoParams } }, async (request, reply) => {
    const { kind, file } = request.params
    const monogram = find(services, kind, file.slice(0, -'.svg'.length))
    if (!monogram) throw new ApiError('NOT_FOUND', `There is no logo ${kind}/${file}.`)
    return send(reply, drawMonogram(monogram), request.headers['if-none-match'])
  })
}

function find(services: Services, kind: z.infer<typeof LogoParams>['kind'], name: string): Monogram | null {
  const { catalogue } = services
  const networks = [...catalogue.networks, ...catalogue.closed]
  if (kind === 'networks') {
    const network = networks.find((entry) => entry.name === name)
    return network ? { letters: initialsOf(network.displayName), name, shape: 'square' } : null
  }
  if (kind === 'exchanges') {
    const exchange = services.exchanges.find((entry) => entry.name === name)
    return exchange ? { letters: initialsOf(exchange.display_name), name, shape: 'square' } : null
  }
  // Drawn from the name alone, so it does not reveal which apps exist.
  if (kind === 'apps') return { letters: initialsOf(name), name, shape: 'square' }
  const isListed = networks.some(({ tokens }) => tokens.some(({ group, symbol }) => (group ?? symbol) === name))
  return isListed ? { letters: [...name].slice(0, MOST_LETTERS).join(''), name, shape: 'circle' } : null
}

function send(reply: FastifyReply, svg: string, known: string | undefined): FastifyReply {
  const etag = `"${createHash('sha256').update(svg).digest('base64url').slice(0, 16)}"`
  reply.headers({
    'cache-control': CACHE,
    etag,
    // An SVG opened directly is a page: nothing in it may run.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  })
  if (known === etag) return reply.status(304).send()
  return reply
    .type('image/svg+xml')
    .serializer((text: string) => text)
    .send(svg)
}
