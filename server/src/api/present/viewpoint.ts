/** From where an answer is read: the service's state of this moment, and the address under which the caller knows us. */
import type { FastifyRequest } from 'fastify'
import type { Services } from '../../services.ts'

export interface Viewpoint {
  services: Services
  /** Without a slash at its end; empty where the caller did not name a host, and links become paths. */
  baseUrl: string
}

export function viewpointOf(services: Services, { headers, protocol, host }: FastifyRequest): Viewpoint {
  // A proxy that ends TLS says so. Whoever makes it up changes only the links of their own answer.
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : protocol
  return { services, baseUrl: host ? `${scheme}://${host}` : '' }
}
