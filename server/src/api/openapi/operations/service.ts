/** The service itself. */
import type { Operation } from './operation.ts'

export const service: Record<string, Operation> = {
  'GET /api/v2/health': {
    id: 'getHealth',
    tag: 'Service',
    summary: 'Whether the service runs',
    description:
      'An empty 200 while the process runs. It says nothing about chains, prices or routes; `/site` and `/routes/health` do.',
    isBare: true,
  },
  'GET /api/v2/internal/apps': {
    id: 'getApp',
    tag: 'Service',
    summary: 'An app by its name, as pages show it',
    description: 'For pages that were opened on behalf of an app.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/site': {
    id: 'getSite',
    tag: 'Service',
    summary: 'Who runs this service, its clock, and what is paused',
    description: 'What a page shows around a swap. `now` is the clock by which windows and quotes end.',
  },
  'GET /api/v2/status': {
    id: 'getStatus',
    tag: 'Service',
    summary: 'Whether each network can be read, now and on the last days',
    description:
      'The service checks once a minute, while it runs. `uptime` is the share of checks at which a network was `up`.',
  },
  'GET /.well-known/causeway.json': {
    id: 'getWellKnown',
    tag: 'Service',
    summary: 'Who we are, and the key of our signatures',
    description:
      'The public keys by which `signature` beside a quote is checked. Pin them in your program: a page or proxy that changes a deposit address is then found out.',
  },
}
