/**
 * Logos of networks, tokens, exchanges and apps, from our own origin, so that no page loads images from third parties.
 * Anything without a drawing gets a monogram.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '@causeway/core'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import type { Api } from '../../http/schema.ts'
import { drawingOf, drawSprite, type Logo } from './drawings.ts'
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
  let sprite: string | null = null
  /** All logos of this environment in one file: `/logos/sprite.svg#tokens-ETH`. Drawn at the first request. */
  api.get('/logos/sprite.svg', async (request, reply) => {
    sprite ??= drawSprite(listedLogos(services))
    return send(reply, sprite, request.headers['if-none-match'])
  })
  api.get('/logos/:kind/:file', { schema: { params: LogoParams } }, async (request, reply) => {
    const { kind, file } = request.params
    const logo = find(services, kind, file.slice(0, -'.svg'.length))
    if (!logo) throw new ApiError('NOT_FOUND', `There is no logo ${kind}/${file}.`)
    return send(reply, logo, request.headers['if-none-match'])
  })
}

function listedLogos(services: Services): Logo[] {
  const networks = [...services.catalogue.networks, ...services.catalogue.closed]
  const tokens = new Set(networks.flatMap((network) => network.tokens.map(({ group, symbol }) => group ?? symbol)))
  const named = [
    ...networks.map(({ name }) => ['networks', name] as const),
    ...[...tokens].map((name) => ['tokens', name] as const),
  ]
  return named.flatMap(([kind, name]) => {
    const svg = find(services, kind, name)
    return svg ? [{ id: `${kind}-${name}`, svg }] : []
  })
}

/** The SVG of a logo: a drawing if there is one, otherwise a monogram; null if the name is not listed. */
function find(services: Services, kind: z.infer<typeof LogoParams>['kind'], name: string): string | null {
  const monogram = monogramFor(services, kind, name)
  return monogram && (drawingOf(kind, name) ?? drawMonogram(monogram))
}

function monogramFor(services: Services, kind: z.infer<typeof LogoParams>['kind'], name: string): Monogram | null {
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
