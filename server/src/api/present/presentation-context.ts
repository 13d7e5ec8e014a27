/** The context of a response: the services, and the base URL under which the caller reached us. */
import { boundedMap } from '@causeway/chain-kit'
import type { Network, Token } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { FastifyRequest } from 'fastify'
import { MOMENT_MS } from '../../offer/micro-cache.ts'
import type { Services } from '../../services.ts'

export interface PresentationContext {
  services: Services
  /** The base URL without a trailing slash; empty if the caller sent no host, and links become paths. */
  baseUrl: string
  /** Networks and tokens that were presented a moment ago: a response repeats the same ones. */
  shown?: { tokens: Map<Token, wire.Token>; networks: Map<Network, wire.Network> }
}

/** Limit of cached host names: a host has few, and made-up ones are served uncached. */
const MAX_NAMES = 16

const viewpoints = new WeakMap<Services, Map<string, { viewpoint: PresentationContext; since: number }>>()

export function presentationContextOf(services: Services, request: FastifyRequest): PresentationContext {
  return presentationContextAt(services, baseUrlOf(request))
}

function baseUrlOf({ headers, protocol, host }: Pick<FastifyRequest, 'headers' | 'protocol' | 'host'>): string {
  // A proxy that terminates TLS sets this header. A caller who forges it changes only the links in their own response.
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : protocol
  return host ? `${scheme}://${host}` : ''
}

export function presentationContextAt(services: Services, baseUrl: string): PresentationContext {
  const keepMs = Math.min(services.config.answerCacheMs, MOMENT_MS)
  if (keepMs === 0) return { services, baseUrl }
  const known = viewpoints.get(services) ?? boundedMap(MAX_NAMES)
  viewpoints.set(services, known)
  const now = performance.now()
  const last = known.get(baseUrl)
  if (last && now - last.since < keepMs) return last.viewpoint
  const viewpoint = { services, baseUrl, shown: { tokens: new Map(), networks: new Map() } }
  known.set(baseUrl, { viewpoint, since: now })
  return viewpoint
}
