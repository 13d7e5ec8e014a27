/**
 * The internal port, for the operator's own machines, never the internet. Every process serves it, whatever its roles,
 * so that each can be scraped. The public port has none of these routes.
 */
import { formatDecimal, tokenKey } from '@causeway/core'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import type { Services } from '../services.ts'
import { readReadings } from '../store/market/market-snapshots.ts'
import { watchedNetworks } from '../store/swaps/swap-read.ts'
import { readHeads } from '../store/watch/cursors.ts'
import { answerErrors } from './http/errors.ts'
import { createPages } from './http/pages.ts'
import { useWireSchemas } from './http/schema.ts'

export function createInternal(services: Services): FastifyInstance {
  const logger: FastifyBaseLogger = services.log
  const server = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
  })
  answerErrors(server, createPages(services, 'console'))
  const api = useWireSchemas(server)

  api.get('/health', async (_request, reply) => reply.status(200).send())

  api.get('/ready', async (request, reply) => {
    const state = await readiness(services).catch((error) => {
      request.log.warn({ err: error }, 'the database does not answer')
      return { ready: false, database: false }
    })
    return reply.status(state.ready ? 200 : 503).send(state)
  })

  api.get('/nodes', async (_request, reply) =>
    reply.send(Object.fromEntries([...services.chains].map(([name, chain]) => [name, chain.nodeHealth()]))),
  )

  api.get('/metrics', async (request, reply) => {
    const { registry } = services.metrics
    showNodes(services)
    // Other metrics must be served even if the database is down.
    await showWallets(services).catch((error) => request.log.warn({ err: error }, 'the database does not answer'))
    return reply
      .type(registry.contentType)
      .serializer((text: string) => text)
      .send(await registry.metrics())
  })
  return server
}

/** Read at scrape time: only the node clients know their health. */
function showNodes({ chains, metrics }: Services): void {
  for (const [network, chain] of chains) {
    for (const { name: node, trouble, differed } of chain.nodeHealth()) {
      metrics.nodeHealth.set({ network, node }, trouble === null ? 1 : 0)
      metrics.nodeDiffers.set({ network, node }, differed)
    }
  }
}

/** Sets the wallet metrics as last read by any process. Delisted tokens are left out, which bounds the labels. */
async function showWallets({ database, catalogue, metrics }: Services): Promise<void> {
  const readings = new Map((await readReadings(database)).map((reading) => [reading.network, reading]))
  metrics.walletBalance.reset()
  for (const { name: network, tokens } of catalogue.networks) {
    const reading = readings.get(network)
    if (!reading) continue
    metrics.walletRead.set({ network }, reading.at.getTime() / 1000)
    for (const token of tokens) {
      const units = reading.balances.get(tokenKey(token))
      if (units === undefined) continue
      const labels = { network, token: token.symbol, contract: tokenKey(token) }
      metrics.walletBalance.set(labels, Number(formatDecimal(units, token.decimals)))
    }
  }
}

async function readiness({ database, catalogue, market, now }: Services) {
  const [heads, watched] = await Promise.all([readHeads(database), watchedNetworks(database)])
  const networks = catalogue.networks.map(({ name, nativeToken }) => {
    const head = heads.get(name)
    return {
      name,
      // The head's age does not count, because a quiet chain makes no blocks: a watcher must run, and a node must have
      // answered recently.
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
