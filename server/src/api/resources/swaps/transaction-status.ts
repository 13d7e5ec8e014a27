/** GET /transaction_status: reads the chain. The only swap read that waits for a node, with a short timeout. */
import {
  ApiError,
  type ChainAdapter,
  confirmationsFor,
  findNetwork,
  type Inspection,
  type Watchlist,
} from '@causeway/core'
import { envelope, TransactionStatus, TransactionStatusQuery } from '@causeway/sdk'
import type { FastifyBaseLogger } from 'fastify'
import type { Services } from '../../../services.ts'
import type { Api } from '../../http/schema.ts'

/** Callers poll, so the next call retries a slow node. */
const PATIENCE_MS = 5_000
/** No owned addresses: this call does not need to know whose money moved. */
const NOBODY: Watchlist = { owned: async () => new Set() }

export function transactionStatusRoutes(api: Api, services: Services): void {
  api.get(
    '/transaction_status',
    { schema: { querystring: TransactionStatusQuery, response: { 200: envelope(TransactionStatus) } } },
    async ({ query, log }) => {
      const network = findNetwork(services.catalogue.networks, query.network)
      const chain = network && services.chains.get(network.name)
      if (!chain) throw new ApiError('NOT_FOUND', `There is no network ${query.network}.`)
      const found = await ask(chain, query.transaction_id, log)
      if (!found || found.state === 'unknown') {
        const why = found ? 'is not known there' : 'could not be looked up now: ask again'
        throw new ApiError('NOT_FOUND', `${query.transaction_id} on ${chain.network.name} ${why}.`)
      }
      return { data: { ...statusOf(chain, found), network: chain.network.name, transaction_id: query.transaction_id } }
    },
  )
}

/** Reads the transaction; null if the node did not answer in time. */
async function ask(chain: ChainAdapter, hash: string, log: FastifyBaseLogger): Promise<Inspection | null> {
  const late = new Promise<null>((resolve) => setTimeout(resolve, PATIENCE_MS, null).unref())
  const asked = chain.inspect(hash, NOBODY).catch((error) => {
    log.warn({ err: error, network: chain.network.name }, 'a transaction could not be looked up')
    return null
  })
  return Promise.race([asked, late])
}

function statusOf(
  { network }: ChainAdapter,
  found: Exclude<Inspection, { state: 'unknown' }>,
): Pick<TransactionStatus, 'status' | 'is_found' | 'is_completed' | 'confirmations' | 'max_confirmations'> {
  // The amount is unknown here, so the deepest confirmation tier applies.
  const wanted = confirmationsFor(network, Number.POSITIVE_INFINITY)
  const depth = found.state === 'pending' ? 0 : found.confirmations
  const isDone = depth >= wanted
  return {
    status: found.state === 'failed' ? 'failed' : isDone ? 'completed' : 'pending',
    is_found: true,
    is_completed: found.state === 'included' && isDone,
    confirmations: Math.min(depth, wanted),
    max_confirmations: wanted,
  }
}
