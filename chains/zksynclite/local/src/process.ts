/** The process behind `index.ts`: all local chains of the family, each behind REST API v0.2. */
import { serveChains } from '@causeway/devnet/kit'
import { type ChainPlan, LocalChain, Refused } from './chain.ts'
import { answer } from './rpc-server.ts'

serveChains(async (plan: ChainPlan) => {
  const chain = new LocalChain(plan)
  return async (body, asked) => {
    const request = { network: plan.ethereum, apiVersion: 'v02', resource: `/${asked.path}` }
    try {
      return { body: { request, status: 'success', error: null, result: await answer(chain, body, asked) } }
    } catch (error) {
      const code = error instanceof Refused ? error.code : 500
      const message = error instanceof Error ? error.message : String(error)
      return {
        status: error instanceof Refused ? 200 : 500,
        body: { request, status: 'error', error: { errorType: 'submitError', code, message }, result: null },
      }
    }
  }
})
