/** GET /site and /routes/health: who runs the service, what is paused, and the health of routes. */
import { envelope, RouteHealth, Site } from '@causeway/sdk'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import type { Health } from '../../cache/route-health.ts'
import { isSandbox } from '../../http/sandbox.ts'
import type { Api } from '../../http/schema.ts'

/** The API version, as in the document. */
const BUILD = 'v2'

export function siteRoutes(api: Api, services: Services, health: Health): void {
  const { config, safeguards, now } = services
  const { branding } = config
  api.get('/site', { schema: { response: { 200: envelope(Site) } } }, async () => ({
    data: {
      name: branding.name ?? config.siteName,
      environment: config.environment,
      sandbox: isSandbox(api),
      operator: branding.operator,
      contact: branding.support ?? config.siteContact ?? null,
      terms: branding.terms,
      privacy: branding.privacy,
      imprint: branding.imprint,
      build: BUILD,
      now: now().toISOString(),
      paused: safeguards
        .current()
        .switches.filter(({ stops_swaps }) => stops_swaps)
        .map(({ scope }) => scope),
    },
  }))

  api.get('/routes/health', { schema: { response: { 200: envelope(z.array(RouteHealth)) } } }, async () => ({
    data: (await health()).map(({ source, destination, swaps, completed, median, p95 }) => ({
      source_network: source,
      destination_network: destination,
      swaps,
      completed,
      median_seconds: median,
      p95_seconds: p95,
    })),
  }))
}
