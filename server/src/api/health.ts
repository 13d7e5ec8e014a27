/** Whether the service lives, whether it can serve, and what it measures. */
import type { Services } from '../services.ts'
import { readHeads } from '../store/cursors.ts'
import { watchedNetworks } from '../store/reading.ts'
import type { Api } from './schema.ts'

export function healthRoutes(api: Api, services: Services, prefix: string): void {
  api.get(`${prefix}/health`, async (_request, reply) => reply.status(200).send())

  api.get('/ready', async (request, reply) => {
    const state = await readiness(services).catch((error) => {
      request.log.warn({ err: error }, 'the database does not answer')
      return { ready: false, database: false }
    })
    return reply.status(state.ready ? 200 : 503).send(state)
  })

  api.get('/metrics', async (_request, reply) => {
    const { registry } = services.metrics
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

async function readiness({ database, catalogue, market, now }: Services) {
  const [heads, watched] = await Promise.all([readHeads(database), watchedNetworks(database)])
  const networks = catalogue.networks.map(({ name, nativeToken }) => {
    const head = heads.get(name)
    return {
      name,
      // A quiet chain makes no blocks: what counts is that somebody looks, and that a node answered of late.
      watched: watched.has(name) && head !== undefined,
      node_answers: market.balance(nativeToken) !== null,
      head: head ? Number(head.number) : null,
      head_age_seconds: head ? Math.round((now().getTime() - head.at.getTime()) / 1000) : null,
    }
  })
  const prices = catalogue.networks.every(({ tokens }) => tokens.some((token) => market.price(token) !== null))
  const ready = prices && networks.every(({ watched, node_answers }) => watched && node_answers)
  return { ready, database: true, prices, networks }
}
