/** From where an answer is read: the service's state of this moment, and the address under which the caller knows us. */
import { boundedMap } from '@causeway/chain-kit'
import type { Network, Token } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { FastifyRequest } from 'fastify'
import { MOMENT_MS } from '../../offer/micro-cache.ts'
import type { Services } from '../../services.ts'

export interface PresentationContext {
  services: Services
  /** Without a slash at its end; empty where the caller did not name a host, and links become paths. */
  baseUrl: string
  /** What was presented from here a moment ago: an answer shows the same networks and tokens many times over. */
  shown?: { tokens: Map<Token, wire.Token>; networks: Map<Network, wire.Network> }
}

/** A host has few names; whoever makes more up is served without memory. */
const MAX_NAMES = 16

const viewpoints = new WeakMap<Services, Map<string, { viewpoint: PresentationContext; since: number }>>()

export function presentationContextOf(
  services: Services,
  { headers, protocol, host }: FastifyRequest,
): PresentationContext {
  // A proxy that ends TLS says so. Whoever makes it up changes only the links of their own answer.
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : protocol
  const baseUrl = host ? `${scheme}://${host}` : ''
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
