/** The process behind `index.ts`: all local chains of the family, each behind java-tron's HTTP API. Its methods are paths. */
import { serveChains } from '@causeway/devnet/kit'
import { LocalChain } from './chain.ts'
import type { ChainPlan } from './genesis.ts'
import { METHODS } from './rpc-server.ts'

serveChains(async (plan: ChainPlan) => {
  const chain = await LocalChain.open(plan)
  return async (posted, { path, query }) => {
    const run = METHODS[path]
    if (!run) return { status: 404, body: 'no such method' }
    const body = (posted ?? Object.fromEntries(query)) as Record<string, unknown>
    try {
      return { body: await run(chain, body) }
    } catch (error) {
      return { body: { Error: String(error) } }
    }
  }
})
