/**
 * The internal port, for the operator's own machines, never the internet. Every process serves it, whatever its roles,
 * so that each can be scraped. The public port has none of these routes.
 */
import { isIP } from 'node:net'
import { formatDecimal, type NodeHealth, tokenKey } from '@causeway/core'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import { checkSetup, type NetworkSetup } from '../catalogue/setup.ts'
import { canSign } from '../keys/orders/signing.ts'
import type { Services } from '../services.ts'
import { countWaitingJobs } from '../store/db/jobs.ts'
import { listUnmatched } from '../store/deposits/unmatched.ts'
import { readReadings } from '../store/market/market-snapshots.ts'
import { readCanaries } from '../store/operators/canary.ts'
import { oldestOpenPayout } from '../store/payouts/held-payouts.ts'
import { listHeld } from '../store/payouts/holds.ts'
import { listOwed } from '../store/swaps/owed-refunds.ts'
import { watchedNetworks } from '../store/swaps/swap-read.ts'
import { readHeads } from '../store/watch/cursors.ts'
import { answerErrors } from './http/errors.ts'
import { createPages } from './http/pages.ts'
import { useWireSchemas } from './http/schema.ts'

/** Larger numbers are not counted further: an operator must look either way. */
const MOST_COUNTED = 1_000

/** `isListening`: whether the public port takes requests. It opens after this one. */
export function createInternal(services: Services, isListening: () => boolean = () => true): FastifyInstance {
  const logger: FastifyBaseLogger = services.log
  const server = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
  })
  requireOwnHost(server, services.config)
  answerErrors(server, createPages(services, 'console'))
  const api = useWireSchemas(server)

  api.get('/health', async (_request, reply) => reply.status(200).send())

  api.get('/ready', async (request, reply) => {
    const state = await readiness(services).catch((error) => {
      request.log.warn({ err: error }, 'the database does not answer')
      return { ready: false, database: false }
    })
    const ready = state.ready && isListening()
    return reply.status(ready ? 200 : 503).send({ ...state, ready })
  })

  api.get('/nodes', async (_request, reply) =>
    reply.send(Object.fromEntries([...services.chains].map(([name, chain]) => [name, chain.nodeHealth()]))),
  )

  api.get('/metrics', async (request, reply) => {
    const { registry } = services.metrics
    showNodes(services)
    // Other metrics must be served even if the database is down.
    await Promise.all([showWallets(services), showWaiting(services), showCanaries(services)]).catch((error) =>
      request.log.warn({ err: error }, 'the database does not answer'),
    )
    return reply
      .type(registry.contentType)
      .serializer((text: string) => text)
      .send(await registry.metrics())
  })
  return server
}

/**
 * Against DNS rebinding: a web page can point its own name at this machine and read the answers. It cannot do so with an
 * address, or with a name without a dot.
 */
function requireOwnHost(server: FastifyInstance, { internalNames }: Services['config']): void {
  server.addHook('onRequest', async ({ hostname }, reply) => {
    const name = hostname.replace(/^\[|\]$/g, '').toLowerCase()
    if (isIP(name) !== 0 || !name.includes('.') || internalNames.includes(name)) return
    await reply.status(421).send({ error: { message: 'This host name is not in INTERNAL_NAMES.' } })
  })
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

/** The same for every process, so that any of them may be scraped. */
async function showWaiting({ database, metrics, now }: Services): Promise<void> {
  const [held, owed, unmatched, oldest, jobs] = await Promise.all([
    listHeld(database, MOST_COUNTED),
    listOwed(database, MOST_COUNTED, now()),
    listUnmatched(database, MOST_COUNTED, () => null),
    oldestOpenPayout(database),
    countWaitingJobs(database, MOST_COUNTED),
  ])
  metrics.jobsWaiting.set(jobs)
  metrics.payoutsHeld.set(held.length)
  metrics.swapsOwed.set(owed.length)
  metrics.depositsUnmatched.set(unmatched.length)
  metrics.payoutOldest.set(oldest === null ? 0 : Math.max(0, (now().getTime() - oldest.getTime()) / 1000))
}

/** A network that was taken off the list is left out: its canary never runs again, and would look stale for ever. */
async function showCanaries({ database, catalogue, metrics }: Services): Promise<void> {
  const listed = new Set(catalogue.networks.map(({ name }) => name))
  for (const gauge of [metrics.canaryUp, metrics.canarySuccess, metrics.canaryFailures]) gauge.reset()
  for (const { network, method, worked, worked_at, failures } of await readCanaries(database)) {
    if (!listed.has(network)) continue
    const labels = { network, method }
    metrics.canaryUp.set(labels, worked ? 1 : 0)
    metrics.canaryFailures.set(labels, Number(failures))
    if (worked_at) metrics.canarySuccess.set(labels, worked_at.getTime() / 1000)
  }
}

/** The setup asks nodes, so `/ready` shows the last result and has it read again in the background. */
const SETUP_MS = 5 * 60_000
const setups = new WeakMap<Services, { at: number; found: ReadonlyMap<string, NetworkSetup> }>()

function setupOf(services: Services): ReadonlyMap<string, NetworkSetup> {
  const known = setups.get(services) ?? { at: Number.NEGATIVE_INFINITY, found: new Map() }
  if (performance.now() - known.at < SETUP_MS) return known.found
  setups.set(services, { ...known, at: performance.now() })
  const checks = [...services.chains.values()].map((chain) => checkSetup(chain, { isNew: false }))
  void Promise.all(checks).then((all) => {
    const found = new Map(all.map((one) => [one.network, one]))
    setups.set(services, { at: performance.now(), found })
  })
  return known.found
}

async function readiness(services: Services) {
  const setup = setupOf(services)
  const { database, catalogue, chains, market, now, clock } = services
  const [heads, watched] = await Promise.all([readHeads(database), watchedNetworks(database)])
  const networks = catalogue.networks.map(({ name, nativeToken }) => {
    const head = heads.get(name)
    return {
      name,
      // The head's age does not count, because a quiet chain makes no blocks: a watcher must run, and a node must have
      // answered recently.
      watched: watched.has(name) && head !== undefined,
      node_answers: market.balance(nativeToken) !== null && isAnswering(chains.get(name)?.nodeHealth() ?? []),
      head: head ? Number(head.number) : null,
      head_age_seconds: head ? Math.round((now().getTime() - head.at.getTime()) / 1000) : null,
      // The steps that are still to be taken on chain; null until they were checked.
      setup: setup.get(name)?.missing ?? null,
    }
  })
  const prices = catalogue.networks.every(({ tokens }) => tokens.some((token) => market.price(token) !== null))
  const signer = canSign(services.signing, now())
  const ready =
    prices &&
    clock.isTrusted() &&
    signer !== false &&
    networks.every(({ watched, node_answers }) => watched && node_answers)
  return { ready, database: true, prices, clock: clock.isTrusted(), signer, networks }
}

/** False if the last request to every node failed. */
function isAnswering(nodes: readonly Pick<NodeHealth, 'trouble'>[]): boolean {
  return nodes.length === 0 || nodes.some(({ trouble }) => trouble === null)
}
